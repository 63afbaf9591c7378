import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

let receiver: Receiver;
let service: TestService;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const register = (org: TestOrganization, headers: Record<string, string> = {}) =>
  org.call('POST', '/v1/webhooks', {
    body: { url: `${receiver.url}/limit`, events: ['signal.created'] },
    headers,
  });

/** So many more, whose secrets nobody needs. */
async function fill(org: TestOrganization, count: number): Promise<void> {
  await service.pool.query(
    `insert into webhooks (org_id, id, url, events, status, secret, created_at, updated_at)
     select $1, 'whk_' || n, 'https://receiver.invalid/', '{signal.created}', 'enabled', '', now(), now()
     from generate_series(1, $2) n`,
    [org.orgId, count],
  );
}

async function total(org: TestOrganization): Promise<number> {
  const { rows } = await service.pool.query('select count(*) from webhooks where org_id = $1', [org.orgId]);
  return rows[0].count;
}

test.each([
  ['standard', 25],
  ['enterprise', 250],
] as const)('an organization on %s can have %i webhooks, and another is 409', async (plan, limit) => {
  const org = await service.organization({ plan });
  await fill(org, limit - 1);
  const last = await register(org);
  expect(last.status).toBe(201);
  const refused = await register(org);
  expect(refused.status).toBe(409);
  expect(refused.body.error).toMatchObject({
    code: 'limit_reached',
    message: `The ${plan} plan allows ${limit} webhooks, and this organization has ${limit}. Delete one you no longer need, or ask your operator to change the plan.`,
  });
  expect(await total(org)).toBe(limit);

  await org.call('DELETE', `/v1/webhooks/${last.body.data.id}`);
  expect((await register(org)).status).toBe(201);
});

test('of several that register at the same time for the last place, exactly one gets it', async () => {
  const org = await service.organization({ plan: 'standard' });
  await fill(org, 24);
  const answers = await Promise.all(Array.from({ length: 6 }, () => register(org)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  expect(await total(org)).toBe(25);
});

test('a lower plan keeps the webhooks that there are, and allows no more', async () => {
  const org = await service.organization({ plan: 'enterprise' });
  const { id } = (await register(org)).body.data;
  await fill(org, 39);
  await service.operator('PATCH', `/admin/v1/organizations/${org.orgId}`, { plan: 'standard' });
  const refused = await register(org);
  expect(refused.status).toBe(409);
  expect(refused.body.error.message).toContain('allows 25 webhooks, and this organization has 40.');

  const sent = await org.call('POST', `/v1/webhooks/${id}/test`);
  expect(sent.status).toBe(202);
  await expect.poll(() => receiver.received.filter(({ path }) => path === '/limit').length).toBe(1);
  const change = { body: { status: 'disabled' } };
  expect((await org.call('PATCH', `/v1/webhooks/${id}`, change)).status).toBe(200);
});

test('a registration that is repeated at the limit gets its first answer', async () => {
  const org = await service.organization({ plan: 'standard' });
  await fill(org, 24);
  const first = await register(org, { 'idempotency-key': 'the last' });
  expect(first.status).toBe(201);
  const again = await register(org, { 'idempotency-key': 'the last' });
  expect([again.status, again.body.data, again.headers['idempotency-replayed']]).toEqual([
    201,
    first.body.data,
    'true',
  ]);
  expect((await register(org, { 'idempotency-key': 'one more' })).status).toBe(409);
  expect((await register(org, { 'idempotency-key': 'one more' })).status).toBe(409);
  expect(await total(org)).toBe(25);
});
