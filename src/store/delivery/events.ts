import type { EventId, OrganizationId } from '../../contract/ids.ts';
import type { EventKind } from '../../vocabulary.ts';
import type { Position } from '../db/cursor.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { rowsOf, wrote } from '../db/statement.ts';
import { lastWritesOf, type Reader, type Tx, type Upkeep } from '../db/tx.ts';

export type NewEvent = { id: EventId; kind: EventKind; data: unknown };

/** Events get their numbers right before the commit. */
export async function insertEvents(
  tx: Tx,
  orgId: OrganizationId,
  events: NewEvent[],
  deliverable: boolean,
): Promise<void> {
  for (const { id } of events) lastWritesOf(tx, orgId).events.push(id);
  await tx.query({
    name: 'insert_events',
    writes: ['events'],
    text: `
      insert into events (org_id, id, kind, data, deliverable, created_at)
      select $1, id, kind, data, $3, now() from json_to_recordset($2) as r (id text, kind text, data json)`,
    values: [orgId, JSON.stringify(events), deliverable],
  });
}

export type EventRow = { id: EventId; kind: EventKind; data: unknown; created_at: Date; number: number };

/** The position before every event. */
export const beginning: Position = [];

/**
 * By number, starting after the newest event of the position that still has its number. Restoring an older backup may have
 * given the later numbers to other events. If none is left, because of age or a restore, it starts at the oldest event.
 */
export const listEvents = rowsOf<EventRow, [limit: number, after: Position]>({
  name: 'list_events',
  text: `
    with known as (
      select coalesce(max(c.number), 0) as number from unnest($3::bigint[], $4::text[]) as c (number, event_id)
      cross join lateral (
        select from event_numbers where org_id = $1 and number = c.number and event_id = c.event_id ${plannerFence}
      ) n
    )
    select n.number, e.* from (
      select number, event_id from event_numbers where org_id = $1 and number > (select number from known)
      order by number limit $2
    ) n
    cross join lateral (
      select id, kind, data, created_at from events where org_id = $1 and id = n.event_id ${plannerFence}
    ) e
    order by n.number`,
  values: (limit, after) => [
    limit,
    after.filter((_, index) => index % 2 === 0),
    after.filter((_, index) => index % 2 === 1),
  ],
});

/** Offsets of the earlier events in a position: if numbers were assigned again, few events are repeated. */
const fallbacks = [100, 10_000, 1_000_000];

/**
 * The position of a reader that has read up to this event: the numbers and IDs of it and of some earlier events, newest
 * first. One statement finds all of them, and none unless the event exists, so they belong to one history.
 */
export async function findPosition(
  db: Reader,
  orgId: OrganizationId,
  { number, id }: EventRow,
): Promise<Position> {
  const { rows } = await db.query<{ number: number; event_id: EventId }>({
    name: 'find_position',
    text: `
      select number, event_id from event_numbers
      where org_id = $1 and number = any($4::bigint[])
        and exists (select from event_numbers where org_id = $1 and number = $2 and event_id = $3)
      order by number desc`,
    values: [orgId, number, id, [number, ...fallbacks.map((distance) => number - distance)]],
  });
  // Lost to a failover since the page was read. The event will not be found again, so nothing is skipped.
  if (rows.length === 0) return [String(number), id];
  return rows.flatMap((row) => [String(row.number), row.event_id]);
}

/** One small step; returns whether there may be more. Deliveries are deleted with their event. */
export const deleteOldEvents = wrote<[], Upkeep>(
  {
    name: 'delete_old_events',
    writes: ['event_numbers', 'events', 'deliveries'],
    text: `
      with old as (
        select id from events where org_id = $1 and created_at < now() - interval '30 days' order by created_at limit 500
        for update skip locked
      ),
      numbers as (delete from event_numbers where org_id = $1 and event_id = any(array(select id from old)))
      delete from events where org_id = $1 and id = any(array(select id from old))`,
  },
  500,
);
