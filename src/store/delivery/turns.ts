import type { OrganizationId, WebhookId } from '../../contract/ids.ts';
import { run } from '../db/statement.ts';
import { all, lastWritesOf, type Reader, type TurnOf, type Upkeep, type UpkeepTx } from '../db/tx.ts';

/**
 * Who has work that is due: one small row for each webhook with pending deliveries, and one for each organization for
 * everything else. These are the only statements of the background that span organizations, on the one table that stays
 * on the coordinator; the work itself is then done inside one organization.
 *
 * A turn is a hint. Its row and the work it stands for may commit on different machines, in either order, so whoever finds
 * nothing looks once more a moment later before the turn rests. The regular look at every organization finds what a
 * node's death has left without a turn.
 */

/** How long a turn belongs to whoever took it. A process that dies lets this run out; two at the same turn do no harm. */
const takenSeconds = 10;
/** Longer than an attempt of 15 seconds that begins within four: only one worker at a time sends to a webhook. */
export const heldSeconds = 20;
/** The second look. */
const againSeconds = 2;
/** The regular look at an organization with nothing to do. */
const regularSeconds = 300;
/** Work that is due later than this needs no turn of its own: a regular look comes before. */
const soonMs = (regularSeconds + 60) * 1_000;

/** Makes sure that somebody looks by then. */
export function addTurn(tx: UpkeepTx, orgId: OrganizationId, of: TurnOf, at: Date | null): void {
  if (at && at.getTime() > Date.now() + soonMs) return;
  const { turns } = lastWritesOf(tx, orgId);
  const known = turns.get(of);
  if (known === undefined || (known && (!at || at < known))) turns.set(of, at);
}

const upsert = `
  on conflict (org_id, webhook_id) do update
  set due_at = least(t.due_at, excluded.due_at), next_at = least(t.next_at, excluded.next_at), taken_by = null, empty_looks = 0`;

export const upsertTurns = run<[turns: Map<TurnOf, Date | null>], UpkeepTx>({
  name: 'upsert_turns',
  writes: ['turns'],
  text: `
    insert into turns as t (org_id, webhook_id, due_at, next_at)
    select $1, of, coalesce(at, now()), coalesce(at, now())
    from unnest($2::text[], $3::timestamptz[]) as g (of, at) order by of collate "C"
    ${upsert}`,
  values: (turns) => [[...turns.keys()], [...turns.values()]],
});

/** What `taken` stands for is no longer true if anybody has changed the turn since. */
export type Taken = { org_id: OrganizationId; empty_looks: number; now: Date };

/** The organizations that have waited longest for a look. */
export async function takeOrganizations(db: Upkeep, by: string, limit: number): Promise<Taken[]> {
  return all<Taken>(db, {
    name: 'take_organizations',
    writes: ['turns'],
    text: `
      update turns t set due_at = now() + interval '${takenSeconds} s', taken_by = $1
      from (
        select org_id from turns where webhook_id = '' and due_at <= now() order by due_at limit $2
        for update skip locked
      ) d
      where t.org_id = d.org_id and t.webhook_id = ''
      returning t.org_id, t.empty_looks, now()`,
    values: [by, limit],
  });
}

/** What the next look is for: more of the same now, or whatever is due next (null for nothing that is known of). */
export async function returnOrganization(
  db: Upkeep,
  by: string,
  { org_id, empty_looks }: Taken,
  next: { inSeconds: number } | { at: Date | null },
): Promise<void> {
  const looks = 'at' in next ? empty_looks + 1 : 0;
  const seconds = 'at' in next ? (empty_looks > 0 ? regularSeconds : againSeconds) : next.inSeconds;
  await db.query({
    name: 'return_organization',
    writes: ['turns'],
    text: `
      update turns set taken_by = null, empty_looks = $3,
        due_at = least(now() + make_interval(secs => $4), $5::timestamptz)
      where org_id = $1 and webhook_id = '' and taken_by = $2`,
    values: [org_id, by, Math.min(looks, 2), seconds, 'at' in next ? next.at : null],
  });
}

/** How many more deliveries of an organization may be claimed, and how many of each webhook may be under way. */
export type Share = { places: number; perWebhook: number };
/** Of those with something under way in this worker, and of each other organization. */
export type Shares = { holders: Map<OrganizationId, Share>; others: Share };

