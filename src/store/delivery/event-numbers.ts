import { randomUUID } from 'node:crypto';
import type { EventId, OrganizationId } from '../../contract/ids.ts';
import type { Tx } from '../db/tx.ts';

/**
 * Numbers the events of a transaction, if any, without gaps, and sets a new version. The counter stays locked until the
 * commit, which follows immediately, so other transactions wait only that long.
 */
export async function numberEvents(tx: Tx, orgId: OrganizationId, ids: EventId[]): Promise<void> {
  const { rows } = await tx.query<{ last_number: number }>({
    name: 'take_event_numbers',
    writes: ['event_counters'],
    text: `
      insert into event_counters as c (org_id, last_number, version) values ($1, $2, $3)
      on conflict (org_id) do update set last_number = c.last_number + excluded.last_number, version = excluded.version
      returning last_number`,
    values: [orgId, ids.length, randomUUID()],
  });
  if (ids.length === 0) return;
  await tx.query({
    name: 'number_events',
    writes: ['event_numbers'],
    text: `
      insert into event_numbers (org_id, number, event_id)
      select $1, $2 + place, id from unnest($3::text[]) with ordinality as w (id, place)`,
    values: [orgId, (rows[0]?.last_number ?? 0) - ids.length, ids],
  });
}
