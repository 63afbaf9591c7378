import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FactKind, factKinds, type Scope } from '../../src/vocabulary.ts';
import { awayFromMinuteEnd, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { counts, everythingOf, post, send, signalsOf } from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Row = Record<string, unknown>;

const partner = (external_id: string) => ({ external_id, name: 'Lantern Quay', type: 'gsi', tier: 1 });
const partners = (count: number) => Array.from({ length: count }, (_, i) => partner(`p${i}`));
const held = async (org: TestOrganization) => (await everythingOf(service.pool, org.orgId)).partners?.length;

describe('a batch', () => {
  test('holds 10,000 rows; one more is 413 and nothing of it is applied', async () => {
    const org = await service.organization();
    const over = await post(org, 'partners', partners(10_001));
    expect([over.status, over.body.error.code]).toEqual([413, 'payload_too_large']);
    expect(await held(org)).toBe(0);
    expect(counts(await send(org, 'partners', partners(10_000)))).toEqual({
      received: 10_000,
      created: 10_000,
    });
  });

  test('holds 16 MiB; one byte more is 413 and nothing of it is applied', async () => {
    const org = await service.organization();
    const bytes = 16 * 1024 * 1024;
    const text = JSON.stringify([partner('p1')]);
    const sendRaw = (raw: string) => org.call('POST', '/ingest/v1/partners', { raw });
    const over = await sendRaw(text.padEnd(bytes + 1));
    expect([over.status, over.body.error.code]).toEqual([413, 'payload_too_large']);
    expect(await held(org)).toBe(0);
    expect((await sendRaw(text.padEnd(bytes))).body.data.created).toBe(1);
  });

  test('may be empty', async () => {
    const answer = await post(await service.organization(), 'activities', []);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      received: 0,
      created: 0,
      updated: 0,
      unchanged: 0,
      rejected: 0,
      errors: [],
    });
  });

  test.each(['{}', '{"data":[]}', '"x"', '7', 'null', 'true', '', '[', '[{}', '[{},]', '\ufeff'])(
    '%j is 400',
    async (raw) => {
      const org = await service.organization();
      const answer = await org.call('POST', '/ingest/v1/partners', { raw });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
      expect(answer.body.error.details).toMatchObject([{ field: 'body' }]);
    },
  );

  test.each(factKinds)('of %s without a body is 400, and a stream of no lines is a stream', async (kind) => {
    const org = await service.organization();
    const sent = async (headers: Record<string, string>) => {
      const { status, body } = await org.call('POST', `/ingest/v1/${kind}`, { headers });
      return [status, body.error?.code, body.error?.details?.[0].field ?? body.data?.received];
    };
    const refused = [400, 'invalid_request', 'body'];
    const chunked = { 'transfer-encoding': 'chunked' };
    const json = { 'content-type': 'application/json' };
    for (const headers of [{}, json, { ...json, ...chunked }])
      expect([headers, await sent(headers)]).toEqual([headers, refused]);
    for (const headers of [{ 'content-type': 'text/plain' }, chunked])
      expect([headers, await sent(headers)]).toEqual([headers, [415, 'unsupported_media_type', undefined]]);
    const stream = { 'content-type': 'application/x-ndjson' };
    for (const headers of [stream, { ...stream, ...chunked }])
      expect([headers, await sent(headers)]).toEqual([headers, [200, undefined, 0]]);
  });

  test.each(['text/plain', 'application/xml', 'application/jsonl', 'application/x-ndjson-x', ''])(
    'as %j is 415 and told what to send',
    async (type) => {
      const org = await service.organization();
      const answer = await post(org, 'partners', partners(1), { headers: { 'content-type': type } });
      expect([answer.status, answer.body.error.code]).toEqual([415, 'unsupported_media_type']);
      expect(answer.body.error.message).toContain('application/x-ndjson');
      expect(await held(org)).toBe(0);
    },
  );

  test('is 400 with a parameter that does not exist or another value of backfill than true or false', async () => {
    const org = await service.organization();
    for (const query of ['?backfill=1', '?backfill=', '?backfill=TRUE', '?backfill=yes', '?back_fill=true']) {
      const answer = await post(org, 'partners', partners(1), { query });
      expect([query, answer.status]).toEqual([query, 400]);
      expect(answer.body.error.details).toMatchObject([{ field: query.slice(1).split('=')[0] }]);
    }
    expect(await held(org)).toBe(0);
    expect((await post(org, 'partners', partners(1), { query: '?backfill=false' })).status).toBe(200);
  });
});

