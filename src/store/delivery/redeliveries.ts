import type { DeliveryId, EventId, OrganizationId, WebhookId } from '../../contract/ids.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { all, type UpkeepTx } from '../db/tx.ts';
import { addDueWork } from './due-organizations.ts';

/** The rest of a period of events to send to a webhook again. */
export type Redelivery = {
  webhook_id: WebhookId;
  which: 'failed' | 'missed' | 'all';
  /** Continues after this event, by time and ID. As text, it has the microseconds of the database. */
  after_at: Date | string;
  after_id: string;
  until: Date;
};

export type SpanEvent = {
  id: EventId;
  created_at: string;
  delivery_id: DeliveryId | null;
  /** Whether it is one of the requested events. */
  wanted: boolean;
};

/** The next events of the period, requested or not, so that a step is short even if few of many are requested. */
export async function findSpanEvents(
  tx: UpkeepTx,
  orgId: OrganizationId,
  span: Redelivery,
  limit: number,
): Promise<SpanEvent[]> {
  return all<SpanEvent>(tx, {
    text: `
      select e.id, e.created_at::text, d.id as delivery_id, coalesce(${wanted}, false) as wanted
      from (${spanEvents} order by created_at, id limit $7) e ${theirDeliveries}
      order by e.created_at, e.id`,
    values: [...spanValues(orgId, span), limit],
  });
}

export async function countSpanEvents(
  tx: UpkeepTx,
  orgId: OrganizationId,
  span: Redelivery,
): Promise<number> {
  const { rows } = await tx.query<{ count: number }>({
    text: `select count(*) from (${spanEvents}) e ${theirDeliveries} where ${wanted}`,
    values: spanValues(orgId, span),
  });
  return rows[0]?.count ?? 0;
}

const spanEvents = `
  select id, kind, deliverable, created_at from events
  where org_id = $1 and (created_at, id) > ($3, $4) and created_at < $5`;

/**
 * Looked up one by one, by event: steps are faster than statistics, and a planner that assumes a nearly empty table would
 * use an index of the webhook and read all its deliveries for each event. The webhook is inside an expression, so that no
 * index can begin with it.
 */
const theirDeliveries = `
  join webhooks w on w.org_id = $1 and w.id = $2
  left join lateral (
    select id, status from deliveries where org_id = $1 and event_id = e.id and webhook_id || '' = $2 ${plannerFence}
  ) d on true`;

/**
 * `failed` and `missed` both include deliveries that failed permanently: the receiver did not get those either. `missed` adds
 * what the webhook would have got if it had been enabled: events of a kind that it subscribed to by then, except those of a
 * backfill, which no webhook gets.
 */
const wanted = `
  case when d.id is not null then $6 = 'all' or d.status = 'failed'
  else $6 <> 'failed' and e.deliverable and e.kind = any(w.events)
    and e.created_at >= greatest(w.created_at, (w.subscribed_at ->> e.kind)::timestamptz) end`;

function spanValues(orgId: OrganizationId, span: Redelivery): unknown[] {
  return [orgId, span.webhook_id, span.after_at, span.after_id, span.until, span.which];
}

export async function insertRedelivery(tx: UpkeepTx, orgId: OrganizationId, span: Redelivery): Promise<void> {
  await tx.query({
    name: 'insert_redelivery',
    writes: ['redeliveries'],
    text: `
      insert into redeliveries (org_id, webhook_id, after_at, after_id, until, which) values ($1, $2, $3, $4, $5, $6)`,
    values: spanValues(orgId, span),
  });
  addDueWork(tx, orgId, 'now');
}

/**
 * Removes one from the queue. The rest of it goes to the end of the queue, so that redeliveries alternate. Two statements,
 * because Citus converts no time to text where rows are returned by a deletion.
 */
export async function takeRedelivery(tx: UpkeepTx, orgId: OrganizationId): Promise<Redelivery | undefined> {
  const { rows } = await tx.query<Redelivery & { id: string }>({
    name: 'lock_redelivery',
    text: `
      select id, webhook_id, which, after_at::text, after_id, until from redeliveries
      where org_id = $1 order by queued_at limit 1 for update skip locked`,
    values: [orgId],
  });
  if (rows[0])
    await tx.query({
      name: 'delete_redelivery',
      writes: ['redeliveries'],
      text: `delete from redeliveries where org_id = $1 and id = $2`,
      values: [orgId, rows[0].id],
    });
  return rows[0];
}
