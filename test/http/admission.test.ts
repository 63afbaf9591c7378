import { request as plainRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awayFromMinuteEnd } from '../facts.ts';
import { type Answer, caller, startTestService, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('plain HTTP', () => {
  test('a key sent in the clear is marked as exposed, logged without its text, and still works', async () => {
    const org = await service.organization();
    expect((await plain(service, '/v1/partners', { authorization: `Bearer ${org.key}` })).status).toBe(403);
    const { body } = await service.operator('GET', `/admin/v1/organizations/${org.orgId}/keys`);
    expect(Date.now() - Date.parse(body.data[0].exposed_at)).toBeLessThan(60_000);
    expect(
      service.logs.some((line) => line.includes('sent over plain HTTP') && line.includes(org.keyId)),
    ).toBe(true);
    expect(service.logs.join('')).not.toContain(org.key);
    expect((await org.get('/v1/partners')).status).toBe(200);
  });

  test('with REVOKE_EXPOSED_KEYS it is revoked at once', async () => {
    const strict = await startTestService({ REVOKE_EXPOSED_KEYS: 'true' });
    const org = await strict.organization();
    await plain(strict, '/v1/partners', { authorization: `Bearer ${org.key}` });
    expect((await org.get('/v1/partners')).status).toBe(401);
    await strict.close();
  });

  test('no header of a stranger makes it HTTPS', async () => {
    expect((await plain(service, '/healthz', { 'x-forwarded-proto': 'https' })).status).toBe(403);
  });

  test('a trusted proxy may speak it with X-Forwarded-Proto: https, and only so', async () => {
    const behind = await startTestService({ TRUST_PROXY: '127.0.0.0/8' });
    expect((await plain(behind, '/healthz', { 'x-forwarded-proto': 'https' })).status).toBe(200);
    expect((await plain(behind, '/healthz', {})).status).toBe(403);
    expect((await plain(behind, '/healthz', { 'x-forwarded-proto': 'http' })).status).toBe(403);
    const overTls = await behind.call('GET', '/healthz', { headers: { 'x-forwarded-proto': 'http' } });
    expect(overTls.body.error.code).toBe('https_required');
    await behind.close();
  });
});

describe('requests without a valid key', () => {
  test('are counted per client address, 60 a minute, and never refuse a valid key', async () => {
    const lone = await startTestService();
    const org = await lone.organization();
    await awayFromMinuteEnd();
    const answers = await Promise.all(Array.from({ length: 200 }, () => lone.call('GET', '/v1/partners')));
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(140);
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(60);
    expect((await org.get('/v1/partners')).status).toBe(200);
    expect((await lone.call('GET', '/admin/v1/organizations', { key: 'wrong' })).status).toBe(429);
    expect((await lone.operator('GET', '/admin/v1/organizations')).status).toBe(200);
    expect((await lone.call('GET', '/healthz')).status).toBe(200);
    await lone.close();
  });

  test("behind a trusted proxy the client's address counts, IPv6 by /64", async () => {
    const behind = await startTestService({ TRUST_PROXY: '127.0.0.1' });
    const from = (address: string) =>
      behind.call('GET', '/v1/partners', { headers: { 'x-forwarded-for': address } });
    await awayFromMinuteEnd();
    for (let i = 0; i < 3; i++) await from('2001:db8::1');
    const neighbour = Number((await from('2001:db8::ffff')).headers['x-ratelimit-remaining']);
    const stranger = Number((await from('2001:db8:0:1::1')).headers['x-ratelimit-remaining']);
    expect(stranger).toBe(59);
    expect(neighbour).toBe(56);
    await behind.close();
  });
});

describe('limits', () => {
  test('90 concurrent requests on a standard plan: exactly 60 accepted', async () => {
    await awayFromMinuteEnd();
    const org = await service.organization({ plan: 'standard' });
    const answers = await Promise.all(Array.from({ length: 90 }, () => org.get('/v1/partners')));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(60);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(30);
  });

  test('every kind of answer counts, and the headers agree', async () => {
    await awayFromMinuteEnd();
    const org = await service.organization({ plan: 'standard', scopes: ['write'] });
    const paths = ['/v1/partners', '/v1/partners?limit=0', '/v1/partners/nope', '/v1/nowhere'];
    const answers: Answer[] = [];
    for (const path of paths) answers.push(await org.get(path));
    answers.push(await org.call('PUT', '/v1/settings', { body: {} }));
    expect(answers.map((answer) => answer.status)).toEqual([200, 400, 404, 404, 403]);
    expect(answers.map((answer) => answer.headers['x-ratelimit-remaining'])).toEqual([
      '59',
      '58',
      '57',
      '56',
      '55',
    ]);
    expect(answers[0]?.headers['ratelimit-policy']).toBe('"minute";q=60;w=60, "day";q=10000;w=86400');
    expect(Number(answers[0]?.headers['x-ratelimit-reset']) % 60).toBe(0);
  });

  test('all keys of an organization share its limit, and another organization has its own', async () => {
    await awayFromMinuteEnd();
    const org = await service.organization({ plan: 'standard' });
    const second = (
      await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, { name: 'second' })
    ).body.data.key;
    await org.get('/v1/partners');
    expect(
      (await service.call('GET', '/v1/partners', { key: second })).headers['x-ratelimit-remaining'],
    ).toBe('58');
    expect(
      (await (await service.organization({ plan: 'standard' })).get('/v1/partners')).headers[
        'x-ratelimit-remaining'
      ],
    ).toBe('59');
  });

  test('health, the document and operators are outside them, with the headers all the same', async () => {
    for (const path of ['/healthz', '/readyz', '/v1/openapi.json']) {
      const [first, second] = [await service.call('GET', path), await service.call('GET', path)];
      expect(first.status).toBe(200);
      expect(second.headers['x-ratelimit-limit']).toBe('60');
    }
  });

  test('a new plan holds from the next request on', async () => {
    const org = await service.organization({ plan: 'standard' });
    expect((await org.get('/v1/partners')).headers['x-ratelimit-limit']).toBe('60');
    await service.operator('PATCH', `/admin/v1/organizations/${org.orgId}`, { plan: 'enterprise' });
    expect((await org.get('/v1/partners')).headers['x-ratelimit-limit']).toBe('300');
  });
});

