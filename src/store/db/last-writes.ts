import { upsertDueOrganization } from '../delivery/due-organizations.ts';
import { upsertDueWebhooks } from '../delivery/due-webhooks.ts';
import { numberEvents } from '../delivery/event-numbers.ts';
import { insertDeliveries } from '../delivery/insert-deliveries.ts';
import { countMoves } from '../signals/signal-counts.ts';
import type { Tx } from './tx.ts';

/**
 * The last writes of every transaction. Event numbers and the version come at the very end: nothing waits for another lock
 * after them, so the numbers are in commit order.
 */
export async function writeLast(tx: Tx): Promise<void> {
  const { orgId, moves, deliveries, dueWebhooks, workDueAt, events, isChange } = tx.last;
  if (deliveries.length > 0) await insertDeliveries(tx, orgId, deliveries);
  if (moves.length > 0) await countMoves(tx, orgId, moves);
  if (dueWebhooks.size > 0) await upsertDueWebhooks(tx, orgId, dueWebhooks);
  if (workDueAt !== null) await upsertDueOrganization(tx, orgId, workDueAt);
  if (events.length > 0 || isChange) await numberEvents(tx, orgId, events);
}
