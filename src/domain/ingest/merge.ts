import type { AccountId, OrganizationId } from '../../contract/ids.ts';
import type { Tx } from '../../store/db/tx.ts';
import {
  endCollidingSignals,
  joinProspectives,
  moveActivities,
  moveOpportunities,
  moveSignals,
} from '../../store/facts/merges.ts';
import { moveDecisions } from '../../store/matching/match-decisions.ts';
import { insertSignalChanges } from '../../store/signals/signal-changes.ts';
import { updateShown } from '../../store/signals/signals.ts';
import { emitSignalEvents } from '../events.ts';

/** Moves everything known about one account to another. Where both have a value, the other keeps its own. */
export async function moveFacts(
  tx: Tx,
  orgId: OrganizationId,
  from: AccountId,
  into: AccountId,
  { now, deliver }: { now: Date; deliver: boolean },
): Promise<void> {
  const ended = await endCollidingSignals(tx, orgId, from, into, now);
  await moveSignals(tx, orgId, from, into, now);
  await joinProspectives(tx, orgId, from, into);
  await moveOpportunities(tx, orgId, from, into);
  await updateShown(tx, orgId, { accounts: [into] });
  await moveActivities(tx, orgId, from, into);
  await moveDecisions(tx, orgId, from, into, now);
  if (ended.length === 0) return;
  const changes = ended.map((signal) => ({ ...signal, to_state: 'expired' as const, note: null }));
  await insertSignalChanges(tx, orgId, changes, null, now);
  const ids = ended.map((signal) => signal.signal_id);
  await emitSignalEvents(tx, orgId, 'signal.updated', ids, deliver);
}
