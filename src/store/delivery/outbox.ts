import type { DeliveryId, EventId, OrganizationId, WebhookId } from '../../contract/ids.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { rowsOf, run } from '../db/statement.ts';
import type { Reader, Upkeep, UpkeepTx } from '../db/tx.ts';

/** What a worker reads and writes of the deliveries of one organization. */

export type PendingDelivery = {
  id: DeliveryId;
  webhook_id: WebhookId;
  event_id: EventId | null;
  /** Attempts that have ended. */
  attempts: number;
  next_attempt_at: Date;
  /** The same to the microsecond: whoever changes the delivery changes it. */
  due_at: string;
  /** Seconds until it is due; not above zero if it is due. */
  due_in: number;
  url: string;
  secret: Buffer;
  /** Those that are still valid, oldest first. */
  previous_secrets: Buffer[];
  kind: string | null;
  data: unknown;
  created_at: Date;
  test_body: string | null;
};

/** How many deliveries of a leased webhook to read, from when on, without those in hand. */
export type Request = { webhookId: WebhookId; since: Date; limit: number; inHand: Iterable<DeliveryId> };

/**
 * The first pending deliveries of each of these webhooks, and one more to know what comes next. A webhook that is disabled
 * or deleted is missing from the result. Nothing is written: the lease keeps other workers away, and settling a delivery
 * checks that it is still what was read.
 */
export async function readDeliveries(
  db: Reader,
  orgId: OrganizationId,
  requests: Request[],
): Promise<Map<WebhookId, PendingDelivery[]>> {
  const { rows } = await db.query<PendingDelivery>({
    name: 'read_deliveries',
    text: `
      with asked as materialized (
        select t.*, h.url, h.secret, array(
            select p.secret from webhook_previous_secrets p
            where p.org_id = $1 and p.webhook_id = h.id and p.holds_until > now() order by p.number
          ) as previous_secrets
        from unnest($2::text[], $3::timestamptz[], $4::int[]) as t (webhook_id, since, most)
        join webhooks h on h.org_id = $1 and h.id = t.webhook_id and h.status = 'enabled'
      )
      select a.webhook_id, a.url, a.secret, a.previous_secrets, d.id, d.event_id, d.attempts, d.test_body, d.next_attempt_at,
        d.next_attempt_at::text as due_at, extract(epoch from d.next_attempt_at - now())::float8 as due_in,
        e.kind, e.data, coalesce(e.created_at, d.created_at) as created_at
      from asked a
      left join lateral (
        -- Ordered by the time alone, as the index is: thousands that one batch wrote can have the same time.
        select id, event_id, attempts, test_body, created_at, next_attempt_at from deliveries
        where org_id = $1 and webhook_id = a.webhook_id and status = 'pending' and next_attempt_at >= a.since
          and id <> all ($5::text[])
        order by next_attempt_at limit a.most + 1
      ) d on true
      left join lateral (
        select kind, data, created_at from events where org_id = $1 and id = d.event_id ${plannerFence}
      ) e on true`,
    values: [
      orgId,
      requests.map(({ webhookId }) => webhookId),
      requests.map(({ since }) => since),
      requests.map(({ limit }) => limit),
      requests.flatMap(({ inHand }) => [...inHand]),
    ],
  });
  const found = groupBy(rows, ({ webhook_id }) => webhook_id);
  return new Map([...found].map(([id, theirs]) => [id, theirs.filter((row) => row.id !== null)]));
}

export type Settlement = {
  id: DeliveryId;
  webhook_id: WebhookId;
  due_at: string;
  status: 'pending' | 'delivered' | 'failed';
  /** Seconds until the next attempt, where there is one. */
  retry_seconds: number | null;
  response_code: number | null;
  response_body: string | null;
  error: string | null;
  latency_ms: number;
  /** The receiver answered 410 Gone. */
  gone: boolean;
};

/** `next_attempt_at` is null if there is none. `is_failing`: until now, the webhook had only failures. */
export type Settled = { id: DeliveryId; next_attempt_at: Date | null; is_failing: boolean | null };

/**
 * Writes the results of attempts, each only if the delivery is still what was read: a worker that was suspended and comes
 * back changes nothing. Returns those that were written.
 */
export const settleDeliveries = rowsOf<Settled, [settlements: Settlement[]], Upkeep>({
  name: 'settle_deliveries',
  writes: ['deliveries'],
  text: `
    update deliveries d
    set status = r.status, attempts = d.attempts + 1,
      attempted_at = to_timestamp(extract(epoch from now())::float8 - r.latency_ms::float8 / 1000),
      next_attempt_at = to_timestamp(extract(epoch from now())::float8 + r.retry_seconds),
      response_code = r.response_code, response_body = r.response_body, error = r.error, latency_ms = r.latency_ms
    from json_to_recordset($2) as r (
      id text, due_at timestamptz, status text, retry_seconds float8, response_code smallint, response_body text,
      error text, latency_ms int)
    -- The list keeps a planner that takes the table for nearly empty from reading all of it.
    where d.org_id = $1 and d.id = any ($3::text[]) and d.id = r.id and d.next_attempt_at = r.due_at
    returning d.id, d.next_attempt_at, (
      select failing_since is not null from webhooks h where h.org_id = $1 and h.id = d.webhook_id
    ) as is_failing`,
  values: (settlements) => [JSON.stringify(settlements), settlements.map(({ id }) => id)],
});

/** A success ends a series of failures. */
export const noteSuccesses = run<[ids: WebhookId[]], UpkeepTx>({
  name: 'note_successes',
  writes: ['webhooks'],
  text: `
    update webhooks set failing_since = null where org_id = $1 and id = any($2) and failing_since is not null`,
});

/** A failure begins one, unless one has begun already. */
export const noteFailures = run<[ids: WebhookId[]], UpkeepTx>({
  name: 'note_failures',
  writes: ['webhooks'],
  text: `update webhooks set failing_since = now() where org_id = $1 and id = any($2) and failing_since is null`,
});

/** Disables those that are gone, and those that have had nothing but failures for five days; returns which. */
export const disableFailing = rowsOf<
  { webhook_id: WebhookId; disabled_reason: string },
  [ids: WebhookId[], gone: WebhookId[]],
  UpkeepTx
>({
  name: 'disable_failing',
  writes: ['webhooks'],
  text: `
    update webhooks
    set status = 'disabled', updated_at = now(),
      disabled_reason = case when id = any($3) then 'the receiver answered 410 Gone' else 'nothing but failures for five days' end
    where org_id = $1 and id = any($2) and status = 'enabled'
      and (id = any($3) or failing_since < now() - interval '5 days')
    returning id as webhook_id, disabled_reason`,
});
