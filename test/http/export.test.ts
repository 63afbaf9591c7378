import { get } from 'node:https';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { document } from '../api-document.ts';
import { loadFacts, readAll } from '../facts.ts';
import { operatorKey, startTestService, type TestOrganization, type TestService } from '../harness.ts';

const accept = { accept: 'text/csv' };
const count = 250;

let service: TestService;
let org: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  org = await service.organization();
  const places = Array.from({ length: count }, (_, i) => i + 1);
  await loadFacts(org, {
    partners: [
      { name: '=HYPERLINK("https://evil.example","Click")' },
      { external_id: '-1', name: '-1+1' },
      { name: '\u00a0=1+1' },
      { name: 'Zephyr;=1+1;' },
    ],
    accounts: places.map(() => ({})),
    opportunities: [
      { status: 'won', name: 'Ende, "gut"\nalles gut', value: 1.5, currency: 'EUR' },
      { crm_id: 'o2', name: '@open' },
    ],
    partner_accounts: places.map((place) => ({ domain: `a${place}.example` })),
    activities: [{ kind: 'referral' }],
  });
});
afterAll(() => service.close());

const exported = (path: string, from: TestOrganization = org) => from.call('GET', path, { headers: accept });
async function rowsOf(path: string): Promise<Record<string, string>[]> {
  const answer = await exported(path);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
  return parse(answer.text, { columns: true });
}

test('a list is exported whole, in its order, page by page', async () => {
  const rows = await rowsOf('/v1/signals');
  const listed = await readAll<{ id: string; fired_at: string }>(org, '/v1/signals');
  expect(listed.length).toBeGreaterThan(count);
  expect(rows.map(({ id, fired_at }) => [id, fired_at])).toEqual(
    listed.map(({ id, fired_at }) => [id, fired_at]),
  );
  const head =
    'id,type,state,partner.id,partner.name,partner.type,account.id,account.name,account.crm_id,opportunity.id';
  expect((await exported('/v1/signals')).text.startsWith(head)).toBe(true);
});

test('filters count', async () => {
  const rows = await rowsOf('/v1/signals?type=co_sell');
  expect(rows.length).toBe((await readAll(org, '/v1/signals?type=co_sell')).length);
  expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(['co_sell']));
  expect(await rowsOf('/v1/accounts?q=account a25')).toMatchObject([{ crm_id: 'a25' }, { crm_id: 'a250' }]);
});

test('text cannot be a formula, and numbers stay numbers', async () => {
  const names = (await rowsOf('/v1/partners')).map(({ name }) => name);
  expect(names.toSorted()).toEqual([
    `'-1+1`,
    `'=HYPERLINK("https://evil.example","Click")`,
    "Zephyr;'=1+1;",
    "\u00a0'=1+1",
  ]);
  const [open, won] = await rowsOf('/v1/opportunities');
  expect(open?.name).toBe(`'@open`);
  expect(won).toMatchObject({
    name: 'Ende, "gut"\nalles gut',
    value: '1.5',
    closed_date: expect.stringMatching(/^\d{4}-/),
  });
});

test('summaries are rows, too', async () => {
  const counts = await rowsOf('/v1/signals/summary');
  const { by_type } = (await org.get('/v1/signals/summary')).body.data;
  expect(counts).toHaveLength(12);
  for (const { type = '', state = '', count } of counts) expect(count).toBe(String(by_type[type][state]));
  const totals = await rowsOf('/v1/attribution/summary');
  expect(totals.map(({ by }) => by)).toEqual(['all', 'partner', 'tier', 'month', 'tier_and_month']);
  expect(totals[1]).toMatchObject({
    'partner.name': `'=HYPERLINK("https://evil.example","Click")`,
    converted: 'false',
    currency: 'EUR',
    credited_value: '1.5',
  });
});

