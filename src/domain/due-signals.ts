import type { OrganizationId } from '../contract/ids.ts';
import type { SettingsVersion } from '../contract/settings.ts';
import type { FactsTx, Tx } from '../store/db/tx.ts';
import { findSettings } from '../store/keys/settings.ts';
import { takeDueRechecks } from '../store/signals/pairs.ts';
import { insertSignalChanges } from '../store/signals/signal-changes.ts';
import { expireDueSignals } from '../store/signals/signals.ts';
import { changeNotes } from './change-notes.ts';
import { evaluatePairs, type Fired } from './evaluate-pairs.ts';
import { emitSignalEvents } from './events.ts';

/** One step; returns whether it did anything. However many processes run it, a signal expires once. */
export async function expireStep(
  tx: Tx,
  orgId: OrganizationId,
  now: Date,
  deliver: boolean,
): Promise<boolean> {
  const ids = await expireDueSignals(tx, orgId, now);
  if (ids.length === 0) return false;
  const changes = ids.map((signal_id) => ({
    signal_id,
    from_state: 'new' as const,
    to_state: 'expired' as const,
    note: changeNotes.time,
  }));
  await insertSignalChanges(tx, orgId, changes, null, now);
  await emitSignalEvents(tx, orgId, 'signal.updated', ids, deliver);
  return true;
}

/**
 * One step of evaluating pairs again that are due; returns what fired, or null if nothing was due. It uses the database's
 * clock, which decided that they are due: by a process clock that is behind, they would be postponed and due again.
 */
export async function recheckStep(
  tx: FactsTx,
  orgId: OrganizationId,
  now: Date,
  deliver: boolean,
): Promise<Fired | null> {
  const pairs = await takeDueRechecks(tx, orgId, now);
  if (pairs.length === 0) return null;
  const settings = (await findSettings(tx, orgId)) as SettingsVersion;
  return evaluatePairs(tx, orgId, pairs, { settings, now, deliver });
}
