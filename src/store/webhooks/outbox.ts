import type { DeliveryId, EventId, OrganizationId, WebhookId } from '../../contract/ids.ts';
import type { WebhookLook, WebhookTurn } from '../turns.ts';
import { all, type Queryable, type Tx } from '../tx.ts';

/** The deliveries of one organization as a worker sees them, whose turn it is. */

/** How many deliveries of a webhook are under way, over all processes. */
const leased = `(
  select count(*) from deliveries l
  where l.org_id = $1 and l.webhook_id = t.webhook_id and l.lease is not null and l.next_attempt_at > now())`;

export type Claimed = {
  id: DeliveryId;
  webhook_id: WebhookId;
  event_id: EventId | null;
  attempts: number;
  lease: string;
  url: string;
  secret: Buffer;
  /** Those whose overlap lasts, oldest first. */
  previous_secrets: Buffer[];
  kind: string | null;
  data: unknown;
  created_at: Date;
  test_body: string | null;
};

/**
 * Those of the webhooks that are enabled and that no other worker is at, locked for this transaction so that only one
 * worker at a time counts and claims for each.
 */
export async function lockWebhooks(tx: Tx, orgId: OrganizationId, ids: WebhookId[]): Promise<Set<WebhookId>> {
  const { rows } = await tx.query<{ id: WebhookId }>({
    name: 'lock_webhooks',
    text: `
      select id from webhooks where org_id = $1 and id = any($2) and status = 'enabled'
      for no key update skip locked`,
    values: [orgId, ids],
  });
  return new Set(rows.map(({ id }) => id));
}

/**
 * Takes due deliveries of these webhooks, within their share and in turns between them, under a lease on the database's
 * clock. To be called in the transaction that locked the webhooks, in a statement after it: its snapshot then sees what
 * every other worker has claimed. It starts where the last look ended, not at entries that are long gone.
 */
export async function claimDeliveries(
  tx: Tx,
  orgId: OrganizationId,
  turns: WebhookTurn[],
  options: { lease: string; leaseSeconds: number; limit: number; perWebhook: number },
): Promise<Claimed[]> {
  return all<Claimed>(tx, {
    name: 'claim_deliveries',
    text: `
      with due as (
        select d.id, d.next_attempt_at, row_number() over (order by d.place, t.turn) as turn
        from unnest($2::text[], $3::timestamptz[]) with ordinality as t (webhook_id, since, turn)
        cross join lateral (select greatest($4 - ${leased}, 0) as places) free
        cross join lateral (
          select *, row_number() over (order by next_attempt_at) as place from (
            -- By the time alone, as in the index: what one cause wrote has one time, and may be thousands.
            select id, next_attempt_at from deliveries
            where org_id = $1 and webhook_id = t.webhook_id and status = 'pending'
              and next_attempt_at >= t.since and next_attempt_at <= now()
            order by next_attempt_at limit free.places
          ) first
        ) d
      ),
      claimed as (
        update deliveries d
        set lease = $5, next_attempt_at = now() + make_interval(secs => $6), attempts = d.attempts + 1, attempted_at = now()
        from (select * from due order by turn limit $7) c
        -- Unchanged since it was chosen: a worker that was late may be settling it at this moment.
        where d.org_id = $1 and d.id = c.id and d.next_attempt_at = c.next_attempt_at
        returning d.id, d.webhook_id, d.event_id, d.attempts, d.lease, d.test_body, d.created_at
      )
      select c.id, c.webhook_id, c.event_id, c.attempts, c.lease, c.test_body, h.url, h.secret,
        array(
          select p.secret from webhook_previous_secrets p
          where p.org_id = $1 and p.webhook_id = c.webhook_id and p.holds_until > now() order by p.number
        ) as previous_secrets,
        e.kind, e.data, coalesce(e.created_at, c.created_at) as created_at
      from claimed c
      join webhooks h on h.org_id = $1 and h.id = c.webhook_id
      left join events e on e.org_id = $1 and e.id = c.event_id`,
    values: [
      orgId,
      turns.map(({ webhook_id }) => webhook_id),
      turns.map(({ since }) => since),
      options.perWebhook,
      options.lease,
      options.leaseSeconds,
      options.limit,
    ],
  });
}

