import type { OrganizationId, WebhookId } from '../../contract/ids.ts';
import { run } from '../db/statement.ts';
import { all, lastWritesOf, type Reader, type Upkeep, type UpkeepTx } from '../db/tx.ts';

/**
 * The queue of the workers: one row for each webhook with pending deliveries. These statements span organizations, on a
 * table that stays on the coordinator of a Citus cluster; the deliveries are then read inside one organization.
 *
 * Only the worker that has the lease of a webhook sends to it. While the lease runs, `due_at` is its end. An earlier
 * `due_at` means that deliveries were added since.
 */

/** Longer than an attempt that begins up to four seconds after the lease did: see docs/understand/deliveries.md. */
export const leaseSeconds = 20;
/**
 * A row and its deliveries may commit on different nodes, in either order. A webhook without pending deliveries is
 * therefore read once more before its row is deleted.
 */
const secondReadSeconds = 2;
/**
 * A commit takes less than this. A read starts this long before the last one, so it skips the index entries of deliveries
 * that are long settled, and misses no delivery that committed late.
 */
const visibleSeconds = 10;

/** How many more deliveries of an organization a worker may take, and how many of each webhook it may have in flight. */
export type Share = { slots: number; perWebhook: number };
/** Of organizations with deliveries in this worker, and of each other organization. */
export type Shares = { holders: Map<OrganizationId, Share>; others: Share };

export type LeasedWebhook = {
  org_id: OrganizationId;
  webhook_id: WebhookId;
  /** To the microsecond: it identifies the lease. */
  leased_until: string;
  /** No pending delivery is due before this. */
  since: Date;
};

/** A lease, with the time of its webhook's first pending delivery: null if there is none. */
export type Pending = Omit<LeasedWebhook, 'since'> & { next_at: Date | null };

/**
 * Leases webhooks that are due, and renews leases of this worker that can take more (`ready`). Organizations take turns,
 * and so do the webhooks of each: the one served longest ago comes first.
 */
export async function leaseWebhooks(
  db: Upkeep,
  workerId: string,
  ready: Pending[],
  { holders, others }: Shares,
  limits: { organizations: number; webhooksOfEach: number },
): Promise<LeasedWebhook[]> {
  return all<LeasedWebhook>(db, {
    name: 'lease_webhooks',
    writes: ['due_webhooks'],
    text: `
      with ready as (
        select * from unnest($2::text[], $3::text[], $4::timestamptz[]) as r (org_id, webhook_id, next_at)
      ),
      due as (
        select org_id, webhook_id, served_at from due_webhooks
        where due_at <= now() and (leased_until <= now() or leased_by = $1)
        union
        select org_id, webhook_id, t.served_at from ready join due_webhooks t using (org_id, webhook_id)
        where t.leased_by = $1
      ),
      ranked as (
        select d.*, coalesce(s.slots, $7) as slots,
          row_number() over (partition by d.org_id order by d.served_at, d.webhook_id) as rank
        from due d left join unnest($5::text[], $6::int[]) as s (org_id, slots) using (org_id)
        where coalesce(s.slots, $7) > 0
      ),
      first as (select org_id from ranked group by org_id order by max(served_at) limit $8),
      chosen as (
        select org_id, webhook_id, t.served_at, coalesce(w.next_at, t.next_at) as next_at
        from first join ranked r using (org_id) join due_webhooks t using (org_id, webhook_id)
        left join ready w using (org_id, webhook_id)
        where r.rank <= least(r.slots, $9) and (t.leased_until <= now() or t.leased_by = $1)
        for update of t skip locked
      )
      update due_webhooks t
      set leased_by = $1, leased_until = now() + interval '${leaseSeconds} s',
        due_at = now() + interval '${leaseSeconds} s', next_at = c.next_at, served_at = now()
      from chosen c where t.org_id = c.org_id and t.webhook_id = c.webhook_id
      returning t.org_id, t.webhook_id, t.leased_until::text,
        greatest(least(c.next_at, c.served_at - interval '${visibleSeconds} s'), 'epoch') as since`,
    values: [
      workerId,
      ready.map(({ org_id }) => org_id),
      ready.map(({ webhook_id }) => webhook_id),
      ready.map(({ next_at }) => next_at),
      [...holders.keys()],
      [...holders.values()].map(({ slots }) => slots),
      others.slots,
      limits.organizations,
      limits.webhooksOfEach,
    ],
  });
}

