import type { DeliveryId, EventId, OrganizationId, WebhookId } from '../../contract/ids.ts';
import type { Queryable, Tx } from '../connection.ts';

/**
 * The queue of deliveries as the workers see it. It spans organizations, since a worker works for all of them; every row
 * is named together with its organization.
 */
export type WebhookRef = { org_id: OrganizationId; webhook_id: WebhookId };

/** Each webhook with something pending, and its first: one look at the index for each, however long its queue. */
export const waiting = `waiting as (
  (select org_id, webhook_id, next_attempt_at from deliveries where status = 'pending'
  order by org_id, webhook_id, next_attempt_at limit 1)
  union all
  select n.org_id, n.webhook_id, n.next_attempt_at from waiting w cross join lateral (
    select org_id, webhook_id, next_attempt_at from deliveries
    where status = 'pending' and (org_id, webhook_id) > (w.org_id, w.webhook_id)
    order by org_id, webhook_id, next_attempt_at limit 1
  ) n
)`;

/** How many more deliveries of an organization may be claimed, and how many of each webhook may be under way. */
export type Share = { places: number; perWebhook: number };
/** Of those with something under way in this worker, and of each other organization. */
export type Shares = { holders: Map<OrganizationId, Share>; others: Share };

/** A webhook whose turn it is, with the share of its organization. */
type Due = WebhookRef & { places: number; per_webhook: number };

/**
 * The webhooks with something due that have places left, locked for this transaction so that only one worker at a time
 * counts and claims for each. The distinct webhooks are found by hopping through the index from the first delivery of one
 * to the first of the next, so that the length of a backlog does not matter. Turns go round: between organizations first,
 * then by who was served longest ago.
 */
export async function lockDueWebhooks(tx: Tx, { holders, others }: Shares, limit: number): Promise<Due[]> {
  const shares = [...holders.values()];
  const { rows } = await tx.query<Due>({
    name: 'lock_due_webhooks',
    text: `
      with recursive ${waiting},
      due as (
        select h.org_id, h.id, h.claimed_at, coalesce(s.places, $4) as places, coalesce(s.per_webhook, $5) as per_webhook
        from waiting w join webhooks h on h.org_id = w.org_id and h.id = w.webhook_id and h.status = 'enabled'
        left join unnest($1::text[], $2::int[], $3::int[]) as s (org_id, places, per_webhook) on s.org_id = w.org_id
        where w.next_attempt_at <= now() and coalesce(s.places, $4) > 0
      ),
      turns as (
        select *, row_number() over (partition by org_id order by claimed_at, id) as turn from due
        where ${leasedOf('due.org_id', 'due.id')} < per_webhook
      ),
      first as (select * from turns where turn <= places order by turn, claimed_at limit $6)
      select h.org_id, h.id as webhook_id, t.places, t.per_webhook
      from first t join webhooks h on h.org_id = t.org_id and h.id = t.id
      order by t.turn, t.claimed_at
      for no key update of h skip locked`,
    values: [
      [...holders.keys()],
      shares.map(({ places }) => places),
      shares.map(({ perWebhook }) => perWebhook),
      others.places,
      others.perWebhook,
      limit,
    ],
  });
  return rows;
}

/** How many deliveries of a webhook are under way, over all processes. */
function leasedOf(orgId: string, webhookId: string): string {
  return `(
    select count(*) from deliveries l
    where l.org_id = ${orgId} and l.webhook_id = ${webhookId} and l.lease is not null and l.next_attempt_at > now())`;
}

