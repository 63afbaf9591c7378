import { request as plainRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prefixes } from '../../src/contract/id-prefixes.ts';
import { newId } from '../../src/contract/ids.ts';
import { mintKey } from '../../src/domain/api-keys.ts';
import { type PathIdName, pathIds } from '../../src/http/call.ts';
import { document } from '../api-document.ts';
import {
  type Answer,
  operatorKey,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../harness.ts';

let service: TestService;
let org: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  org = await service.organization();
});
afterAll(() => service.close());

function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status, code });
  expect(answer.body.error.request_id).toMatch(/^req_[0-9a-z]{26}$/);
  expect(answer.body.error.message.length).toBeGreaterThan(10);
  expect(answer.headers['x-request-id']).toBe(answer.body.error.request_id);
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    expect(answer.headers[name], name).toMatch(/^\d+$/);
  }
}

const post = (body: unknown, headers?: Record<string, string>) =>
  service.operator('POST', '/admin/v1/organizations', body, headers);

test('400 invalid_request: malformed JSON', async () => {
  const answer = await service.call('POST', '/admin/v1/organizations', {
    key: operatorKey,
    raw: '{"name": ',
  });
  expectError(answer, 400, 'invalid_request');
  expect(answer.body.error.details).toEqual([
    { field: 'body', code: 'malformed', message: expect.any(String) },
  ]);
});

test('400 invalid_request: says where the JSON is wrong, without repeating the body', async () => {
  const message = async (raw: string) =>
    (await service.call('POST', '/admin/v1/organizations', { key: operatorKey, raw })).body.error.message;
  expect(await message('{"name": "secret", "plan" "standard", "note": "a longer text"}')).toMatch(
    /^body: is not valid JSON: see position 26( \(line 1 column 27\))?$/,
  );
  expect(await message('{"name": ')).toBe('body: is not valid JSON: it ends too early');
});

test('400 invalid_request: a code that is too long is told what it must be', async () => {
  const body = [
    {
      crm_id: 'o1',
      account_crm_id: 'a1',
      name: 'x',
      value: 1,
      currency: 'EURO',
      stage: 's',
      status: 'open',
      opened_at: '2026-01-01',
    },
  ];
  const { errors } = (await org.call('POST', '/ingest/v1/opportunities', { body })).body.data;
  expect(errors).toMatchObject([
    { field: 'currency', message: 'must be an ISO 4217 currency code of three capital letters, e.g. EUR' },
  ]);
});

test('400 invalid_request: bytes that are not UTF-8', async () => {
  const raw = Buffer.concat([
    Buffer.from('{"name":"'),
    Buffer.of(0xff, 0xfe),
    Buffer.from('","plan":"standard"}'),
  ]);
  expectError(
    await service.call('POST', '/admin/v1/organizations', { key: operatorKey, raw }),
    400,
    'invalid_request',
  );
});

test('400 invalid_request: empty body', async () => {
  expectError(
    await service.call('POST', '/admin/v1/organizations', { key: operatorKey }),
    400,
    'invalid_request',
  );
  expectError(
    await service.call('POST', '/admin/v1/organizations', {
      key: operatorKey,
      raw: '',
      headers: { 'content-type': 'application/json' },
    }),
    400,
    'invalid_request',
  );
});

const operationsWithBody = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, { requestBody }]) => requestBody?.required)
    .map(([method]) => [method.toUpperCase(), path] as const),
);

test.each(operationsWithBody)(
  '400 invalid_request: %s %s without a body and its type',
  async (method, path) => {
    const key = path.startsWith('/admin/') ? operatorKey : org.key;
    const url = path.replace(/\{(\w+)\}/g, (_, name: PathIdName) => newId(prefixes[pathIds[name].kind]));
    expectError(await service.call(method, url, { key }), 400, 'invalid_request');
  },
);

test.each([[null], [[]], ['text'], [1], [true]])('400 invalid_request: a body that is %j', async (body) => {
  expectError(await post(body), 400, 'invalid_request');
});

test('400 invalid_request: every bad field is named at once', async () => {
  const answer = await post({ name: ' ', plan: 'gold', extra: 1 });
  expectError(answer, 400, 'invalid_request');
  expect(answer.body.error.details).toEqual([
    { field: 'extra', code: 'unknown', message: 'is not a known field; expected one of: name, plan' },
    { field: 'name', code: 'invalid_format', message: 'must not be blank' },
    { field: 'plan', code: 'invalid_value', message: 'must be one of: standard, enterprise' },
  ]);
});

test('400 invalid_request: a NUL character, which no text of the database can hold', async () => {
  const answer = await post({ name: 'a\0b', plan: 'standard' });
  expectError(answer, 400, 'invalid_request');
  expect(answer.body.error.details).toMatchObject([{ field: 'name' }]);
  expectError(await org.get('/v1/partners?cursor=%00'), 400, 'invalid_request');
});

