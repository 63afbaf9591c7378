import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { ClientError } from '../../src/client/client-error.ts';
import { createOperatorClient, type OperatorClient } from '../../src/client/operator-client.ts';
import type { ClientOptions } from '../../src/client/send.ts';
import { defaultSettings } from '../../src/contract/settings.ts';
import { daysAgo, loadFacts } from '../facts.ts';
import { operatorKey, startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { trustingFetch } from './trusting-fetch.ts';

let service: TestService;
let fetchIt: typeof fetch;
let org: TestOrganization;
let client: Client;
let operator: OperatorClient;
const calls: string[] = [];

beforeAll(async () => {
  service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  const trusting = trustingFetch(service.ca);
  fetchIt = (input, init) => {
    calls.push(`${init?.method} ${new URL(String(input)).pathname}`);
    return trusting(input, init);
  };
  org = await service.organization();
  client = clientOf(org.key);
  operator = createOperatorClient({ baseUrl: service.url, key: operatorKey, fetch: fetchIt });
  await loadFacts(org, {
    partners: ['Ash', 'Birch', 'Cedar'].map((name) => ({ name, tier: 1 })),
    accounts: [{ name: 'Dale Optics' }],
    opportunities: [
      { status: 'won', opened_at: daysAgo(40).slice(0, 10), closed_date: daysAgo(1).slice(0, 10) },
    ],
    partner_accounts: [{ domain: 'a1.example' }],
    activities: [{ kind: 'joint_meeting', occurred_at: daysAgo(10) }],
  });
});
afterAll(() => service.close());

function clientOf(key: string, options: Partial<ClientOptions> = {}): Client {
  return createClient({ baseUrl: service.url, key, fetch: fetchIt, ...options });
}

function refusal(call: Promise<unknown>): Promise<ClientError> {
  return call.then(
    () => expect.fail('was not refused'),
    (error) => error,
  );
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a list', () => {
  test('is walked item by item over all its pages, and filters that are not set are left out', async () => {
    const partners = await all(client.partners.list({ type: undefined, tier: 1, limit: 2 }));
    expect(partners.map(({ name }) => name)).toEqual(['Ash', 'Birch', 'Cedar']);
  });

  test('is read page by page, or one page of it', async () => {
    const pages = await all(client.partners.list({ limit: 2 }).pages());
    expect(pages.map(({ data }) => data.length)).toEqual([2, 1]);
    const first = await client.partners.list({ limit: 2 }).page();
    expect(first.has_more).toBe(true);
    const rest = await client.partners.list({ limit: 2, cursor: first.next_cursor }).page();
    expect(rest.data.map(({ name }) => name)).toEqual(['Cedar']);
  });

  test('that is left early asks for no further page', async () => {
    const before = calls.length;
    for await (const partner of client.partners.list({ limit: 1 })) {
      if (partner.name === 'Birch') break;
    }
    expect(calls.length - before).toBe(2);
  });
});

test('a signal is changed only while it is as it was read, and the change names its actor', async () => {
  const [listed] = (await client.signals.list({ type: 'overlap', state: 'new' }).page()).data;
  const read = await client.signals.get(listed?.id ?? '');
  const ann = clientOf(org.key, { actor: 'Account executive' });
  const changed = await ann.signals.change(read.data.id, { state: 'in_progress' }, { ifMatch: read.etag });
  expect(changed.data.state).toBe('in_progress');
  expect(changed.data.history[0]?.changed_by.actor).toBe('Account executive');
  expect(changed.etag).not.toBe(read.etag);
  const late = client.signals.change(read.data.id, { note: 'late' }, { ifMatch: read.etag });
  expect(await refusal(late)).toMatchObject({ code: 'precondition_failed', status: 412 });
});

test('the name of an actor can have any letters', async () => {
  const [listed] = (await client.signals.list({ type: 'overlap' }).page()).data;
  const zoe = clientOf(org.key, { actor: 'Zoë Łukasik 株' });
  const { data } = await zoe.signals.change(listed?.id ?? '', { note: 'Called them.' });
  expect(data.history.at(-1)?.changed_by.actor).toBe('Zoë Łukasik 株');
});

