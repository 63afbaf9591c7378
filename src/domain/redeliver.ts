import { notFound } from '../contract/error.ts';
import { type DeliveryId, newId, type OrganizationId, type WebhookId } from '../contract/ids.ts';
import type { Delivery, Redeliver } from '../contract/webhook.ts';
import type { Tx, UpkeepTx } from '../store/db/tx.ts';
import { addDeliveries, requeueDeliveries, requeueDelivery } from '../store/delivery/deliveries.ts';
import {
  countSpanEvents,
  findSpanEvents,
  insertRedelivery,
  type Redelivery,
  takeRedelivery,
} from '../store/delivery/redeliveries.ts';
import { findWebhook } from '../store/delivery/webhooks.ts';
import { requireEnabled } from './webhooks.ts';

/**
 * Events per transaction. All of 500,000 in one transaction took half a minute and 700 MB of WAL, and blocked claims of all
 * workers meanwhile.
 */
const stepEvents = 2_000;

export async function redeliver(tx: Tx, orgId: OrganizationId, id: DeliveryId): Promise<Delivery> {
  const delivery = await requeueDelivery(tx, orgId, id);
  if (!delivery) throw notFound('delivery', id);
  await requireEnabled(tx, orgId, delivery.webhook_id);
  return delivery;
}

/** Returns how many deliveries are queued: the first step immediately, the rest in the background. */
export async function redeliverSpan(
  tx: Tx,
  orgId: OrganizationId,
  id: WebhookId,
  { since, until, only }: Redeliver,
): Promise<number> {
  await requireEnabled(tx, orgId, id);
  const span: Redelivery = {
    webhook_id: id,
    which: only,
    after_at: new Date(since),
    after_id: '',
    until: new Date(until),
  };
  // Counts before the step, because the step locks what it queues, and counting half a million takes a while.
  const count = await countSpanEvents(tx, orgId, span);
  await redeliverStep(tx, orgId, span);
  return count;
}

/** One step of a larger period; returns whether there may be more. A disabled webhook gets no further deliveries. */
export async function continueRedelivery(tx: UpkeepTx, orgId: OrganizationId): Promise<boolean> {
  const taken = await takeRedelivery(tx, orgId);
  if (!taken) return false;
  const webhook = await findWebhook(tx, orgId, taken.webhook_id);
  if (webhook?.status === 'enabled') await redeliverStep(tx, orgId, taken);
  return true;
}

async function redeliverStep(tx: UpkeepTx, orgId: OrganizationId, span: Redelivery): Promise<void> {
  const { webhook_id, which } = span;
  const events = await findSpanEvents(tx, orgId, span, stepEvents);
  const wanted = events.filter((event) => event.wanted);
  const known = wanted.flatMap(({ delivery_id }) => delivery_id ?? []);
  if (known.length > 0) await requeueDeliveries(tx, orgId, webhook_id, known, which !== 'all');
  const missed = wanted
    .filter(({ delivery_id }) => delivery_id === null)
    .map((event) => ({ id: newId('dlv'), webhook_id, event_id: event.id }));
  addDeliveries(tx, orgId, missed);
  const last = events.length === stepEvents ? events.at(-1) : undefined;
  if (last) await insertRedelivery(tx, orgId, { ...span, after_at: last.created_at, after_id: last.id });
}
