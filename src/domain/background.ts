import { type Pool, transaction } from '../store/connection.ts';
import { lockDueOrganization, takeDueRechecks } from '../store/pairs.ts';
import { findSettings, type SettingsVersion } from '../store/settings.ts';
import { insertSignalChanges } from '../store/signal-changes.ts';
import { expireDueSignals } from '../store/signals.ts';
import { changeNotes } from './change-notes.ts';
import { evaluatePairs, type Fired } from './evaluate-pairs.ts';
import { emitSignalEvents } from './events.ts';
import { groupBy } from './group-by.ts';

const stepSignals = 500;
const stepPairs = 200;

/** One step of expiry; true where there may be more. However many processes run it, a signal expires once. */
export async function expireSignals(pool: Pool): Promise<boolean> {
  return transaction(pool, async (tx) => {
    const expired = await expireDueSignals(tx, stepSignals);
    const now = new Date();
    for (const [orgId, signals] of groupBy(expired, (signal) => signal.org_id)) {
      const ids = signals.map((signal) => signal.id);
      const changes = ids.map((signal_id) => ({
        signal_id,
        from_state: 'new' as const,
        to_state: 'expired' as const,
        note: changeNotes.time,
      }));
      await insertSignalChanges(tx, orgId, changes, null, now);
      await emitSignalEvents(tx, orgId, 'signal.updated', ids, { deliver: true, now });
    }
    return expired.length === stepSignals;
  });
}

/** One step of the pairs whose time has come to be looked at again: what fired; null where there was nothing to look at. */
export async function recheckPairs(pool: Pool): Promise<Fired | null> {
  return transaction(pool, async (tx) => {
    const orgId = await lockDueOrganization(tx);
    if (!orgId) return null;
    const pairs = await takeDueRechecks(tx, orgId, stepPairs);
    const settings = (await findSettings(tx, orgId)) as SettingsVersion;
    return evaluatePairs(tx, orgId, pairs, { settings, now: new Date(), deliver: true });
  });
}