test.each([
  ['__proto__', '{"__proto__":{"plan":"standard"},"name":"x"}'],
  ['__proto__', '{"\\u005f_proto__":{"plan":"standard"},"name":"x"}'],
  ['name.__proto__', '{"name":{"__proto__":1},"plan":"standard"}'],
])('400 invalid_request: a prototype is an unknown field, %s', async (field, raw) => {
  const answer = await service.call('POST', '/admin/v1/organizations', { key: operatorKey, raw });
  expectError(answer, 400, 'invalid_request');
  expect(answer.body.error.details).toMatchObject([{ field, code: 'unknown' }]);
});

test('400 invalid_request: a body nested beyond reason', async () => {
  for (const depth of [60, 5_000, 400_000]) {
    const raw = `{"name":${'['.repeat(depth)}${']'.repeat(depth)},"plan":"standard"}`;
    expectError(
      await service.call('POST', '/admin/v1/organizations', { key: operatorKey, raw }),
      400,
      'invalid_request',
    );
  }
});

test('400 invalid_cursor', async () => {
  expectError(await org.get('/v1/partners?cursor=cur_nonsense'), 400, 'invalid_cursor');
});

test('401 unauthorized: without a key, says how to send one', async () => {
  const answer = await service.call('GET', '/v1/partners');
  expectError(answer, 401, 'unauthorized');
  expect(answer.headers['www-authenticate']).toBe('Bearer');
  expect(answer.body.error.message).toContain('Authorization: Bearer');
});

test('401 unauthorized: malformed, unknown, revoked and expired keys all read the same', async () => {
  const revoked = await service.organization();
  await service.operator('DELETE', `/admin/v1/organizations/${revoked.orgId}/keys/${revoked.keyId}`);
  const expired = await service.organization();
  await service.pool.query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [
    expired.keyId,
  ]);
  const answers = await Promise.all(
    ['psk_malformed', mintKey(), revoked.key, expired.key].map((key) =>
      service.call('GET', '/v1/partners', { key }),
    ),
  );
  for (const answer of answers) expectError(answer, 401, 'unauthorized');
  expect(new Set(answers.map((answer) => answer.body.error.message)).size).toBe(1);
});

test.each(['Basic abc', 'Bearer', 'Bearer ', 'Bearer a b', 'bearer', 'Token x'])(
  '401 unauthorized: "Authorization: %s"',
  async (authorization) => {
    expectError(
      await service.call('GET', '/v1/partners', { headers: { authorization } }),
      401,
      'unauthorized',
    );
  },
);

test('401 unauthorized: a valid key of the other plane is told so, and no other key is', async () => {
  const message = async (path: string, key: string) => {
    const answer = await service.call('GET', path, { key });
    expectError(answer, 401, 'unauthorized');
    return answer.body.error.message;
  };
  for (const path of ['/v1/partners', '/v1/me'])
    expect(await message(path, operatorKey)).toBe(
      'This is an operator key, which works only under /admin/v1. Use an API key of an organization here.',
    );
  for (const path of ['/admin/v1/organizations', '/metrics'])
    expect(await message(path, org.key)).toBe(
      'This is an API key of an organization. Use an operator key here.',
    );
  const revoked = await service.organization();
  await service.operator('DELETE', `/admin/v1/organizations/${revoked.orgId}/keys/${revoked.keyId}`);
  const others = [mintKey(), revoked.key, `${operatorKey}x`, 'opk_0123456789abcdef'];
  for (const key of others)
    for (const path of ['/v1/partners', '/admin/v1/organizations'])
      expect(await message(path, key)).toBe('The key is not valid.');
});

test('403 forbidden: names the scope that is missing', async () => {
  const ingestOnly = await service.organization({ scopes: ['ingest'] });
  const answer = await ingestOnly.get('/v1/partners');
  expectError(answer, 403, 'forbidden');
  expect(answer.body.error.message).toBe(
    'This requires the scope "read"; your key has: ingest. It can only send data to /ingest/v1.',
  );
});

test('403 https_required: plain HTTP on the same port, whatever the path', async () => {
  for (const path of ['/v1/partners', '/healthz', '/nowhere', '/admin/v1/organizations']) {
    expectError(await plain(path), 403, 'https_required');
  }
});

test('404 not_found: no such route, with and without a key', async () => {
  expectError(await org.get('/v1/nothing'), 404, 'not_found');
  expectError(await service.call('GET', '/v1/nothing'), 404, 'not_found');
  expectError(await service.call('GET', '/%zz'), 404, 'not_found');
  expectError(await service.operator('GET', '/admin/v1/nothing'), 404, 'not_found');
  expect((await service.call('GET', '/')).body.error.message).toContain('The console is at /console/');
  expect((await org.call('POST', '/ingest/v1/deals', { body: [] })).body.error.message).toContain(
    'POST /ingest/v1/partners, /ingest/v1/accounts, /ingest/v1/opportunities,',
  );
});

