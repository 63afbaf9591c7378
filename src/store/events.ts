import type { EventId, OrganizationId } from '../contract/ids.ts';
import type { Tx } from './connection.ts';

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
      select $1, id, kind, data, $3, $4 from jsonb_to_recordset($2) as r (id text, kind text, data jsonb)`,
    values: [orgId, JSON.stringify(events), deliver, now],
  });
}