/** What is left after a claim. A webhook that is full is looked at when one of its deliveries has ended. */
export async function lookAtWebhooks(
  db: Queryable,
  orgId: OrganizationId,
  turns: WebhookTurn[],
  options: { leaseSeconds: number; perWebhook: number },
): Promise<WebhookLook[]> {
  return all<WebhookLook>(db, {
    name: 'look_at_webhooks',
    text: `
      select $1 as org_id, t.webhook_id, d.next_attempt_at as next_at,
        case when d.next_attempt_at <= now() then case when u.is_full then $5::float8 else 0 end end as again_in,
        coalesce(d.next_attempt_at <= now() and u.is_full, false) as is_full
      from unnest($2::text[], $3::timestamptz[]) as t (webhook_id, since)
      left join lateral (
        select next_attempt_at from deliveries
        where org_id = $1 and webhook_id = t.webhook_id and status = 'pending' and next_attempt_at >= t.since
        order by next_attempt_at limit 1
      ) d on true
      cross join lateral (select ${leased} >= $4 as is_full) u`,
    values: [
      orgId,
      turns.map(({ webhook_id }) => webhook_id),
      turns.map(({ since }) => since),
      options.perWebhook,
      options.leaseSeconds,
    ],
  });
}

export type Settlement = {
  id: DeliveryId;
  webhook_id: WebhookId;
  lease: string;
  status: 'pending' | 'delivered' | 'failed';
  /** Seconds until the next attempt, where there is one. */
  retry_seconds: number | null;
  response_code: number | null;
  response_body: string | null;
  error: string | null;
  latency_ms: number;
  /** The receiver said that it is gone for good. */
  gone: boolean;
};

/**
 * Writes what came of deliveries, each only while its lease is still the one that it was claimed under: a worker that
 * was stopped and comes back changes nothing. Answers those that were really settled, each with whether its webhook has
 * been failing until now.
 */
export async function settleDeliveries(
  db: Queryable,
  orgId: OrganizationId,
  settlements: Settlement[],
): Promise<Map<DeliveryId, boolean>> {
  const { rows } = await db.query<{ id: DeliveryId; is_failing: boolean | null }>({
    name: 'settle_deliveries',
    text: `
      update deliveries d
      set status = r.status, lease = null,
        next_attempt_at = to_timestamp(extract(epoch from now())::float8 + r.retry_seconds),
        response_code = r.response_code, response_body = r.response_body, error = r.error, latency_ms = r.latency_ms
      from json_to_recordset($2) as r (
        id text, lease text, status text, retry_seconds float8, response_code smallint, response_body text,
        error text, latency_ms int)
      where d.org_id = $1 and d.id = r.id and d.lease = r.lease
      returning d.id, (
        select failing_since is not null from webhooks h where h.org_id = $1 and h.id = d.webhook_id
      ) as is_failing`,
    values: [orgId, JSON.stringify(settlements)],
  });
  return new Map(rows.map(({ id, is_failing }) => [id, is_failing === true]));
}

/** A success ends a row of failures; a failure begins one, unless one has begun already. */
export async function noteOutcomes(
  tx: Tx,
  orgId: OrganizationId,
  ids: WebhookId[],
  succeeded: boolean,
): Promise<void> {
  await tx.query({
    name: succeeded ? 'note_successes' : 'note_failures',
    text: `
      update webhooks set failing_since = ${succeeded ? 'null' : 'now()'}
      where org_id = $1 and id = any($2) and failing_since is ${succeeded ? 'not null' : 'null'}`,
    values: [orgId, ids],
  });
}

/** Disables those that are gone, and those that have had nothing but failures for five days; answers which. */
export async function disableFailing(
  tx: Tx,
  orgId: OrganizationId,
  ids: WebhookId[],
  gone: WebhookId[],
): Promise<{ webhook_id: WebhookId; disabled_reason: string }[]> {
  return all<{ webhook_id: WebhookId; disabled_reason: string }>(tx, {
    name: 'disable_failing',
    text: `
      update webhooks
      set status = 'disabled', updated_at = now(),
        disabled_reason = case when id = any($3) then 'the receiver answered 410 Gone' else 'nothing but failures for five days' end
      where org_id = $1 and id = any($2) and status = 'enabled'
        and (id = any($3) or failing_since < now() - interval '5 days')
      returning id as webhook_id, disabled_reason`,
    values: [orgId, ids, gone],
  });
}
