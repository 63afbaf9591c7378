import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import type { Delivery, Webhook as Registered } from '../../src/contract/webhook.ts';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Received, type Receiver, startReceiver } from '../receiver.ts';

let receiver: Receiver;
let service: TestService;
/** One that guards addresses, and sends nothing. */
let guarded: TestService;
beforeAll(async () => {
  receiver = await startReceiver();
  [service, guarded] = await Promise.all([
    startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile }),
    startTestService({ ROLE: 'api' }),
  ]);
});
afterAll(async () => {
  await Promise.all([service.close(), guarded.close()]);
  await receiver.close();
});

const secret = 'a-secret-of-the-tests';
const valid = { url: 'https://receiver.invalid/hook', events: ['signal.created'], secret };
const kinds = ['signal.created', 'attribution.created', 'attribution.updated'];
const fields = ['id', 'url', 'events', 'status', 'disabled_reason', 'created_at', 'updated_at'];
const at = (path: string) => receiver.received.filter((one) => one.path === path);
const post = (org: TestOrganization, path: string, body?: unknown) => org.call('POST', path, { body });
const patch = (org: TestOrganization, id: string, body: unknown) =>
  org.call('PATCH', `/v1/webhooks/${id}`, { body });

async function register(org: TestOrganization, change: Record<string, unknown> = {}): Promise<Registered> {
  const answer = await post(org, '/v1/webhooks', { ...valid, ...change });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

/** Makes one more signal, and so one signal.created. */
const fire = (org: TestOrganization, crmId: string) =>
  loadFacts(org, {
    partners: [{}],
    accounts: [{ crm_id: crmId }],
    partner_accounts: [{ domain: `${crmId}.example` }],
  });

async function deliveriesOf(org: TestOrganization, id: string): Promise<Delivery[]> {
  return (await org.get(`/v1/webhooks/${id}/deliveries`)).body.data;
}

describe('registration', () => {
  test('answers 201 with exactly the documented fields', async () => {
    const org = await service.organization({ scopes: ['write'] });
    const answer = await post(org, '/v1/webhooks', { ...valid, events: kinds });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body)).toEqual(['data', 'meta']);
    expect(Object.keys(answer.body.data)).toEqual(fields);
    expect(answer.body.data).toMatchObject({
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
      url: valid.url,
      events: kinds,
      status: 'enabled',
      disabled_reason: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: answer.body.data.created_at,
    });
    expect((await org.get(`/v1/webhooks/${answer.body.data.id}`)).body.data).toEqual(answer.body.data);
  });

  describe('refuses, on a service that allows private addresses too', () => {
    let org: TestOrganization;
    beforeAll(async () => {
      org = await service.organization();
    });

    test.each([
      ['plain HTTP', 'http://receiver.invalid/hook'],
      ['another scheme', 'ftp://receiver.invalid/hook'],
      ['no scheme', 'receiver.invalid/hook'],
      ['no host', 'https://'],
      ['a user name', 'https://user@receiver.invalid/hook'],
      ['a user name and password', 'https://user:pass@receiver.invalid/hook'],
      ['a fragment', 'https://receiver.invalid/hook#part'],
      ['the port of SSH', 'https://receiver.invalid:22/hook'],
      ['the port of SMTP', 'https://receiver.invalid:025/hook'],
      ['port 0', 'https://receiver.invalid:0/hook'],
      ['an empty text', ''],
      ['more than 2048 characters', `https://receiver.invalid/${'x'.repeat(2048)}`],
      ['a NUL', 'https://receiver.invalid/\0'],
      ['a number', 1],
      ['null', null],
    ])('a url with %s', async (_, url) => {
      const answer = await post(org, '/v1/webhooks', { ...valid, url });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({ code: 'invalid_request', details: [{ field: 'url' }] });
      expect(answer.body.error.details).toHaveLength(1);
    });

    test.each([
      ['none', [], 'events'],
      ['one twice', ['signal.created', 'signal.created'], 'events'],
      ['one that is unknown', ['signal.created', 'signal.exploded'], 'events.1'],
      ['signal.updated, which only the feed carries', ['signal.updated'], 'events.0'],
      ['a kind in place of the array', 'signal.created', 'events'],
      ['a number', [1], 'events.0'],
      ['null', null, 'events'],
    ])('events with %s', async (_, events, field) => {
      const answer = await post(org, '/v1/webhooks', { ...valid, events });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({ code: 'invalid_request', details: [{ field }] });
    });

    test.each([
      [{}, ['url', 'events']],
      [{ url: 1, events: [], secret: 'short' }, ['url', 'events', 'secret']],
      [{ url: 'http://receiver.invalid', events: [], secret: 'short' }, ['url', 'events', 'secret']],
      [{ ...valid, url: 'https://a@receiver.invalid', status: 'disabled', id: 'x' }, ['url', 'status', 'id']],
    ])('%o, and names every bad field at once', async (body, bad) => {
      const answer = await post(org, '/v1/webhooks', body);
      expect(answer.status).toBe(400);
      const named = answer.body.error.details.map(({ field }: { field: string }) => field);
      expect(named.sort()).toEqual(bad.sort());
    });

    test('and registers nothing then', async () => {
      expect((await org.get('/v1/webhooks')).body.data).toEqual([]);
    });
  });

  describe('guards the address', () => {
    let org: TestOrganization;
    let id: string;
    beforeAll(async () => {
      org = await guarded.organization();
      ({ id } = await register(org));
    });

    test.each([
      'localhost',
      'LOCALHOST:8443',
      '127.0.0.1',
      '127.0.0.1.',
      '127.1',
      '0177.0.0.1',
      '0x7f.0.0.1',
      '0x7f000001',
      '2130706433',
      '%31%32%37.0.0.1',
      '①②⑦.⓪.⓪.①',
      '0',
      '0.0.0.0',
      '10.0.0.1',
      '172.31.255.254',
      '192.168.1.1',
      '100.64.0.1',
      '169.254.169.254',
      '224.0.0.1',
      '255.255.255.255',
      '[::]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:a00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[fd00::1]',
      '[fe80::1]',
    ])('%s is refused', async (host) => {
      for (const answer of [
        await post(org, '/v1/webhooks', { ...valid, url: `https://${host}/hook` }),
        await patch(org, id, { url: `https://${host}/hook` }),
      ]) {
        expect(answer.status, answer.text).toBe(400);
        expect(answer.body.error.details).toEqual([
          { field: 'url', code: 'invalid_value', message: expect.stringContaining('private') },
        ]);
      }
    });

    test.each(['https:127.0.0.1', 'https:\\\\127.0.0.1\\hook', ' https://127.0.0.1', 'https:/\t/127.0.0.1'])(
      '%j, which a URL parser takes for the same, is refused',
      async (url) => {
        expect((await post(org, '/v1/webhooks', { ...valid, url })).status).toBe(400);
      },
    );

    test.each(['93.184.215.14', '[2606:2800:21f:cb07:6820:80da:af6b:8b2c]', 'not-yet.invalid'])(
      '%s, public or a name that does not resolve yet, is accepted',
      async (host) => {
        expect((await register(org, { url: `https://${host}:8443/hook?a=1` })).url).toContain(host);
      },
    );
  });
});

