import { expect } from 'vitest';
import type { Pool } from '../../src/store/db/connection.ts';
import type { TestOrganization } from '../harness.ts';

export type Subscription = { org_id: string; webhook_id: string };

export async function subscribe(org: TestOrganization, url: string): Promise<Subscription> {
  const made = await org.call('POST', '/v1/webhooks', { body: { url, events: ['signal.created'] } });
  expect(made.status, made.text).toBe(201);
  return { org_id: org.orgId, webhook_id: made.body.data.id };
}

/** Commits `count` events for each webhook, and `otherCount` for the others, in one transaction; returns their IDs. */
export async function queue(
  pool: Pool,
  count: number,
  subscriptions: Subscription[],
  otherCount = 0,
  others: Subscription[] = [],
): Promise<string[]> {
  const { rows } = await pool.query<{ event_id: string }>(
    `with wanted as (
       select org_id, webhook_id, gen_random_uuid()::text as id
       from json_to_recordset($1) as s (org_id text, webhook_id text, count int), generate_series(1, s.count)
     ), made as (
       insert into events (org_id, id, kind, data, deliverable, created_at)
       select org_id, id, 'signal.created', '{"id":"a sample"}', true, now() from wanted
       returning org_id, id
     )
     insert into deliveries (org_id, id, webhook_id, event_id, status, next_attempt_at, created_at)
     select org_id, id, webhook_id, id, 'pending', now(), now() from wanted join made using (org_id, id)
     returning event_id`,
    [
      JSON.stringify([
        ...subscriptions.map((one) => ({ ...one, count })),
        ...others.map((one) => ({ ...one, count: otherCount })),
      ]),
    ],
  );
  expect(rows).toHaveLength(count * subscriptions.length + otherCount * others.length);
  await pool.query(
    `insert into due_webhooks (org_id, webhook_id, due_at, next_at)
     select org_id, webhook_id, now(), now() - interval '1 minute' from json_to_recordset($1) as t (org_id text, webhook_id text)
     on conflict (org_id, webhook_id) do update
     set due_at = excluded.due_at, next_at = excluded.next_at`,
    [JSON.stringify([...subscriptions, ...others])],
  );
  return rows.map(({ event_id }) => event_id);
}
