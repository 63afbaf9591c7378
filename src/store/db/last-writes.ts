import { numberEvents } from '../delivery/event-numbers.ts';
import { insertDeliveries } from '../delivery/insert-deliveries.ts';
import { upsertTurns } from '../delivery/turns.ts';
import { countMoves } from '../signals/signal-counts.ts';
import type { Tx } from './tx.ts';

/**
 * Ends every transaction. The numbers of the events come last, with the version of what is shown: nothing waits for another
 * lock after them, so numbers are in the order of commits.
 */
export async function writeLast(tx: Tx): Promise<void> {
  const { orgId, moves, deliveries, turns, events, isChange } = tx.last;
  if (!orgId) return;
  if (deliveries.length > 0) await insertDeliveries(tx, orgId, deliveries);
  if (moves.length > 0) await countMoves(tx, orgId, moves);
  if (turns.size > 0) await upsertTurns(tx, orgId, turns);
  if (events.length > 0 || isChange) await numberEvents(tx, orgId, events);
}