describe('the list', () => {
  test('has the newest first, pages, and shows the fields of a webhook', async () => {
    const org = await service.organization();
    const made: Registered[] = [];
    for (const place of [1, 2, 3, 4, 5]) {
      made.unshift(await register(org, { url: `https://receiver.invalid/${place}` }));
    }
    const first = (await org.get('/v1/webhooks?limit=2')).body;
    expect(first).toMatchObject({ has_more: true, next_cursor: expect.stringMatching(/^cur_/) });
    const second = (await org.get(`/v1/webhooks?limit=2&cursor=${first.next_cursor}`)).body;
    const third = (await org.get(`/v1/webhooks?limit=2&cursor=${second.next_cursor}`)).body;
    expect(third.has_more).toBe(false);
    expect(third).not.toHaveProperty('next_cursor');
    expect([...first.data, ...second.data, ...third.data]).toEqual(made);
    const stranger = await service.organization();
    expect((await stranger.get(`/v1/webhooks?cursor=${first.next_cursor}`)).body.error.code).toBe(
      'invalid_cursor',
    );
  });
});

describe('a change', () => {
  test('of one field leaves the others as they are', async () => {
    const org = await service.organization();
    let before = await register(org);
    for (const change of [
      { url: 'https://elsewhere.invalid/' },
      { events: kinds },
      { status: 'disabled', disabled_reason: 'disabled by a client' },
      { url: 'https://third.invalid/' },
      { status: 'enabled', disabled_reason: null },
    ]) {
      const { disabled_reason: _, ...body } = change;
      const answer = await patch(org, before.id, body);
      expect(answer.status, answer.text).toBe(200);
      expect(Object.keys(answer.body.data)).toEqual(fields);
      expect(answer.body.data).toEqual({ ...before, ...change, updated_at: expect.any(String) });
      expect(answer.body.data.updated_at > before.updated_at).toBe(true);
      expect((await org.get(`/v1/webhooks/${before.id}`)).body.data).toEqual(answer.body.data);
      before = answer.body.data;
    }
  });

  test.each([
    [{}, ['body']],
    [{ secret: 'another-secret' }, ['secret']],
    [{ disabled_reason: null }, ['disabled_reason']],
    [{ url: null, events: null, status: null }, ['url', 'events', 'status']],
    [{ url: 'http://receiver.invalid', status: 'paused' }, ['url', 'status']],
    [{ events: [], status: 'disabled' }, ['events']],
  ])('%o is refused, by name, and changes nothing', async (body, bad) => {
    const org = await service.organization();
    const webhook = await register(org);
    const answer = await patch(org, webhook.id, body);
    expect(answer.status).toBe(400);
    const named = answer.body.error.details.map(({ field }: { field: string }) => field);
    expect(named.sort()).toEqual(bad.sort());
    expect((await org.get(`/v1/webhooks/${webhook.id}`)).body.data).toEqual(webhook);
  });

  test('to disabled gives up what is pending, visibly, and nothing more is queued', async () => {
    const org = await service.organization();
    const { id } = await register(org, { url: `${receiver.url}/busy` });
    // The next attempt is half a minute away, so that none comes in between.
    const busy = { status: 503, headers: { 'retry-after': '30' } };
    receiver.reply = ({ path }) => (path === '/busy' ? busy : { status: 200 });
    await fire(org, 'a1');
    await expect
      .poll(() => deliveriesOf(org, id))
      .toMatchObject([{ status: 'pending', attempts: 1, response_code: 503 }]);
    await patch(org, id, { status: 'disabled' });
    await fire(org, 'a2');
    expect(await deliveriesOf(org, id)).toMatchObject([
      {
        status: 'failed',
        attempts: 1,
        next_attempt_at: null,
        response_code: 503,
        error: expect.stringContaining('disabled'),
      },
    ]);
    await patch(org, id, { status: 'enabled' });
    await fire(org, 'a3');
    await expect.poll(() => deliveriesOf(org, id)).toMatchObject([{ attempts: 1 }, { status: 'failed' }]);
    expect(at('/busy')).toHaveLength(2);
  });
});

