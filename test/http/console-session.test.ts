import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { awayFromMinuteEnd } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

describe('the session of the console', () => {
  let service: TestService;
  let org: TestOrganization;
  beforeAll(async () => {
    service = await startTestService();
    org = await service.organization();
  });
  afterAll(() => service.close());

  const path = '/console/session';
  const console = { 'x-partner-signals-console': '1' };
  const setCookie = (answer: { headers: object }) =>
    String((answer.headers as { 'set-cookie'?: string[] })['set-cookie']);
  async function signIn(key = org.key): Promise<string> {
    const answer = await service.call('POST', path, { key });
    expect(answer.status, answer.text).toBe(204);
    return setCookie(answer).split(';')[0] as string;
  }
  const get = (url: string, headers: Record<string, string>) =>
    service.call('GET', url, { headers, isJunk: true });

  test('is a cookie that lasts until the browser is closed and that no script and no other site can use', async () => {
    const cookie = setCookie(await service.call('POST', path, { key: org.key }));
    const { port } = new URL(service.url);
    expect(cookie).toMatch(new RegExp(`^__Host-partner-signals${port}=[\\w-]+; `));
    expect(cookie.split('; ').slice(1).sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure']);
    expect(cookie).not.toContain(org.key);
    expect(Buffer.from(cookie.split(/[=;]/)[1] ?? '', 'base64url').includes(org.key)).toBe(false);
  });

  test('stands for its key on the API, and GET says whether there is one', async () => {
    const cookie = await signIn();
    const answer = await get('/v1/me', { ...console, cookie: `other=1; ${cookie}; more=2` });
    expect([answer.status, answer.body.data.id]).toEqual([200, org.keyId]);
    const has = async (headers: Record<string, string>) => (await get(path, headers)).body.data.signed_in;
    expect(await has({ ...console, cookie })).toBe(true);
    expect(await has({ ...console })).toBe(false);
    expect(await has({ ...console, cookie: cookie.slice(0, -4) })).toBe(false);
  });

  test.each([
    ['without the header of the console', {}],
    ['from another site', { ...console, 'sec-fetch-site': 'cross-site' }],
    ['from another port of the same host', { ...console, 'sec-fetch-site': 'same-site' }],
    ['from the address bar', { ...console, 'sec-fetch-site': 'none' }],
  ])('counts for nothing %s', async (_, headers) => {
    const cookie = await signIn();
    expect((await get('/v1/me', { ...headers, cookie })).status).toBe(401);
    const ended = await service.call('DELETE', path, { headers: { ...headers, cookie } });
    expect([ended.status, ended.headers['set-cookie']]).toEqual([403, undefined]);
  });

  test('a key in the header goes before it', async () => {
    const cookie = await signIn();
    const headers = { ...console, cookie, authorization: `Bearer psk_${'x'.repeat(38)}` };
    expect((await get('/v1/me', headers)).status).toBe(401);
  });

  test.each(['/ingest/v1/partners', '/mcp', '/console/session'])('does not reach POST %s', async (url) => {
    const cookie = await signIn();
    const answer = await service.call('POST', url, { headers: { ...console, cookie }, body: {} });
    expect(answer.status).toBe(401);
  });

  test('does not reach the operator API', async () => {
    const cookie = await signIn();
    expect((await get('/admin/v1/organizations', { ...console, cookie })).status).toBe(401);
  });

  test('is refused to a key that is wrong or cannot read', async () => {
    const wrong = await service.call('POST', path, { key: `psk_${'x'.repeat(38)}` });
    const { key } = await service.organization({ scopes: ['ingest'] });
    const blind = await service.call('POST', path, { key });
    expect([wrong, blind].map((answer) => [answer.status, answer.headers['set-cookie']])).toEqual([
      [401, undefined],
      [403, undefined],
    ]);
  });

  test('ends with its key', async () => {
    const { key, id } = await org.second();
    const cookie = await signIn(key);
    await service.operator('DELETE', `/admin/v1/organizations/${org.orgId}/keys/${id}`);
    await expect.poll(async () => (await get('/v1/me', { ...console, cookie })).status).toBe(401);
  });

  test('expires after a week', async () => {
    const cookie = await signIn();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7 * 86_400_000 + 1_000 });
    try {
      expect((await get(path, { ...console, cookie })).body.data.signed_in).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends when the console asks for it: the browser forgets the cookie', async () => {
    const answer = await service.call('DELETE', path, { headers: console });
    expect(answer.status).toBe(204);
    expect(setCookie(answer)).toMatch(/^__Host-partner-signals\d+=; Max-Age=0; /);
  });

  test('counts against the limit of the organization, as its key does', async () => {
    await awayFromMinuteEnd();
    const cookie = await signIn();
    const left = async () =>
      Number((await get('/v1/me', { ...console, cookie })).headers['x-ratelimit-remaining']);
    expect(await left()).toBeGreaterThan(await left());
  });
});
