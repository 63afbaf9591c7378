import type { DeliveryId, OrganizationId, WebhookId } from '../../contract/ids.ts';
import { type Delivery, DeliverySchema } from '../../contract/webhook.ts';
import { fieldsOf } from '../db/columns.ts';
import { pageOf, wrote } from '../db/statement.ts';
import { lastWritesOf, type NewDelivery, type Upkeep, type UpkeepTx } from '../db/tx.ts';
import { addDueWork } from './due-organizations.ts';
import { addDueWebhook } from './due-webhooks.ts';

const columns = fieldsOf(DeliverySchema);
const stepRows = 500;

/** Collected with the event and written right before the commit of its cause. */
export function addDeliveries(tx: UpkeepTx, orgId: OrganizationId, deliveries: NewDelivery[]): void {
  for (const delivery of deliveries) {
    lastWritesOf(tx, orgId).deliveries.push(delivery);
    addDueWebhook(tx, orgId, delivery.webhook_id);
  }
}

export async function insertTestDelivery(
  tx: UpkeepTx,
  orgId: OrganizationId,
  id: DeliveryId,
  webhookId: WebhookId,
  body: string,
): Promise<Delivery> {
  const { rows } = await tx.query<Delivery>({
    name: 'insert_test_delivery',
    writes: ['deliveries'],
    text: `
      insert into deliveries (org_id, id, webhook_id, test_body, status, next_attempt_at, created_at)
      values ($1, $2, $3, $4, 'pending', now(), now())
      returning ${columns}`,
    values: [orgId, id, webhookId, body],
  });
  addDueWebhook(tx, orgId, webhookId);
  return rows[0] as Delivery;
}

/** Newest first. */
export const listDeliveries = pageOf<Delivery, [webhookId: WebhookId]>({
  name: 'list_deliveries',
  text: (after) => `
    select ${columns} from deliveries where org_id = $1 and webhook_id = $2 ${after} order by id desc limit $3`,
  after: 'and id < $4',
});

/** Starts over with the first attempt. A worker that is sending it at this moment can no longer settle it. */
export async function requeueDelivery(
  tx: UpkeepTx,
  orgId: OrganizationId,
  id: DeliveryId,
): Promise<Delivery | undefined> {
  const { rows } = await tx.query<Delivery>({
    name: 'requeue_delivery',
    writes: ['deliveries'],
    text: `
      update deliveries set status = 'pending', attempts = 0, next_attempt_at = now()
      where org_id = $1 and id = $2
      returning ${columns}`,
    values: [orgId, id],
  });
  if (rows[0]) addDueWebhook(tx, orgId, rows[0].webhook_id);
  return rows[0];
}

/** Only those that are still in the requested state: given up, or any. */
export async function requeueDeliveries(
  tx: UpkeepTx,
  orgId: OrganizationId,
  webhookId: WebhookId,
  ids: DeliveryId[],
  onlyFailed: boolean,
): Promise<void> {
  await tx.query({
    name: 'requeue_deliveries',
    writes: ['deliveries'],
    text: `
      update deliveries set status = 'pending', attempts = 0, next_attempt_at = now()
      where org_id = $1 and id = any($2) and (not $3 or status = 'failed')`,
    values: [orgId, ids, onlyFailed],
  });
  addDueWebhook(tx, orgId, webhookId);
}

/**
 * Gives up what a disabled webhook had not received; it can be redelivered. Only the beginning of a long backlog is done
 * here and the rest in the background, because settling a delivery of this webhook waits for this transaction.
 */
export async function giveUpPending(
  tx: UpkeepTx,
  orgId: OrganizationId,
  webhookId: WebhookId,
  error: string,
): Promise<void> {
  await tx.query({
    name: 'give_up_pending',
    writes: ['deliveries'],
    text: `
      update deliveries set status = 'failed', next_attempt_at = null, error = $3
      where org_id = $1 and status = 'pending' and id in (
        select id from deliveries where org_id = $1 and webhook_id = $2 and status = 'pending' limit 1000)`,
    values: [orgId, webhookId, error],
  });
  addDueWork(tx, orgId, 'now');
}

/**
 * One small step; returns whether there may be more. A transaction that commits while a webhook is being disabled still
 * writes deliveries for it, because neither sees the other. They are given up here, so that they are not sent when the
 * webhook is enabled again.
 */
export const giveUpOfDisabled = wrote<[], Upkeep>(
  {
    name: 'give_up_of_disabled',
    writes: ['deliveries'],
    text: `
      update deliveries d set status = 'failed', next_attempt_at = null, error = 'the webhook was disabled'
      where d.org_id = $1 and d.id in (
        select p.id from webhooks w cross join lateral (
          select id from deliveries where org_id = $1 and webhook_id = w.id and status = 'pending'
          limit ${stepRows} for update skip locked
        ) p
        where w.org_id = $1 and w.status = 'disabled' limit ${stepRows})`,
  },
  stepRows,
);

/** One small step; returns whether there may be more. A test delivery has no event to be deleted with. */
export const deleteOldDeliveries = wrote<[], Upkeep>(
  {
    name: 'delete_old_deliveries',
    writes: ['deliveries'],
    text: `
      delete from deliveries where org_id = $1 and id in (
        select id from deliveries where org_id = $1 and created_at < now() - interval '30 days'
        order by created_at limit ${stepRows} for update skip locked)`,
  },
  stepRows,
);