test('a deletion is 204, takes the deliveries along, and nothing more is sent', async () => {
  const org = await service.organization();
  const kept = await register(org, { url: `${receiver.url}/kept` });
  const { id } = await register(org, { url: `${receiver.url}/deleted` });
  await fire(org, 'a1');
  await expect.poll(() => deliveriesOf(org, id)).toMatchObject([{ status: 'delivered' }]);
  const [delivery] = (await deliveriesOf(org, id)) as [Delivery];
  const answer = await org.call('DELETE', `/v1/webhooks/${id}`);
  expect([answer.status, answer.text]).toEqual([204, '']);
  for (const [method, path] of [
    ['DELETE', `/v1/webhooks/${id}`],
    ['GET', `/v1/webhooks/${id}`],
    ['GET', `/v1/webhooks/${id}/deliveries`],
    ['POST', `/v1/deliveries/${delivery.id}/redeliver`],
  ] as const) {
    expect((await org.call(method, path)).status, path).toBe(404);
  }
  expect((await org.get('/v1/webhooks')).body.data).toEqual([kept]);
  const { rows } = await service.pool.query('select id from deliveries where webhook_id = $1', [id]);
  expect(rows).toEqual([]);
  await fire(org, 'a2');
  await expect.poll(() => at('/kept').length).toBe(2);
  expect(at('/deleted')).toHaveLength(1);
});