/** A webhook whose turn it is, with the share of its organization. */
export type WebhookTurn = {
  org_id: OrganizationId;
  webhook_id: WebhookId;
  /** Nothing that is pending is due before this. */
  since: string;
  /** No other worker may send to it before this. */
  held_until: string;
  places: number;
  per_webhook: number;
};

/**
 * Turns go round: between organizations first, then between the webhooks of each, by who was served longest ago. Whoever
 * takes the turn of a webhook holds the webhook beyond the end of the turn, for as long as what it sends may take.
 */
export async function takeWebhooks(
  db: Upkeep,
  by: string,
  { holders, others }: Shares,
  most: { organizations: number; webhooksOfEach: number },
): Promise<WebhookTurn[]> {
  const shares = [...holders.values()];
  return all<WebhookTurn>(db, {
    name: 'take_webhooks',
    writes: ['turns'],
    text: `
      with due as (
        select t.org_id, t.webhook_id, t.served_at, coalesce(s.places, $5) as places,
          coalesce(s.per_webhook, $6) as per_webhook,
          row_number() over (partition by t.org_id order by t.served_at, t.webhook_id) as turn
        from turns t
        left join unnest($2::text[], $3::int[], $4::int[]) as s (org_id, places, per_webhook) on s.org_id = t.org_id
        where t.webhook_id <> '' and t.due_at <= now() and coalesce(s.places, $5) > 0
          and (t.held_until <= now() or t.held_by = $1)
      ),
      first as (select org_id from due group by org_id order by max(served_at) limit $7),
      mine as (
        select t.org_id, t.webhook_id, least(t.next_at, t.served_at - interval '10 s')::text as since,
          d.places, d.per_webhook, d.turn
        from first f join due d on d.org_id = f.org_id and d.turn <= least(d.places, $8)
        join turns t on t.org_id = d.org_id and t.webhook_id = d.webhook_id and t.due_at <= now()
          and (t.held_until <= now() or t.held_by = $1)
        for update of t skip locked
      ),
      taken as (
        update turns t set due_at = now() + interval '${takenSeconds} s', taken_by = $1, served_at = now(),
          held_by = $1, held_until = now() + interval '${heldSeconds} s'
        from mine m where t.org_id = m.org_id and t.webhook_id = m.webhook_id
      )
      select org_id, webhook_id, since, (now() + interval '${heldSeconds} s')::text as held_until, places, per_webhook
      from mine order by turn`,
    values: [
      by,
      [...holders.keys()],
      shares.map(({ places }) => places),
      shares.map(({ perWebhook }) => perWebhook),
      others.places,
      others.perWebhook,
      most.organizations,
      most.webhooksOfEach,
    ],
  });
}

/** What a look at a webhook found. */
export type WebhookLook = {
  org_id: OrganizationId;
  webhook_id: WebhookId;
  /** When the first of what is pending is due, under way or not; null where nothing is. */
  next_at: Date | null;
  /** When to look again, in seconds, if anything is pending. */
  again_in: number | null;
  /** Something of it is under way. */
  is_held: boolean;
  /** It has as many under way as it may. */
  is_full: boolean;
};

/**
 * Gives turns back; one that was found empty twice goes. A turn that somebody is changing at this moment is left to them:
 * they make it due.
 */
export async function returnWebhooks(db: Upkeep, by: string, looks: WebhookLook[]): Promise<void> {
  await db.query({
    name: 'return_webhooks',
    writes: ['turns'],
    text: `
      with mine as (
        select t.org_id, t.webhook_id, l.next_at, l.again_in, l.is_held, l.is_full,
          l.next_at is null and l.again_in is null as is_empty, t.empty_looks
        from jsonb_to_recordset($2) as l (
          org_id text, webhook_id text, next_at timestamptz, again_in float8, is_held boolean, is_full boolean)
        join turns t on t.org_id = l.org_id and t.webhook_id = l.webhook_id and t.taken_by = $1
        for update of t skip locked
      ),
      gone as (
        delete from turns t using mine m
        where t.org_id = m.org_id and t.webhook_id = m.webhook_id and m.is_empty and m.empty_looks > 0
      )
      update turns t set taken_by = null, is_full = m.is_full, empty_looks = case when m.is_empty then 1 else 0 end,
        held_until = case when m.is_held then t.held_until else '-infinity' end,
        next_at = coalesce(m.next_at, case when m.is_empty then 'infinity' else t.next_at end),
        due_at = coalesce(
          now() + make_interval(secs => m.again_in), greatest(m.next_at, now()), now() + interval '${againSeconds} s')
      from mine m
      where t.org_id = m.org_id and t.webhook_id = m.webhook_id and not (m.is_empty and m.empty_looks > 0)`,
    values: [by, JSON.stringify(looks)],
  });
}