describe('a failure', () => {
  test('without the CA certificate is told as such, and what to do', async () => {
    const onWait = vi.fn();
    const untrusting = createClient({ baseUrl: service.url, key: org.key, onWait });
    const { code, message } = await refusal(untrusting.me());
    expect(code).toBe('unreachable');
    expect(onWait, 'waiting cannot help').not.toHaveBeenCalled();
    expect(message).toMatch(/: its certificate is not trusted \([A-Z_]+\)\. .*NODE_EXTRA_CA_CERTS/);
  });

  test('to connect says why', async () => {
    const at = (baseUrl: string) => createClient({ baseUrl, key: org.key, maxRetries: 0 }).me();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await once(server.close(), 'close');
    expect((await refusal(at(url))).message).toBe(
      `The service cannot be reached at ${url}: nothing is listening there (ECONNREFUSED).`,
    );
    expect((await refusal(at('https://127.0.0.1:1'))).message).toBe(
      'The service cannot be reached at https://127.0.0.1:1 (bad port).',
    );
  });

  test.each(['', `psk_1\npsk_2`, 'psk_1\n', 'schlüssel'])(
    'of the key %j is told when the client is created',
    (key) => expect(() => clientOf(key)).toThrow(/^key must not /),
  );

  test('of a missing key or URL is told when the client is created', () => {
    expect(() => clientOf(undefined as never)).toThrow(/^key is missing\. Pass an API key/);
    for (const baseUrl of [
      undefined,
      null,
      'localhost:8443',
      'signals.example',
      'https://',
      'ftp://a.example',
    ])
      expect(() => clientOf('psk_x', { baseUrl: baseUrl as string }), `${baseUrl}`).toThrow(
        /^baseUrl must be the URL of the service: pass one such as https:\/\/localhost:8443, not /,
      );
  });

  test.each([
    '/v1',
    '/v1/',
    '/v1/signals?limit=1',
    '/ingest/v1',
    '/admin/v1',
    '/console/',
    '/docs#tag',
    '/?a=b',
  ])('of a URL that ends in %s is told when the client is created, with the URL to pass', (end) => {
    for (const origin of ['https://localhost:8443', 'https://docs', 'https://a.example/behind/a/proxy'])
      expect(() => clientOf('psk_x', { baseUrl: `${origin}${end}` })).toThrow(
        `baseUrl must be the URL of the service: pass ${origin}, not ${origin}${end}.`,
      );
  });

  test('is not caused by a slash at the end of the URL', async () => {
    const { data } = await clientOf(org.key, { baseUrl: `${service.url}/` }).me();
    expect(data.organization).toBeDefined();
  });

  test('says what is wrong, field by field', async () => {
    const error = await refusal(client.partners.list({ tier: 9 }).page());
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ code: 'invalid_request', status: 400, details: [{ field: 'tier' }] });
    expect(error.request_id).toMatch(/^req_/);
    expect(await refusal(clientOf('psk_wrong').signals.summary())).toMatchObject({
      code: 'unauthorized',
      status: 401,
    });
  });

  test('of an identifier that leads elsewhere is that of an unknown one', async () => {
    for (const id of ['../partners', 'summary/..', '%2e%2e', 'sig_1?state=new', '']) {
      expect(await refusal(client.partners.get(id)), id).toMatchObject({ code: 'not_found' });
    }
  });
});

describe('a load', () => {
  test('goes in batches, counts errors from its first row and reports each batch', async () => {
    const fresh = await service.organization();
    const batches: number[] = [];
    const total = await clientOf(fresh.key).load('accounts', rows(), {
      batchRows: 4,
      onBatch: ({ received }) => void batches.push(received),
    });
    expect(batches).toEqual([4, 4, 2]);
    expect(total).toMatchObject({ received: 10, created: 9, rejected: 1 });
    expect(total.errors).toMatchObject([{ index: 6, field: 'name' }]);

    async function* rows() {
      for (let i = 0; i < 10; i++) yield { crm_id: `a${i}`, name: i === 6 ? '' : `Account ${i}` };
    }
  });

  test('of a backfill delivers nothing, and of no rows sends nothing', async () => {
    const fresh = await service.organization();
    const loading = clientOf(fresh.key);
    const before = calls.length;
    expect(await loading.load('partners', [])).toMatchObject({ received: 0 });
    expect(calls.length).toBe(before);
    await loading.load('partners', [{ external_id: 'p1', name: 'Ash', type: 'gsi', tier: 1 }], {
      backfill: true,
    });
    await loading.load('accounts', [{ crm_id: 'a1', name: 'Dale', domain: 'a1.example' }], {
      backfill: true,
    });
    await loading.load(
      'partner_accounts',
      [
        {
          partner_external_id: 'p1',
          external_id: 'x',
          name: 'Dale',
          domain: 'a1.example',
          relationship: 'customer',
        },
      ],
      { backfill: true },
    );
    const { rows } = await service.pool.query('select deliverable from events where org_id = $1', [
      fresh.orgId,
    ]);
    expect(rows).toEqual([{ deliverable: false }]);
  });
});