test.each([
  ['application/json', (lines: string[]) => `[${lines.join(',')}]`],
  ['application/x-ndjson', (lines: string[]) => lines.join('\n')],
])('a row with a prototype is a bad row like any other, as %s', async (type, body) => {
  const org = await service.organization();
  const lines = [
    JSON.stringify(partner('p1')),
    '{"external_id":"p2","name":"Lantern Quay","__proto__":{"type":"gsi","tier":1}}',
    '{"external_id":"p3","name":"x","type":"gsi","tier":1,"\\u005f_proto__":null}',
    '{"external_id":"p4","deleted":true,"name":{"__proto__":{"deleted":false}}}',
    JSON.stringify(partner('p5')),
  ];
  const headers = { 'content-type': type };
  const { data } = (await org.call('POST', '/ingest/v1/partners', { raw: body(lines), headers })).body;
  expect(data).toMatchObject({ received: 5, created: 2, rejected: 3 });
  const named = (data.errors as Row[]).map(({ index, field, code }) => `${index} ${field} ${code}`);
  expect(named).toEqual(
    expect.arrayContaining(['1 __proto__ unknown', '2 __proto__ unknown', '3 name.__proto__ unknown']),
  );
  expect(named).toContain('1 type required');
});

test('the scope ingest is needed for ingest, and opens nothing else', async () => {
  for (const scope of ['read', 'write', 'admin'] as Scope[]) {
    const org = await service.organization({ scopes: [scope] });
    for (const kind of factKinds) {
      const answer = await post(org, kind, []);
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden']);
      expect(answer.body.error.message).toContain('"ingest"');
    }
  }
  const pipeline = await service.organization({ scopes: ['ingest'] });
  expect((await post(pipeline, 'partners', [])).status).toBe(200);
  expect((await pipeline.get('/v1/signals')).status).toBe(403);
  expect((await service.call('POST', '/ingest/v1/partners', { body: [] })).status).toBe(401);
});

test('ingest counts against a limit of its own', async () => {
  const org = await service.organization({ plan: 'standard' });
  const left = async (answer: ReturnType<TestOrganization['get']>) =>
    Number((await answer).headers['x-ratelimit-remaining']);
  await awayFromMinuteEnd();
  const client = await left(org.get('/v1/signals'));
  const ingest = await left(post(org, 'partners', []));
  expect(await left(post(org, 'partners', []))).toBe(ingest - 1);
  expect(await left(org.get('/v1/signals'))).toBe(client - 1);
});

test('a batch that is sent again under its Idempotency-Key gets its first answer, and runs once', async () => {
  const org = await service.organization();
  const headers = { 'idempotency-key': 'batch-1' };
  const first = await post(org, 'partners', partners(2), { headers });
  await send(org, 'partners', [{ ...partner('p0'), deleted: true }]);
  const again = await post(org, 'partners', partners(2), { headers });
  expect(first.body.data.created).toBe(2);
  expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
  const { rows } = await service.pool.query(
    `select count(*) from partners where org_id = $1 and deleted_at is null`,
    [org.orgId],
  );
  expect(rows[0].count).toBe(1);
  const conflict = await post(org, 'partners', partners(3), { headers });
  expect([conflict.status, conflict.body.error.code]).toEqual([409, 'idempotency_conflict']);
  const other = await post(org, 'partners', partners(2), { headers, query: '?backfill=true' });
  expect(other.status).toBe(409);
});

