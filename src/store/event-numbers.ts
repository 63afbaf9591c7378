import type pg from 'pg';
import type { EventId, OrganizationId } from '../contract/ids.ts';
import { fence } from './fence.ts';

/** The events of a transaction, in their order: all of one organization. */
export type WrittenEvents = { orgId?: OrganizationId; ids: EventId[] };

/** As a `Tx`, whose module calls this one. */
type Transaction = Pick<pg.PoolClient, 'query'> & { events: WrittenEvents };

export function addEvents({ events }: Transaction, orgId: OrganizationId, ids: EventId[]): void {
  events.orgId ??= orgId;
  if (events.orgId !== orgId) throw new Error('A transaction writes events of one organization only.');
  for (const id of ids) events.ids.push(id);
}

/**
 * The last statement before the commit. It locks the organization's counter, and nothing waits for another lock after
 * that: numbers are therefore in the order of commits, without gaps, and nobody waits longer for the counter than a
 * commit takes. Which events there are is looked up before the lock, and leaves out those that a savepoint has undone.
 */
export async function numberEvents(tx: Transaction): Promise<void> {
  const { orgId, ids } = tx.events;
  if (ids.length === 0) return;
  await tx.query({
    name: 'number_events',
    text: `
      with mine as (
        select w.id, row_number() over (order by w.place) as place
        from unnest($2::text[]) with ordinality as w (id, place)
        cross join lateral (select from events where org_id = $1 and id = w.id ${fence}) e
      ),
      counter as (
        insert into event_counters as c (org_id, last_number) select $1, count(*) from mine having count(*) > 0
        on conflict (org_id) do update set last_number = c.last_number + excluded.last_number
        returning last_number - (select count(*) from mine) as before
      )
      insert into event_numbers (org_id, number, event_id)
      select $1, counter.before + mine.place, mine.id from counter cross join mine`,
    values: [orgId, ids],
  });
}
