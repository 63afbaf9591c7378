import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const create = (name: string, key: string) =>
  service.operator('POST', '/admin/v1/organizations', { name, plan: 'standard' }, { 'idempotency-key': key });
const count = async (name: string) =>
  Number(
    (await service.pool.query('select count(*) from organizations where name = $1', [name])).rows[0].count,
  );

test('the same key and body replay the first answer, to the letter', async () => {
  const first = await create('Replayed', 'a');
  const second = await create('Replayed', 'a');
  expect(first.status).toBe(201);
  expect(first.headers['idempotency-replayed']).toBeUndefined();
  expect(second.status).toBe(201);
  expect(second.headers['idempotency-replayed']).toBe('true');
  expect(second.text).toBe(first.text);
  expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  expect(await count('Replayed')).toBe(1);
});

test('twenty concurrent duplicates have one effect and one answer', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => create('Concurrent', 'b')));
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  expect(answers.filter((answer) => answer.headers['idempotency-replayed'] === undefined)).toHaveLength(1);
  expect(await count('Concurrent')).toBe(1);
});

test('without a key every request has its effect', async () => {
  const body = { name: 'Twice', plan: 'standard' };
  await service.operator('POST', '/admin/v1/organizations', body);
  await service.operator('POST', '/admin/v1/organizations', body);
  expect(await count('Twice')).toBe(2);
});

test('a key belongs to its path and to its caller', async () => {
  const one = await service.organization();
  const two = await service.organization();
  const issue = (orgId: string) =>
    service.operator(
      'POST',
      `/admin/v1/organizations/${orgId}/keys`,
      { name: 'k' },
      { 'idempotency-key': 'c' },
    );
  const [first, second] = [await issue(one.orgId), await issue(two.orgId)];
  expect(second.headers['idempotency-replayed']).toBeUndefined();
  expect(second.body.data.key).not.toBe(first.body.data.key);
});

test('an answer that shows a secret is replayed, and lies encrypted in the database', async () => {
  const { orgId } = await service.organization();
  const issue = () =>
    service.operator(
      'POST',
      `/admin/v1/organizations/${orgId}/keys`,
      { name: 'k' },
      { 'idempotency-key': 'd' },
    );
  const { key } = (await issue()).body.data;
  expect((await issue()).body.data.key).toBe(key);
  const { rows } = await service.pool.query(`select answer from idempotency_keys where key = 'd'`);
  expect(rows[0].answer.toString('latin1')).not.toContain(key.slice(4, 20));
});

test('a refusal by the operation is replayed too', async () => {
  const path = '/admin/v1/organizations/org_01h455vb4pex5vsknk084sn02q/keys';
  const first = await service.operator('POST', path, { name: 'k' }, { 'idempotency-key': 'e' });
  const second = await service.operator('POST', path, { name: 'k' }, { 'idempotency-key': 'e' });
  expect(first.status).toBe(404);
  expect(second.text).toBe(first.text);
  expect(second.headers['idempotency-replayed']).toBe('true');
});

test('a request that never ran leaves its key free: 400, 401, 413, 415', async () => {
  const headers = { 'idempotency-key': 'f' };
  const path = '/admin/v1/organizations';
  expect((await service.operator('POST', path, { name: '' }, headers)).status).toBe(400);
  expect((await service.call('POST', path, { key: 'wrong-operator-key', body: {}, headers })).status).toBe(
    401,
  );
  expect((await service.operator('POST', path, { name: 'x'.repeat(2_000_000) }, headers)).status).toBe(413);
  expect((await service.operator('POST', path, { name: 'Free', plan: 'standard' }, headers)).status).toBe(
    201,
  );
});

test.each(['', 'x'.repeat(256), 'naïve'])('Idempotency-Key %j is 400', async (key) => {
  const answer = await create(
    'Never',
    encodeURI(key) === key ? key : Buffer.from(key, 'latin1').toString('latin1'),
  );
  expect(answer.status).toBe(400);
  expect(answer.body.error.details).toMatchObject([{ field: 'Idempotency-Key' }]);
  expect(await count('Never')).toBe(0);
});

test('after 24 hours a key is as new', async () => {
  await create('Old', 'g');
  await service.pool.query(
    `update idempotency_keys set expires_at = now() - interval '1 hour' where key = 'g'`,
  );
  expect((await create('Other', 'g')).status).toBe(201);
});