describe('every response', () => {
  test('tells browsers nothing to guess, frame or keep', async () => {
    const { headers } = await service.call('GET', '/healthz');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(headers).not.toHaveProperty('strict-transport-security');
  });
});

describe('the log', () => {
  test('has one line a request with its id, organization, route, status and duration, and no key, query or body', async () => {
    const org = await service.organization();
    const { body } = await org.get('/v1/partners?type=gsi');
    const lines = service.logs.filter((line) => line.includes(body.meta.request_id));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'request',
      org_id: org.orgId,
      route: '/v1/partners',
      status: 200,
      duration_ms: expect.any(Number),
    });
    expect(service.logs.join('')).not.toMatch(/psk_|type=gsi/);
  });
});

test('a second process sees a revoked key refused within a second', async () => {
  const second = await startTestService({}, service.databaseUrl);
  const org = await service.organization();
  const elsewhere = caller(second.url, second.ca);
  expect((await elsewhere('GET', '/v1/partners', { key: org.key })).status).toBe(200);
  await service.operator('DELETE', `/admin/v1/organizations/${org.orgId}/keys/${org.keyId}`);
  const revokedAt = performance.now();
  let lastAccepted = 0;
  for (let status = 0; status !== 401; ) {
    ({ status } = await elsewhere('GET', '/v1/partners', { key: org.key }));
    if (status === 200) lastAccepted = performance.now() - revokedAt;
    expect(performance.now() - revokedAt).toBeLessThan(5_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(lastAccepted).toBeLessThan(1_000);
  await second.close();
});

function plain(target: TestService, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = plainRequest(
      { host: '127.0.0.1', port: new URL(target.url).port, path, headers },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as never,
            text,
            body: JSON.parse(text),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}