test('every operation of the document can be called', async () => {
  calls.length = 0;
  const made = await operator.organizations.create({ name: 'Another', plan: 'standard' });
  const orgId = made.data.id;
  expect((await operator.organizations.get(orgId)).data.name).toBe('Another');
  expect((await operator.organizations.change(orgId, { plan: 'enterprise' })).data.plan).toBe('enterprise');
  expect((await operator.organizations.list({ limit: 1 }).page()).data[0]?.id).toBe(orgId);
  const issued = await operator.keys.create(orgId, { name: 'test', scopes: ['admin', 'ingest'] });
  expect((await all(operator.keys.list(orgId))).map(({ id }) => id)).toEqual([issued.data.id]);
  const { etag } = await operator.settings.get(orgId);
  const replaced = await operator.settings.replace(orgId, defaultSettings, { ifMatch: etag });
  expect(replaced.data.version).toBe(2);
  expect((await operator.audit.list({ limit: 1 }).page()).data).toHaveLength(1);
  await operator.keys.revoke(orgId, issued.data.id);

  expect((await client.me()).data.scopes).toContain('admin');
  expect((await client.signals.summary()).data.total).toBeGreaterThan(0);
  const [signal] = (await client.signals.list({ limit: 1 }).page()).data;
  expect((await client.signals.get(signal?.id ?? '')).data.activity_log).toHaveLength(1);
  const batch = await client.signals.batch([{ id: signal?.id ?? '', note: 'Noticed.' }]);
  expect(batch.data).toMatchObject({ changed: 1, outcomes: [{ id: signal?.id, error: null }] });
  expect((await client.signals.change(signal?.id ?? '', { note: 'Seen.' })).data.history.at(-1)?.note).toBe(
    'Seen.',
  );
  const [partner] = (await client.partners.list().page()).data;
  const partnerId = partner?.id ?? '';
  expect((await client.partners.get(partnerId)).data.name).toBe('Ash');
  expect(await all(client.partners.activities(partnerId))).toHaveLength(1);
  expect(await all(client.partners.overlaps(partnerId))).toMatchObject([
    { account: { name: 'Dale Optics' } },
  ]);

  const scores = (await client.partners.scorecard()).data.partners;
  expect(scores.map((score) => score.partner.name)).toContain('Ash');
  expect((await client.signals.performance()).data.total.fired).toBeGreaterThan(0);

  const [overlap] = await all(client.partners.overlaps(partnerId));
  const pair = {
    account_id: overlap?.account.id ?? '',
    partner_id: partnerId,
    partner_account_external_id: overlap?.partner_account.external_id ?? '',
  };
  const decided = await client.matches.decide({ ...pair, decision: 'different' });
  expect((await client.matches.decision(decided.data.id)).data.decision).toBe('different');
  expect((await client.matches.decideBatch([{ ...pair, decision: 'same' }])).data.outcomes).toHaveLength(1);
  const [newest, ...older] = await all(client.matches.decisions({ partner_id: partnerId }));
  expect([newest?.decision, older.length]).toEqual(['same', 1]);
  await client.matches.revert(newest?.id ?? '');
  expect(await all(client.matches.suggestions())).toEqual([]);
  expect(await all(client.matches.suggestions({ partner_id: partnerId }))).toEqual([]);
  expect((await client.matches.quality()).data.kinds.length).toBeGreaterThan(0);

  const [record] = await all(client.attribution.list({ tier: 'co_sell' }));
  const recordId = record?.id ?? '';
  expect((await client.attribution.get(recordId)).data.evidence_log).toHaveLength(1);
  expect((await client.attribution.summary({ tier: 'co_sell' })).data.totals).toMatchObject([{ deals: 1 }]);
  const { attribution, signals } = defaultSettings;
  const policy = { attribution, pre_intent: signals.pre_intent };
  expect((await client.attribution.simulate({ policy })).data.deals).toBe(1);
  const claim = { claimed_tier: 'sourced', justification: 'They brought the deal.' } as const;
  const dispute = await client.attribution.dispute(recordId, claim);
  expect(await refusal(client.attribution.dispute(recordId, claim))).toMatchObject({
    code: 'dispute_already_open',
  });
  const resolved = await client.attribution.resolveDispute(recordId, dispute.data.id, {
    status: 'withdrawn',
  });
  expect(resolved.data.status).toBe('withdrawn');

  const hook = await client.webhooks.register({ url: 'https://127.0.0.1:9443/', events: ['signal.created'] });
  const hookId = hook.data.id;
  expect(hook.data.secret).toMatch(/^whsec_/);
  expect((await client.webhooks.get(hookId)).data.status).toBe('enabled');
  expect((await all(client.webhooks.list())).map(({ id }) => id)).toEqual([hookId]);
  const delivery = await client.webhooks.test(hookId);
  expect((await client.webhooks.redeliver(delivery.data.id)).data.webhook_id).toBe(hookId);
  expect((await all(client.webhooks.deliveries(hookId))).length).toBeGreaterThan(0);
  expect((await client.webhooks.rotateSecret(hookId)).data.secret).toMatch(/^whsec_/);
  const span = { since: daysAgo(1), until: new Date().toISOString(), only: 'all' } as const;
  expect((await client.webhooks.redeliverSpan(hookId, span)).data.queued).toBeGreaterThanOrEqual(0);
  expect((await client.webhooks.change(hookId, { status: 'disabled' })).data.status).toBe('disabled');
  await client.webhooks.delete(hookId);
  expect(await refusal(client.webhooks.get(hookId))).toMatchObject({ code: 'not_found' });

  expect((await client.events.list().page()).resume_cursor).toMatch(/^cur_/);
  await client.load('partners', [{ external_id: 'p1', deleted: true }]);
  await client.load('accounts', [{ crm_id: 'a9', name: 'Elm' }]);
  await client.load('opportunities', [{ crm_id: 'o9', deleted: true }]);
  await client.load('partner_accounts', [{ partner_external_id: 'p1', external_id: 'x', deleted: true }]);
  await client.load('activities', [{ external_id: 'x', deleted: true }]);
  await client.load('exchange_rates', [{ date: '2026-02-27', base: 'EUR', quote: 'USD', rate: 1.08 }]);
  expect((await client.merge('accounts', [{ crm_id: 'a9', country: 'NO' }])).updated).toBe(1);
  const [account] = await all(client.accounts.list({ q: 'elm' }));
  expect((await client.accounts.get(account?.id ?? '')).data).toMatchObject({ name: 'Elm', country: 'NO' });
  expect(await all(client.accounts.activities(account?.id ?? ''))).toEqual([]);
  const [opportunity] = await all(client.opportunities.list());
  expect((await client.opportunities.get(opportunity?.id ?? '')).data.name).toBe(opportunity?.name);
  expect(await client.accounts.list({ q: 'elm' }).csv()).toMatch(/^id,name,crm_id,.*\r\nacc_\w+,Elm,a9,/);
  expect(await client.signals.summaryCsv()).toMatch(/^type,state,count\r\n/);
  expect(await client.attribution.summaryCsv({ tier: 'sourced' })).toMatch(/^by,converted,/);
  const current = await client.settings.get();
  const saved = await client.settings.replace(current.data.settings, { ifMatch: current.etag });
  expect(saved.data.version).toBe(current.data.version + 1);
  expect((await all(client.settings.versions())).length).toBe(saved.data.version);
  expect(
    await refusal(client.settings.replace(current.data.settings, { ifMatch: current.etag })),
  ).toMatchObject({
    code: 'precondition_failed',
  });

  const document = JSON.parse(await readFile('docs/openapi.json', 'utf8'));
  const planes = /^[/](v1|ingest[/]v1|admin[/]v1)[/]/;
  const operations = Object.entries<object>(document.paths)
    .filter(([path]) => planes.test(path) && path !== '/v1/openapi.json')
    .flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map((method) => ({ name: `${method.toUpperCase()} ${path}`, fits: pattern(method, path) })),
    );
  expect(operations.length).toBeGreaterThan(35);
  expect(
    operations.filter(({ fits }) => !calls.some((call) => fits.test(call))).map(({ name }) => name),
  ).toEqual([]);
});

/** `/summary` and the like are in the position of an identifier; an identifier has an underscore. */
function pattern(method: string, path: string): RegExp {
  return new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, '[a-z]{3}_[^/]+')}$`);
}