test('404 not_found: says which resource was asked for, however its ID looks', async () => {
  const message = async (id: string) => (await org.get(`/v1/signals/${id}`)).body.error.message;
  const unknown = newId('sig');
  expect(await message(unknown)).toBe(`There is no signal with the ID ${unknown}.`);
  expect(await message('nope')).toBe('There is no signal with the ID nope.');
  expect(await message(`a${'%F0%9F%99%82'.repeat(60)}`)).toBe(
    `There is no signal with the ID a${'\u{1f642}'.repeat(49)}\ufffd….`,
  );
  const batch = await org.call('POST', '/v1/signals/batch', { body: { items: [{ id: 'x', note: 'n' }] } });
  expect(batch.body.data.outcomes[0].error.message).toBe('There is no signal with the ID x.');
});

test('404 not_found: no such resource', async () => {
  expectError(await org.get(`/v1/partners/${newId('prt')}`), 404, 'not_found');
  expectError(await service.operator('GET', `/admin/v1/organizations/${newId('org')}`), 404, 'not_found');
  expectError(
    await service.operator('GET', `/admin/v1/organizations/${newId('org')}/settings`),
    404,
    'not_found',
  );
  expectError(
    await service.operator('GET', `/admin/v1/organizations/${newId('org')}/keys`),
    404,
    'not_found',
  );
  expectError(
    await service.operator('POST', `/admin/v1/organizations/${newId('org')}/keys`, { name: 'k' }),
    404,
    'not_found',
  );
  expectError(
    await service.operator('PATCH', `/admin/v1/organizations/${newId('org')}`, { name: 'k' }),
    404,
    'not_found',
  );
  expectError(
    await service.operator('DELETE', `/admin/v1/organizations/${org.orgId}/keys/${newId('key')}`),
    404,
    'not_found',
  );
});

test('405 method_not_allowed: with Allow', async () => {
  const answer = await org.call('DELETE', '/v1/partners');
  expectError(answer, 405, 'method_not_allowed');
  expect(answer.headers.allow).toBe('GET, HEAD');
  expectError(await org.call('PROPFIND', '/v1/partners'), 405, 'method_not_allowed');
});

test('409 idempotency_conflict: the same key with another body', async () => {
  const headers = { 'idempotency-key': 'conflict' };
  expect((await post({ name: 'One', plan: 'standard' }, headers)).status).toBe(201);
  expectError(await post({ name: 'Two', plan: 'standard' }, headers), 409, 'idempotency_conflict');
});

test('413 payload_too_large: a body over 1 MiB', async () => {
  expectError(await post({ name: 'x'.repeat(1024 * 1024), plan: 'standard' }), 413, 'payload_too_large');
});

test('415 unsupported_media_type', async () => {
  for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
    expectError(
      await service.call('POST', '/admin/v1/organizations', {
        key: operatorKey,
        raw: 'x',
        headers: { 'content-type': type },
      }),
      415,
      'unsupported_media_type',
    );
  }
});

test('429 rate_limited: with Retry-After', async () => {
  const small = await service.organization({ plan: 'standard' });
  const answers = await Promise.all(Array.from({ length: 130 }, () => small.get('/v1/partners')));
  const refused = answers.find((answer) => answer.status === 429);
  expectError(refused as Answer, 429, 'rate_limited');
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
  expect(refused?.headers['x-ratelimit-remaining']).toBe('0');
});

test('503 unavailable: while the database is out of reach, and nothing of the cause', async () => {
  const lone = await startTestService();
  const tenant = await lone.organization();
  const name = /\/(test_\w+)/.exec(lone.databaseUrl)?.[1];
  await service.pool.query(`alter database ${name} with allow_connections false`);
  await service.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [
    name,
  ]);
  // Readiness is looked at every second.
  await expect.poll(async () => (await tenant.get('/readyz')).status).toBe(503);
  for (const path of ['/v1/partners', '/readyz']) {
    const answer = await tenant.get(path);
    expectError(answer, 503, 'unavailable');
    expect(answer.text).not.toMatch(/postgres|database|connect|socket/i);
  }
  expect((await lone.call('GET', '/healthz')).status).toBe(200);
  await service.pool.query(`alter database ${name} with allow_connections true`);
  expect((await tenant.get('/v1/partners')).status).toBe(200);
  await lone.close();
});

test('500 internal_error: nothing of the cause reaches the client, the log has it under the request id', async () => {
  const lone = await startTestService();
  const tenant = await lone.organization();
  await lone.pool.query('alter table partners rename to partners_elsewhere');
  const answer = await tenant.get('/v1/partners');
  expectError(answer, 500, 'internal_error');
  expect(answer.text).not.toContain('partners');
  expect(
    lone.logs.find((line) => line.includes(answer.body.error.request_id) && line.includes('"level":50')),
  ).toContain('does not exist');
  await lone.close();
});

function plain(path: string): Promise<Answer> {
  const { port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const sent = plainRequest({ host: '127.0.0.1', port, path }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as never,
          text,
          body: JSON.parse(text),
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}
