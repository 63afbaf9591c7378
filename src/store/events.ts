import type { EventId, OrganizationId } from '../contract/ids.ts';
import type { Queryable, Tx } from './connection.ts';
import type { Position } from './cursor.ts';

export type NewEvent = { id: EventId; kind: string; data: unknown };

export async function insertEvents(
  tx: Tx,
  orgId: OrganizationId,
  events: NewEvent[],
  deliver: boolean,
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'insert_events',
    text: `
      insert into events (org_id, id, kind, data, deliver, created_at)
      select $1, id, kind, data, $3, $4 from json_to_recordset($2) as r (id text, kind text, data json)`,
    values: [orgId, JSON.stringify(events), deliver, now],
  });
}

export type EventRow = { id: EventId; kind: string; data: unknown; created_at: Date; transaction: string };

/**
 * Oldest first, by the transaction that wrote them, and only of transactions older than every one that still runs: what
 * commits later than it began can then never fall behind a reader's position. The order names the table's column: the
 * bare name would be the text of the list, in which 1000 comes before 999.
 */
export async function listEvents(
  db: Queryable,
  orgId: OrganizationId,
  limit: number,
  after: Position | null,
): Promise<EventRow[]> {
  const { rows } = await db.query<EventRow>({
    name: `list_events${after ? '_after' : ''}`,
    text: `
      select id, kind, data, created_at, transaction::text from events
      where org_id = $1 and transaction < pg_snapshot_xmin(pg_current_snapshot())
        ${after ? 'and (transaction, id) > ($3::text::xid8, $4)' : ''}
      order by events.transaction, id limit $2`,
    values: [orgId, limit, ...(after ?? [])],
  });
  return rows;
}

/** Whether a reader's position lies ahead of everything, as one does that another cluster gave before a restore. */
export async function isAheadOfFeed(db: Queryable, [transaction]: Position): Promise<boolean> {
  const { rows } = await db.query<{ ahead: boolean }>({
    name: 'is_ahead_of_feed',
    text: `select $1::text::xid8 >= pg_snapshot_xmax(pg_current_snapshot()) as ahead`,
    values: [transaction],
  });
  return rows[0]?.ahead ?? false;
}

/**
 * Events that were restored from another cluster carry its transaction numbers, which this one may reach in years: until
 * then nobody would see them. They become the oldest, in the order of their identifiers, which is that of time.
 */
export async function adoptRestoredEvents(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(`
    update events set transaction = '3'
    where (select transaction >= pg_snapshot_xmax(pg_current_snapshot()) from events order by created_at desc limit 1)
      and transaction >= pg_snapshot_xmax(pg_current_snapshot())`);
  return rowCount ?? 0;
}

/** One small step over all organizations; true where there may be more. Deliveries go with their event. */
export async function deleteOldEvents(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'delete_old_events',
    text: `
      delete from events where (org_id, id) in (
        select org_id, id from events where created_at < now() - interval '30 days' order by created_at limit 500
        for update skip locked)`,
  });
  return rowCount === 500;
}