describe('every route', () => {
  const span = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z', only: 'all' };
  const routes = (
    webhookId: string,
    deliveryId: string,
  ): [method: string, path: string, body?: unknown][] => [
    ['GET', `/v1/webhooks/${webhookId}`],
    ['GET', `/v1/webhooks/${webhookId}/deliveries`],
    ['PATCH', `/v1/webhooks/${webhookId}`, { status: 'disabled' }],
    ['DELETE', `/v1/webhooks/${webhookId}`],
    ['POST', `/v1/webhooks/${webhookId}/test`],
    ['POST', `/v1/webhooks/${webhookId}/rotate_secret`],
    ['POST', `/v1/webhooks/${webhookId}/redeliver`, span],
    ['POST', `/v1/deliveries/${deliveryId}/redeliver`],
  ];
  let owner: TestOrganization;
  let webhook: Registered;
  let deliveries: Delivery[];
  beforeAll(async () => {
    owner = await service.organization();
    webhook = await register(owner, { url: `${receiver.url}/owned` });
    await fire(owner, 'a1');
    await vi.waitFor(
      async () => expect(await deliveriesOf(owner, webhook.id)).toMatchObject([{ status: 'delivered' }]),
      60_000,
    );
    deliveries = await deliveriesOf(owner, webhook.id);
  });

  test("answers 404 to another organization's, an unknown and a malformed identifier", async () => {
    const stranger = await service.organization();
    for (const [webhookId, deliveryId] of [
      [webhook.id, deliveries[0]?.id ?? ''],
      [newId('whk'), newId('dlv')],
      ['whk_x', 'dlv_x'],
      [deliveries[0]?.id ?? '', webhook.id],
    ] as const) {
      for (const [method, path, body] of routes(webhookId, deliveryId)) {
        const answer = await stranger.call(method, path, { body });
        expect([method, path, answer.status, answer.body.error.code]).toEqual([
          method,
          path,
          404,
          'not_found',
        ]);
      }
    }
    expect((await stranger.get('/v1/webhooks')).body.data).toEqual([]);
    expect((await owner.get(`/v1/webhooks/${webhook.id}`)).body.data).toEqual(webhook);
    expect(await deliveriesOf(owner, webhook.id)).toEqual(deliveries);
  });

  test('that only reads takes the scope read, every other answers it 403', async () => {
    const issued = await service.operator('POST', `/admin/v1/organizations/${owner.orgId}/keys`, {
      name: 'reader',
      scopes: ['read'],
    });
    const { key } = issued.body.data;
    for (const [method, path, body] of [
      ['POST', '/v1/webhooks', valid] as const,
      ['GET', '/v1/webhooks'] as const,
      ...routes(webhook.id, deliveries[0]?.id ?? ''),
    ]) {
      const answer = await service.call(method, path, { key, body });
      expect([method, path, answer.status]).toEqual([method, path, method === 'GET' ? 200 : 403]);
      if (method !== 'GET') expect(answer.body.error.message).toContain('write');
    }
    expect((await owner.get('/v1/webhooks')).body.data).toEqual([webhook]);
    expect(await deliveriesOf(owner, webhook.id)).toEqual(deliveries);
  });
});