/** A webhook of which something has ended. */
export type Ended = {
  org_id: OrganizationId;
  webhook_id: WebhookId;
  /** Until the first of the attempts that are to be repeated. */
  retry_seconds: number | null;
  /** Something that is due was left behind, or may have been, and now there is room for it. */
  has_room: boolean;
  /** Where nothing is under way any more: the hold to give up, unless the turn has been taken again. */
  held_until: string | null;
};

/**
 * Those with room are looked at now, and others when the next attempt is due. Where this is lost, the turn comes with the
 * end of the hold.
 */
export async function hurryWebhooks(db: Upkeep, ended: Ended[]): Promise<void> {
  await db.query({
    name: 'hurry_webhooks',
    writes: ['turns'],
    text: `
      with ended as (
        select org_id, webhook_id, has_room, held_until, now() + make_interval(secs => retry_seconds) as at
        from jsonb_to_recordset($1) as e (
          org_id text, webhook_id text, retry_seconds float8, has_room boolean, held_until timestamptz)
      ),
      late as (
        select t.org_id, t.webhook_id, e.at, n.is_now, coalesce(e.held_until = t.held_until, false) as is_over
        from ended e join turns t on t.org_id = e.org_id and t.webhook_id = e.webhook_id
        cross join lateral (
          select e.has_room or t.taken_by is not null and e.at is not null as is_now
        ) n
        where n.is_now or t.due_at > e.at or e.held_until = t.held_until
        -- Waits for whoever is about to say that it is full, in the order in which all lock turns.
        order by t.org_id, t.webhook_id for update of t
      )
      update turns t set taken_by = null, is_full = t.is_full and not l.is_now,
        held_until = case when l.is_over then '-infinity' else t.held_until end,
        due_at = case
          when l.is_now then now()
          else least(t.due_at, l.at, case when l.is_over then now() + interval '${againSeconds} s' end) end
      from late l where t.org_id = l.org_id and t.webhook_id = l.webhook_id`,
    values: [JSON.stringify(ended)],
  });
}

/** For webhooks with pending deliveries that were found by a regular look: they may have lost their turns. */
export async function addMissingTurns(
  db: Upkeep,
  webhooks: { org_id: OrganizationId; webhook_id: WebhookId; next_at: Date }[],
): Promise<void> {
  await db.query({
    name: 'add_missing_turns',
    writes: ['turns'],
    text: `
      insert into turns as t (org_id, webhook_id, due_at, next_at)
      select org_id, webhook_id, next_at, next_at
      from jsonb_to_recordset($1) as l (org_id text, webhook_id text, next_at timestamptz)
      order by org_id collate "C", webhook_id collate "C"
      ${upsert} where t.due_at > excluded.due_at + interval '1 s' and not t.is_full and t.held_until <= now()`,
    values: [JSON.stringify(webhooks)],
  });
}

/** The organizations with something due, those that have waited longest first, each with its webhooks. */
export async function findDueWebhooks(
  db: Reader,
  limit: number,
): Promise<{ org_id: OrganizationId; webhook_ids: WebhookId[]; oldest_seconds: number }[]> {
  return all(db, {
    name: 'find_due_webhooks',
    text: `
      select org_id, array_agg(webhook_id) as webhook_ids,
        extract(epoch from greatest(now() - min(next_at), '0'))::float8 as oldest_seconds
      from turns where webhook_id <> '' and next_at <= now()
      group by org_id order by min(next_at) limit $1`,
    values: [limit],
  });
}