test('a backfill creates signals and events as usual, but delivers none of them', async () => {
  const facts = {
    partners: [{}],
    accounts: [{}],
    opportunities: [{}],
    partner_accounts: [{}],
    activities: [{}],
  };
  const types = async (backfill: boolean) => {
    const org = await service.organization();
    await loadFacts(org, facts, { backfill });
    const { rows } = await service.pool.query(
      `select kind, deliverable, data ->> 'type' as type from events where org_id = $1 order by 3`,
      [org.orgId],
    );
    expect(await signalsOf(org)).toHaveLength(2);
    return rows;
  };
  const created = { kind: 'signal.created', deliverable: true };
  const live = [
    { ...created, type: 'co_sell' },
    { ...created, type: 'overlap' },
  ];
  expect(await types(false)).toEqual(live);
  expect(await types(true)).toEqual(live.map((event) => ({ ...event, deliverable: false })));
});

describe('two organizations with the same external ids', () => {
  const facts = {
    partners: [{}],
    accounts: [{}],
    opportunities: [{}],
    partner_accounts: [{ external_id: 'pa1' }],
    activities: [{ external_id: 'v1' }],
  };

  test('never meet: what one sends, changes or withdraws is nothing to the other', async () => {
    const [one, two] = [await service.organization(), await service.organization()];
    await loadFacts(one, facts);
    const before = await everythingOf(service.pool, one.orgId);
    await loadFacts(two, facts);
    expect((await signalsOf(two)).map(({ type }) => type)).toEqual(
      (await signalsOf(one)).map(({ type }) => type),
    );
    const withdrawals: [FactKind, Row][] = [
      ['activities', { external_id: 'v1' }],
      ['partner_accounts', { partner_external_id: 'p1', external_id: 'pa1' }],
      ['opportunities', { crm_id: 'o1' }],
      ['accounts', { crm_id: 'a1' }],
      ['partners', { external_id: 'p1' }],
    ];
    for (const [kind, key] of withdrawals)
      expect(counts(await send(two, kind, [{ ...key, deleted: true }]))).toEqual({ received: 1, updated: 1 });
    expect(await signalsOf(two, '?state=new')).toEqual([]);
    expect(await everythingOf(service.pool, one.orgId)).toEqual(before);
  });

  test('cannot refer to each other', async () => {
    const [owner, stranger] = [await service.organization(), await service.organization()];
    await loadFacts(owner, facts);
    await loadFacts(stranger, { partners: [{ external_id: 'own' }], accounts: [{ crm_id: 'own' }] });
    const activity = {
      external_id: 'v1',
      partner_external_id: 'own',
      account_crm_id: 'own',
      kind: 'referral',
      occurred_at: '2026-01-31T12:00:00Z',
      summary: 'Sent us a lead',
    };
    const opportunity = { name: 'Renewal', value: 1, stage: 'x', status: 'open', opened_at: '2026-01-31' };
    const refused: [FactKind, Row, string][] = [
      ['accounts', { crm_id: 'own', name: 'Own', merged_into: 'a1' }, 'merged_into'],
      ['opportunities', { ...opportunity, crm_id: 'o9', account_crm_id: 'a1' }, 'account_crm_id'],
      [
        'partner_accounts',
        { partner_external_id: 'p1', external_id: 'pa9', name: 'X', relationship: 'customer' },
        'partner_external_id',
      ],
      ['activities', { ...activity, partner_external_id: 'p1' }, 'partner_external_id'],
      ['activities', { ...activity, account_crm_id: 'a1' }, 'account_crm_id'],
      ['activities', { ...activity, account_crm_id: null, domain: 'a1.example' }, 'domain'],
      ['activities', { ...activity, opportunity_crm_id: 'o1' }, 'opportunity_crm_id'],
    ];
    const before = await everythingOf(service.pool, owner.orgId);
    for (const [kind, row, field] of refused) {
      const { errors } = await send(stranger, kind, [row]);
      expect(errors).toMatchObject([{ index: 0, field, code: 'unknown_reference' }]);
    }
    expect(await everythingOf(service.pool, owner.orgId)).toEqual(before);
  });
});