/** Ends leases, unless they have expired and another worker has the webhook. */
export async function releaseWebhooks(db: Upkeep, leases: Pending[]): Promise<void> {
  await db.query({
    name: 'release_webhooks',
    writes: ['due_webhooks'],
    text: `
      with released as (
        select t.org_id, t.webhook_id, r.next_at, t.due_at < t.leased_until as has_new,
          t.due_at = t.leased_until and r.next_at is null and t.next_at = 'infinity' as is_over
        from jsonb_to_recordset($1) as r (org_id text, webhook_id text, leased_until timestamptz, next_at timestamptz)
        join due_webhooks t using (org_id, webhook_id)
        where t.leased_until = r.leased_until
        -- All statements lock these rows in this order.
        order by t.org_id, t.webhook_id for update of t
      ),
      deleted as (
        delete from due_webhooks t using released r
        where t.org_id = r.org_id and t.webhook_id = r.webhook_id and r.is_over
      )
      update due_webhooks t
      set leased_until = '-infinity',
        next_at = case when r.has_new then t.next_at else coalesce(r.next_at, 'infinity') end,
        due_at = case when r.has_new then t.due_at
          else coalesce(r.next_at, now() + interval '${secondReadSeconds} s') end
      from released r where t.org_id = r.org_id and t.webhook_id = r.webhook_id and not r.is_over`,
    values: [JSON.stringify(leases)],
  });
}

/** The webhook has deliveries to send; a worker is woken up after the commit. */
export function addDueWebhook(tx: UpkeepTx, orgId: OrganizationId, webhookId: WebhookId): void {
  lastWritesOf(tx, orgId).dueWebhooks.add(webhookId);
}

const makeDue = `
  on conflict (org_id, webhook_id) do update
  set due_at = least(t.due_at, excluded.due_at), next_at = least(t.next_at, excluded.next_at)`;

export const upsertDueWebhooks = run<[webhooks: Set<WebhookId>], UpkeepTx>({
  name: 'upsert_due_webhooks',
  writes: ['due_webhooks'],
  text: `
    insert into due_webhooks as t (org_id, webhook_id, due_at, next_at)
    select $1, id, now(), now() from unnest($2::text[]) as id order by id collate "C"
    ${makeDue}`,
  values: (webhooks) => [[...webhooks]],
});

/** For webhooks whose pending deliveries were found by the regular check: the death of a node may have lost their rows. */
export async function addMissingWebhooks(
  db: Upkeep,
  webhooks: { org_id: OrganizationId; webhook_id: WebhookId; next_at: Date }[],
): Promise<void> {
  await db.query({
    name: 'add_missing_webhooks',
    writes: ['due_webhooks'],
    text: `
      insert into due_webhooks as t (org_id, webhook_id, due_at, next_at)
      select org_id, webhook_id, next_at, next_at
      from jsonb_to_recordset($1) as m (org_id text, webhook_id text, next_at timestamptz)
      order by org_id collate "C", webhook_id collate "C"
      ${makeDue} where t.due_at > excluded.due_at + interval '1 s' and t.leased_until <= now()`,
    values: [JSON.stringify(webhooks)],
  });
}

/** The organizations with deliveries that are due, those that have waited longest first, each with its webhooks. */
export async function findDueWebhooks(
  db: Reader,
  limit: number,
): Promise<{ org_id: OrganizationId; webhook_ids: WebhookId[]; oldest_seconds: number }[]> {
  return all(db, {
    name: 'find_due_webhooks',
    text: `
      select org_id, array_agg(webhook_id) as webhook_ids,
        extract(epoch from greatest(now() - min(next_at), '0'))::float8 as oldest_seconds
      from due_webhooks where next_at <= now()
      group by org_id order by min(next_at) limit $1`,
    values: [limit],
  });
}