describe('an empty body of a client that names its media type all the same', () => {
  let org: TestOrganization;
  let id: string;
  beforeAll(async () => {
    org = await service.organization();
    id = (await register(org, { url: `${receiver.url}/empty` })).id;
  });
  const empty: [string, Record<string, string>][] = [
    ['with a length of 0', { 'content-length': '0' }],
    ['in no chunk', { 'transfer-encoding': 'chunked' }],
  ];
  const call = (method: string, path: string, headers: Record<string, string>) =>
    org.call(method, path, { headers: { 'content-type': 'application/json', ...headers } });

  test.each(empty)('%s is no body where none is needed', async (_how, headers) => {
    const tested = await call('POST', `/v1/webhooks/${id}/test`, headers);
    expect(tested.status, tested.text).toBe(202);
    const again = await call('POST', `/v1/deliveries/${tested.body.data.id}/redeliver`, headers);
    expect(again.status, again.text).toBe(202);
    const rotated = await call('POST', `/v1/webhooks/${id}/rotate_secret`, headers);
    expect(rotated.status, rotated.text).toBe(200);
    expect(rotated.body.data.secret).toMatch(/^whsec_/);
  });

  test.each(empty)('%s is 400 where one is needed, and says so', async (_how, headers) => {
    for (const [method, path] of [
      ['POST', '/v1/webhooks'],
      ['PATCH', `/v1/webhooks/${id}`],
      ['POST', `/v1/webhooks/${id}/redeliver`],
      ['POST', '/ingest/v1/partners'],
    ] as const) {
      const answer = await call(method, path, headers);
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.body.error.details).toMatchObject([{ field: 'body', code: 'required' }]);
    }
  });

  test('is to an Idempotency-Key the same as none and as {}', async () => {
    const path = `/v1/webhooks/${id}/test`;
    const key = { 'idempotency-key': 'empty' };
    const first = await call('POST', path, { ...key, 'content-length': '0' });
    expect(first.status).toBe(202);
    expect((await org.call('POST', path, { headers: key })).text).toBe(first.text);
    expect((await org.call('POST', path, { headers: key, body: {} })).text).toBe(first.text);
  });
});

describe('a test', () => {
  test('sends a marked, signed sample, which is a delivery and no event', async () => {
    const org = await service.organization();
    const { id } = await register(org, { url: `${receiver.url}/test`, events: ['attribution.created'] });
    const answer = await post(org, `/v1/webhooks/${id}/test`);
    expect(answer.status).toBe(202);
    expect(answer.body.data).toMatchObject({
      webhook_id: id,
      event_id: null,
      status: 'pending',
      attempts: 0,
    });
    await expect.poll(() => at('/test').length).toBe(1);
    const [{ headers, body }] = at('/test') as [Received];
    expect(headers).toMatchObject({ 'x-webhook-test': 'true', 'webhook-id': answer.body.data.id });
    new Webhook(secret, { format: 'raw' }).verify(body, headers as Record<string, string>);
    const sample = JSON.parse(body);
    expect(sample).toMatchObject({ event: 'signal.created', data: { type: 'co_sell', state: 'new' } });
    await expect
      .poll(() => deliveriesOf(org, id))
      .toMatchObject([{ id: answer.body.data.id, event_id: null, status: 'delivered', attempts: 1 }]);

    await fire(org, 'a1');
    const [real] = (await org.get('/v1/events')).body.data;
    expect(Object.keys(sample.data)).toEqual(Object.keys(real.data));
    expect(real.data.account.crm_id).toBe('a1');
  });

  test('of a disabled webhook is 409, says why and what to do, and queues nothing', async () => {
    const org = await service.organization();
    const { id } = await register(org);
    await patch(org, id, { status: 'disabled' });
    const answer = await post(org, `/v1/webhooks/${id}/test`);
    expect(answer.status).toBe(409);
    expect(answer.body.error.code).toBe('webhook_disabled');
    expect(answer.body.error.message).toMatch(/disabled by a client.*PATCH.*"enabled"/);
    expect(await deliveriesOf(org, id)).toEqual([]);
  });

  test('takes no body or {}, and nothing else', async () => {
    const org = await service.organization();
    const { id } = await register(org, { url: `${receiver.url}/bodies` });
    const path = `/v1/webhooks/${id}/test`;
    expect((await org.call('POST', path)).status).toBe(202);
    expect((await org.call('POST', path, { body: {} })).status).toBe(202);
    for (const raw of ['{"event":"signal.created"}', '[]', 'null', '"x"', '1', '{']) {
      const answer = await org.call('POST', path, { raw });
      expect([raw, answer.status]).toEqual([raw, 400]);
    }
    expect(await deliveriesOf(org, id)).toHaveLength(2);
  });
});
