import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { continueRedelivery } from '../../src/domain/redeliver.ts';
import { moveBack } from '../due-work.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

/** No background jobs run here, only the steps that a test takes itself. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api', WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterAll(() => service.close());

/** A webhook that was disabled during 5,000 events, of which many have the same time, or times a microsecond apart. */
let org: TestOrganization;
let id: string;
beforeEach(async () => {
  org = await service.organization();
  const made = await org.call('POST', '/v1/webhooks', {
    body: { url: 'https://localhost/', events: ['signal.created'] },
  });
  id = made.body.data.id;
  await service.pool.query(
    `insert into events (org_id, id, kind, data, deliverable, created_at)
     select $1, $1 || '-' || n, 'signal.created', '{}', true, now() + n % 3 * interval '1 microsecond'
     from generate_series(1, 5000) n`,
    [org.orgId],
  );
});

const orgId = () => org.orgId as OrganizationId;
const step = () => service.db.upkeep(orgId(), (tx) => continueRedelivery(tx, orgId()));
const everything = { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' };
const redeliver = async (only: string) =>
  (await org.call('POST', `/v1/webhooks/${id}/redeliver`, { body: { ...everything, only } })).body.data;
const set = (status: string) => org.call('PATCH', `/v1/webhooks/${id}`, { body: { status } });

async function queued(): Promise<{ deliveries: number; events: number; pending: number }> {
  const { rows } = await service.pool.query(
    `select count(*) as deliveries, count(distinct event_id) as events, count(*) filter (where status = 'pending') as pending
     from deliveries where webhook_id = $1`,
    [id],
  );
  return rows[0];
}
const all = (count: number) => ({ deliveries: count, events: count, pending: count });

test('a long span is answered with all that it queues, and queues each once, 2,000 a transaction', async () => {
  expect(await redeliver('missed')).toEqual({ queued: 5_000 });
  expect(await queued()).toEqual(all(2_000));
  expect(await step()).toBe(true);
  expect(await queued()).toEqual(all(4_000));
  expect(await step()).toBe(true);
  expect(await queued()).toEqual(all(5_000));
  expect(await step()).toBe(false);
  expect(await redeliver('missed')).toEqual({ queued: 0 });
  expect(await redeliver('failed')).toEqual({ queued: 0 });
  while (await step());
});

test('a few that failed among many are found, and only those', async () => {
  await redeliver('missed');
  while (await step());
  await service.pool.query(
    `update deliveries set next_attempt_at = null,
       status = case when event_id like '%77' then 'failed' else 'delivered' end
     where webhook_id = $1`,
    [id],
  );
  expect(await redeliver('failed')).toEqual({ queued: 50 });
  while (await step());
  expect(await queued()).toEqual({ deliveries: 5_000, events: 5_000, pending: 50 });
});

test('two long redeliveries alternate', async () => {
  const made = await org.call('POST', '/v1/webhooks', {
    body: { url: 'https://localhost/', events: ['signal.created'] },
  });
  const both = [id, made.body.data.id];
  await moveBack(service.pool, { table: 'webhooks', columns: ['created_at'], by: '1 hour', where: 'true' });
  for (id of both) expect(await redeliver('missed')).toEqual({ queued: 5_000 });
  for (let count = 0; count < 2; count++) await step();
  for (id of both) expect(await queued()).toEqual(all(4_000));
  while (await step());
});

test('a span ends with its webhook: what is left when it is disabled stays missed', async () => {
  expect(await redeliver('missed')).toEqual({ queued: 5_000 });
  await set('disabled');
  expect(await step()).toBe(true);
  expect(await step()).toBe(false);
  expect(await queued()).toMatchObject({ deliveries: 2_000 });
  await set('enabled');
  // Deliveries that were queued when it was disabled have failed for good, and count as missed too.
  const failed = await service.pool.query(
    `select count(*) from deliveries where org_id = $1 and webhook_id = $2 and status = 'failed'`,
    [org.orgId, id],
  );
  expect(failed.rows[0].count).toBeGreaterThan(0);
  expect(await redeliver('missed')).toEqual({ queued: 3_000 + failed.rows[0].count });
  await org.call('DELETE', `/v1/webhooks/${id}`);
  expect(await step()).toBe(false);
});
