import type { SettingsVersion } from '../contract/settings.ts';
import { type Pool, transaction } from '../store/connection.ts';
import { lockDueOrganization, takeDueRechecks } from '../store/pairs.ts';
import { findSettings } from '../store/settings.ts';
import { insertSignalChanges } from '../store/signal-changes.ts';
import { expireDueSignals, findExpiry } from '../store/signals.ts';
import { changeNotes } from './change-notes.ts';
import { evaluatePairs, type Fired } from './evaluate-pairs.ts';
import { emitSignalEvents } from './events.ts';

const stepSignals = 500;
const stepPairs = 200;

/** One step of expiry, of one organization; true where there may be more. However many processes run it, a signal expires once. */
export async function expireSignals(pool: Pool): Promise<boolean> {
  return transaction(pool, async (tx) => {
    const due = await findExpiry(tx);
    if (!due) return false;
    const ids = await expireDueSignals(tx, due.org_id, stepSignals);
    const changes = ids.map((signal_id) => ({
      signal_id,
      from_state: 'new' as const,
      to_state: 'expired' as const,
      note: changeNotes.time,
    }));
    await insertSignalChanges(tx, due.org_id, changes, null, due.now);
    await emitSignalEvents(tx, due.org_id, 'signal.updated', ids, true);
    return true;
  });
}

/**
 * One step of the pairs whose time has come to be looked at again: what fired; null where there was nothing to look at.
 * By the database's clock, which said that it has come: by one that is behind they would be put off and be due again.
 */
export async function recheckPairs(pool: Pool): Promise<Fired | null> {
  return transaction(pool, async (tx) => {
    const due = await lockDueOrganization(tx);
    if (!due) return null;
    const { org_id, now } = due;
    const pairs = await takeDueRechecks(tx, org_id, stepPairs);
    const settings = (await findSettings(tx, org_id)) as SettingsVersion;
    return evaluatePairs(tx, org_id, pairs, { settings, now, deliver: true });
  });
}
