import type { DeliveryId, EventId, OrganizationId, WebhookId } from '../contract/ids.ts';
import type { Delivery } from '../contract/webhook.ts';
import type { Queryable, Tx } from './connection.ts';
import type { Position } from './cursor.ts';

const columns = `id, webhook_id, event_id, status, attempts, next_attempt_at, response_code, response_body, error, latency_ms, created_at, attempted_at`;

export type NewDelivery = { id: DeliveryId; webhook_id: WebhookId; event_id: EventId };

export async function insertDeliveries(
  tx: Tx,
  orgId: OrganizationId,
  deliveries: NewDelivery[],
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'insert_deliveries',
    text: `
      insert into deliveries (org_id, id, webhook_id, event_id, status, next_attempt_at, created_at)
      select $1, id, webhook_id, event_id, 'pending', $3, $3
      from json_to_recordset($2) as r (id text, webhook_id text, event_id text)
      on conflict (org_id, event_id, webhook_id) where event_id is not null do nothing`,
    values: [orgId, JSON.stringify(deliveries), now],
  });
}

export async function insertTestDelivery(
  tx: Tx,
  orgId: OrganizationId,
  id: DeliveryId,
  webhookId: WebhookId,
  body: string,
  now: Date,
): Promise<Delivery> {
  const { rows } = await tx.query<Delivery>({
    name: 'insert_test_delivery',
    text: `
      insert into deliveries (org_id, id, webhook_id, test_body, status, next_attempt_at, created_at)
      values ($1, $2, $3, $4, 'pending', $5, $5)
      returning ${columns}`,
    values: [orgId, id, webhookId, body, now],
  });
  return rows[0] as Delivery;
}

export async function listDeliveries(
  db: Queryable,
  orgId: OrganizationId,
  webhookId: WebhookId,
  limit: number,
  after: Position | null,
): Promise<Delivery[]> {
  const { rows } = await db.query<Delivery>({
    name: `list_deliveries${after ? '_after' : ''}`,
    text: `
      select ${columns} from deliveries where org_id = $1 and webhook_id = $2 ${after ? 'and id < $4' : ''}
      order by id desc limit $3`,
    values: [orgId, webhookId, limit, ...(after ?? [])],
  });
  return rows;
}

/** Starts anew from its first attempt; one that a worker holds at this moment is fenced off by the lease that it loses. */
export async function requeueDelivery(
  tx: Tx,
  orgId: OrganizationId,
  id: DeliveryId,
  now: Date,
): Promise<Delivery | undefined> {
  const { rows } = await tx.query<Delivery>({
    name: 'requeue_delivery',
    text: `
      update deliveries set status = 'pending', attempts = 0, next_attempt_at = $3, lease = null
      where org_id = $1 and id = $2
      returning ${columns}`,
    values: [orgId, id, now],
  });
  return rows[0];
}

/** Of a span of time: those given up, or all. */
export async function requeueDeliveries(
  tx: Tx,
  orgId: OrganizationId,
  webhookId: WebhookId,
  span: { since: Date; until: Date; onlyFailed: boolean },
  now: Date,
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'requeue_deliveries',
    text: `
      update deliveries d set status = 'pending', attempts = 0, next_attempt_at = $6, lease = null
      from events e
      where d.org_id = $1 and d.webhook_id = $2 and e.org_id = $1 and e.id = d.event_id
        and e.created_at >= $3 and e.created_at < $4 and (not $5 or d.status = 'failed')`,
    values: [orgId, webhookId, span.since, span.until, span.onlyFailed, now],
  });
  return rowCount ?? 0;
}

/**
 * Events that a webhook subscribes to and has no delivery of, because it was disabled or did not exist yet; never those
 * that are for nobody.
 */
export async function findMissedEvents(
  tx: Tx,
  orgId: OrganizationId,
  webhookId: WebhookId,
  span: { since: Date; until: Date },
): Promise<EventId[]> {
  const { rows } = await tx.query<{ id: EventId }>({
    name: 'find_missed_events',
    text: `
      select e.id from webhooks w join events e on e.org_id = $1 and e.kind = any(w.events)
      where w.org_id = $1 and w.id = $2 and e.created_at >= $3 and e.created_at < $4 and e.deliver
        and not exists (select 1 from deliveries d where d.org_id = $1 and d.event_id = e.id and d.webhook_id = $2)
      order by e.transaction, e.id`,
    values: [orgId, webhookId, span.since, span.until],
  });
  return rows.map((row) => row.id);
}

/** What a disabled webhook had still to get is given up, visibly; it can be redelivered. */
export async function giveUpPending(
  tx: Tx,
  orgId: OrganizationId,
  webhookId: WebhookId,
  error: string,
): Promise<void> {
  await tx.query({
    name: 'give_up_pending',
    text: `
      update deliveries set status = 'failed', next_attempt_at = null, lease = null, error = $3
      where org_id = $1 and webhook_id = $2 and status = 'pending'`,
    values: [orgId, webhookId, error],
  });
}