export type Claimed = {
  org_id: OrganizationId;
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
 * Takes due deliveries of these webhooks, within their shares and in turns between their organizations, under a lease on
 * the database's clock. To be called in the transaction that locked the webhooks, in a statement after it: its snapshot
 * then sees what every other worker has claimed.
 */
export async function claimDeliveries(
  tx: Tx,
  webhooks: Due[],
  options: { lease: string; leaseSeconds: number; limit: number },
): Promise<Claimed[]> {
  const { rows } = await tx.query<Claimed>({
    name: 'claim_deliveries',
    text: `
      with due as (
        select d.org_id, d.id, d.webhook_id, d.next_attempt_at, t.places,
          row_number() over (partition by t.org_id order by d.place, t.turn) as turn
        from unnest($1::text[], $2::text[], $3::int[], $4::int[]) with ordinality
          as t (org_id, webhook_id, places, per_webhook, turn)
        cross join lateral (
          select greatest(t.per_webhook - ${leasedOf('t.org_id', 't.webhook_id')}, 0) as places
        ) free
        cross join lateral (
          select *, row_number() over (order by next_attempt_at) as place from (
            -- By the time alone, as in the index: what one cause wrote has one time, and may be thousands.
            select org_id, id, webhook_id, next_attempt_at from deliveries
            where org_id = t.org_id and webhook_id = t.webhook_id and status = 'pending' and next_attempt_at <= now()
            order by next_attempt_at limit free.places
          ) first
        ) d
      ),
      chosen as (select * from due where turn <= places order by turn limit $7),
      served as (
        update webhooks h set claimed_at = now()
        from (select distinct org_id, webhook_id from chosen) c
        where h.org_id = c.org_id and h.id = c.webhook_id
      ),
      claimed as (
        update deliveries d
        set lease = $5, next_attempt_at = now() + make_interval(secs => $6), attempts = d.attempts + 1, attempted_at = now()
        from chosen c
        -- Unchanged since it was chosen: a worker that was late may be settling it at this moment.
        where d.org_id = c.org_id and d.id = c.id and d.next_attempt_at = c.next_attempt_at
        returning d.org_id, d.id, d.webhook_id, d.event_id, d.attempts, d.lease, d.test_body, d.created_at
      )
      select c.org_id, c.id, c.webhook_id, c.event_id, c.attempts, c.lease, c.test_body, h.url, h.secret,
        array(
          select p.secret from webhook_previous_secrets p
          where p.org_id = c.org_id and p.webhook_id = c.webhook_id and p.holds_until > now() order by p.number
        ) as previous_secrets,
        e.kind, e.data, coalesce(e.created_at, c.created_at) as created_at
      from claimed c
      join webhooks h on h.org_id = c.org_id and h.id = c.webhook_id
      left join events e on e.org_id = c.org_id and e.id = c.event_id`,
    values: [
      webhooks.map((webhook) => webhook.org_id),
      webhooks.map((webhook) => webhook.webhook_id),
      webhooks.map((webhook) => webhook.places),
      webhooks.map((webhook) => webhook.per_webhook),
      options.lease,
      options.leaseSeconds,
      options.limit,
    ],
  });
  return rows;
}

export type Settlement = {
  org_id: OrganizationId;
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
 * was stopped and comes back changes nothing. Answers those that were really settled.
 */
export async function settleDeliveries(
  tx: Tx,
  settlements: Settlement[],
): Promise<Pick<Settlement, 'org_id' | 'id'>[]> {
  const { rows } = await tx.query<Pick<Settlement, 'org_id' | 'id'>>({
    name: 'settle_deliveries',
    text: `
      update deliveries d
      set status = r.status, lease = null,
        next_attempt_at = case when r.status = 'pending' then now() + make_interval(secs => r.retry_seconds) end,
        response_code = r.response_code, response_body = r.response_body, error = r.error, latency_ms = r.latency_ms
      from json_to_recordset($1) as r (
        org_id text, id text, lease text, status text, retry_seconds float8, response_code smallint, response_body text,
        error text, latency_ms int)
      where d.org_id = r.org_id and d.id = r.id and d.lease = r.lease
      returning d.org_id, d.id`,
    values: [JSON.stringify(settlements)],
  });
  return rows;
}

/** A success ends a row of failures; a failure begins one, unless one has begun already. */
export async function noteOutcomes(tx: Tx, turns: WebhookRef[], succeeded: boolean): Promise<void> {
  await tx.query({
    name: succeeded ? 'note_successes' : 'note_failures',
    text: `
      update webhooks h set failing_since = ${succeeded ? 'null' : 'coalesce(h.failing_since, now())'}
      from (select distinct * from unnest($1::text[], $2::text[])) as t (org_id, id)
      where h.org_id = t.org_id and h.id = t.id and h.failing_since is ${succeeded ? 'not null' : 'null'}`,
    values: [turns.map((turn) => turn.org_id), turns.map((turn) => turn.webhook_id)],
  });
}

/** Disables those that are gone, and those that have had nothing but failures for five days; answers which. */
export async function disableFailing(
  tx: Tx,
  turns: WebhookRef[],
  gone: WebhookRef[],
): Promise<(WebhookRef & { disabled_reason: string })[]> {
  const { rows } = await tx.query<WebhookRef & { disabled_reason: string }>({
    name: 'disable_failing',
    text: `
      update webhooks h
      set status = 'disabled', updated_at = now(),
        disabled_reason = case when g.id is not null then 'the receiver answered 410 Gone' else 'nothing but failures for five days' end
      from (select distinct * from unnest($1::text[], $2::text[])) as t (org_id, id)
      left join (select distinct * from unnest($3::text[], $4::text[])) as g (org_id, id) on g.org_id = t.org_id and g.id = t.id
      where h.org_id = t.org_id and h.id = t.id and h.status = 'enabled'
        and (g.id is not null or h.failing_since < now() - interval '5 days')
      returning h.org_id, h.id as webhook_id, h.disabled_reason`,
    values: [
      turns.map((turn) => turn.org_id),
      turns.map((turn) => turn.webhook_id),
      gone.map((turn) => turn.org_id),
      gone.map((turn) => turn.webhook_id),
    ],
  });
  return rows;
}

/** One small step; true where there may be more. A test has no event to go with. */
export async function deleteOldDeliveries(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'delete_old_deliveries',
    text: `
      delete from deliveries where (org_id, id) in (
        select org_id, id from deliveries where created_at < now() - interval '30 days' order by created_at limit 500
        for update skip locked)`,
  });
  return rowCount === 500;
}