describe('every list and summary of the API document', () => {
  const paths = Object.entries(document.paths).flatMap(([path, { get: operation }]) => {
    const content = (operation?.responses['200'] as { content?: Record<string, unknown> } | undefined)
      ?.content;
    const isList = JSON.stringify(content ?? {}).includes('has_more') || path.endsWith('/summary');
    return isList ? [{ path, isExported: 'text/csv' in (content ?? {}) }] : [];
  });

  test.each(paths)('$path', async ({ path, isExported }) => {
    expect(isExported).toBe(true);
    const { orgId, key } = await service.organization();
    const own = await readAll<{ id: string }>(org, '/v1/partners');
    const accounts = await readAll<{ id: string }>(org, '/v1/accounts');
    const webhook = { url: 'https://receiver.invalid/hook', events: ['signal.created'] };
    const { id } = (await org.call('POST', '/v1/webhooks', { body: webhook })).body.data;
    const filled = path
      .replace('{org_id}', orgId)
      .replace('{partner_id}', own[0]?.id ?? '')
      .replace('{account_id}', accounts[0]?.id ?? '')
      .replace('{webhook_id}', id);
    const caller = path.startsWith('/admin') ? operatorKey : /_id\}/.test(path) ? org.key : key;
    const answer = await service.call('GET', filled, { key: caller, headers: accept });
    expect(answer.headers['content-type']).toMatch(/^text\/csv/);
    expect(answer.text).toMatch(/^[a-z_]+[,.]/);
  });
});

test('an event is a row with its data as JSON', async () => {
  const rows = await rowsOf('/v1/events');
  expect(rows).toHaveLength((await readAll(org, '/v1/events')).length);
  expect(JSON.parse(rows[0]?.data ?? '')).toMatchObject({ id: expect.stringMatching(/^sig_/) });
});

test('limit and cursor are refused, since there are no pages', async () => {
  const answer = await exported('/v1/partners?limit=5&cursor=x');
  expect(answer.status).toBe(400);
  expect(answer.body.error.details.map(({ field }: { field: string }) => field)).toEqual(['limit', 'cursor']);
});

test('who does not ask for CSV gets JSON, and what fails is an error as ever', async () => {
  const both = await org.call('GET', '/v1/partners', { headers: { accept: 'application/json, text/csv' } });
  expect(both.headers['content-type']).toMatch(/^application\/json/);
  expect((await exported('/v1/partners/nope/activities')).body.error.code).toBe('not_found');
  expect((await exported('/v1/partners?tier=9')).body.error.code).toBe('invalid_request');
  const loader = await service.organization({ scopes: ['ingest'] });
  expect((await exported('/v1/partners', loader)).status).toBe(403);
  const detail = await exported(
    `/v1/partners/${(await readAll<{ id: string }>(org, '/v1/partners'))[0]?.id}`,
  );
  expect(detail.headers['content-type']).toMatch(/^application\/json/);
});

test('a HEAD has the headers, and keeps nobody from an export', async () => {
  const head = await org.call('HEAD', '/v1/partners', { headers: accept });
  expect([head.status, head.headers['content-type'], head.text]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
    '',
  ]);
  expect((await exported('/v1/partners')).status).toBe(200);
});

describe('one export of an organization at a time', () => {
  const held = async (orgId = org.orgId) =>
    (await service.pool.query(`select id from exports where org_id = $1`, [orgId])).rows.length;
  const hold = (orgId: string, seconds: number) =>
    service.pool.query(
      `insert into exports (org_id, id, claimed_at, expires_at)
       values ($1, 'another', now(), now() + $2 * interval '1 second')`,
      [orgId, seconds],
    );

  test('another one is 429 and says when to come back; other organizations do not notice', async () => {
    const [busy, other] = [await service.organization(), await service.organization()];
    await hold(busy.orgId, 60);
    const refused = await exported('/v1/partners', busy);
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '5' },
      body: { error: { code: 'rate_limited' } },
    });
    expect((await busy.get('/v1/partners')).status).toBe(200);
    expect((await exported('/v1/partners', other)).status).toBe(200);
  });

  test('one that went silent is taken over', async () => {
    const busy = await service.organization();
    await hold(busy.orgId, -1);
    expect((await exported('/v1/partners', busy)).status).toBe(200);
    expect(await held(busy.orgId)).toBe(0);
  });

  test('it ends with the file, with an error, and when the client stops reading', async () => {
    await exported('/v1/signals');
    await expect.poll(() => held()).toBe(0);
    await new Promise<void>((resolve) => {
      const sent = get(
        `${service.url}/v1/signals`,
        { ca: service.ca, headers: { ...accept, authorization: `Bearer ${org.key}` } },
        (response) => response.once('data', () => sent.destroy()),
      );
      sent.on('close', resolve).on('error', () => {});
    });
    await expect.poll(() => held()).toBe(0);
    expect((await exported('/v1/signals')).status).toBe(200);
  });
});
