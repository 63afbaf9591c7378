import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { defaultSettings } from '../../src/contract/settings.ts';
import { createAnswerCache } from '../../src/http/answers/answer-cache.ts';
import { takeQueuedSuggestions } from '../../src/store/matching/suggestion-queue.ts';
import { daysAgo, loadFacts } from '../facts.ts';
import { type Answer, startTestService, type TestOrganization, type TestService } from '../harness.ts';

let service: TestService;
/** Another process of the same installation, with a cache of its own. */
let other: TestService;
/** One that is asked for nothing twice, so that none of its answers comes from memory. */
let forgetful: TestService;
beforeAll(async () => {
  // Nothing changes by itself.
  service = await startTestService({ ROLE: 'api' });
  other = await startTestService({ ROLE: 'api' }, service.databaseUrl);
  forgetful = await startTestService({ ROLE: 'api' }, service.databaseUrl);
});
afterAll(async () => {
  await forgetful.close();
  await other.close();
  await service.close();
});

type Ids = Record<'signal' | 'partner' | 'account' | 'opportunity' | 'record' | 'decision', string>;

/** With something to see on every page. */
async function organization(): Promise<{ org: TestOrganization; ids: Ids }> {
  const org = await service.organization();
  await setSettings(org, { reporting_currency: 'EUR' });
  await loadFacts(org, {
    partners: [{}, {}],
    accounts: [{}, { name: 'Birch Foods' }],
    opportunities: [
      { currency: 'USD' },
      { crm_id: 'won', status: 'won', opened_at: daysAgo(30), currency: 'USD' },
    ],
    partner_accounts: [
      { external_id: 'l1' },
      { external_id: 'l2', domain: null, name: 'Birch Foods' },
      { external_id: 'l3', partner_external_id: 'p2', domain: null, name: 'Elsewhere' },
    ],
    activities: [{ kind: 'referral', occurred_at: daysAgo(40) }, { external_id: 'met' }],
    exchange_rates: [{}],
  });
  const first = async (path: string) => (await org.get(path)).body.data[0].id as string;
  const [partner = '', second] = (await org.get('/v1/partners')).body.data.map(
    (one: { id: string }) => one.id,
  );
  const account = (await org.get('/v1/accounts?q=Birch')).body.data[0].id;
  const decided = await org.call('POST', '/v1/match_decisions', {
    body: {
      account_id: account,
      partner_id: second,
      partner_account_external_id: 'l3',
      decision: 'different',
    },
  });
  expect(decided.status, decided.text).toBe(201);
  const ids = {
    signal: await first('/v1/signals'),
    partner,
    account: await first('/v1/accounts'),
    opportunity: await first('/v1/opportunities'),
    record: await first('/v1/attribution'),
    decision: decided.body.data.id,
  };
  return { org, ids };
}

function setSettings(org: TestOrganization, changed: Partial<typeof defaultSettings>): Promise<Answer> {
  const body = { ...defaultSettings, ...changed };
  return org.call('PUT', '/v1/settings', { body, headers: { 'if-match': '*' } });
}

const shown = (ids: Ids) => [
  ...['', '?sort=priority', '?state=new', '/summary', '/performance', `/${ids.signal}`].map(
    (at) => `/v1/signals${at}`,
  ),
  ...['', '/scorecard', `/${ids.partner}`].map((at) => `/v1/partners${at}`),
  ...['activities', 'overlaps', 'match_suggestions'].map((list) => `/v1/partners/${ids.partner}/${list}`),
  ...['', `/${ids.account}`, `/${ids.account}/activities`].map((at) => `/v1/accounts${at}`),
  ...['', `/${ids.opportunity}`].map((at) => `/v1/opportunities${at}`),
  ...[
    '/v1/match_suggestions',
    '/v1/match_decisions',
    `/v1/match_decisions/${ids.decision}`,
    '/v1/matches/quality',
  ],
  ...['', '/summary', `/${ids.record}`].map((at) => `/v1/attribution${at}`),
];

const content = ({ body: { meta, ...rest } }: Answer) => rest;
const read = async (from: TestService, { key }: TestOrganization, path: string) => {
  const answer = await from.call('GET', path, { key });
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return content(answer);
};
async function readOften(org: TestOrganization, paths: string[], times = 2): Promise<void> {
  for (let i = 0; i < times; i++)
    await Promise.all(paths.flatMap((path) => [read(service, org, path), read(other, org, path)]));
}
/** As nobody does: the version stays. */
const renameUnseen = ({ orgId }: TestOrganization, name: string) =>
  service.pool.query(`update partners set name = $2 where org_id = $1`, [orgId, name]);

const patch = (path: string, body: unknown) => (org: TestOrganization) => org.call('PATCH', path, { body });

describe('whatever changes is shown at once, by every process', () => {
  const changes: [name: string, change: (org: TestOrganization, ids: Ids) => Promise<unknown>][] = [
    ['a partner', (org) => loadFacts(org, { partners: [{ name: 'Renamed', tier: 1 }] })],
    ['a partner that is gone', (org) => loadFacts(org, { partners: [{ external_id: 'p2', deleted: true }] })],
    ['an account', (org) => loadFacts(org, { accounts: [{ name: 'Renamed' }] })],
    [
      'an account that became another',
      (org) => loadFacts(org, { accounts: [{ crm_id: 'a2', name: 'Merged', merged_into: 'a1' }] }),
    ],
    ['a deal', (org) => loadFacts(org, { opportunities: [{ name: 'Renamed', value: 5, currency: 'USD' }] })],
    ['a deal that is won', (org) => loadFacts(org, { opportunities: [{ status: 'won', currency: 'USD' }] })],
    [
      'a partner account',
      (org) => loadFacts(org, { partner_accounts: [{ external_id: 'l1', domain: null, name: 'Gone' }] }),
    ],
    ['an activity', (org) => loadFacts(org, { activities: [{ external_id: 'met', summary: 'Called' }] })],
    ['an exchange rate', (org) => loadFacts(org, { exchange_rates: [{ rate: 1.5 }] })],
    [
      'the state of a signal',
      (org, { signal }) => patch(`/v1/signals/${signal}`, { state: 'in_progress' })(org),
    ],
    ['a note', (org, { signal }) => patch(`/v1/signals/${signal}`, { note: 'Call them' })(org)],
    [
      'who works on it',
      (org, { signal }) =>
        patch(`/v1/signals/${signal}`, { assignee: { name: 'Rep', email: 'rep@example.com' } })(org),
    ],
    ['a decision', (org, ids) => org.call('DELETE', `/v1/match_decisions/${ids.decision}`)],
    [
      'a dispute',
      (org, { record }) =>
        org.call('POST', `/v1/attribution/${record}/disputes`, {
          body: { claimed_tier: 'co_sell', justification: 'They were there.' },
        }),
    ],
    ['the settings', (org) => setSettings(org, { density: { window_days: 30 } })],
  ];

  test.each(changes)('%s', async (_, change) => {
    const { org, ids } = await organization();
    const paths = shown(ids);
    await readOften(org, paths);
    const before = await Promise.all(paths.map((path) => read(service, org, path)));
    const answer = (await change(org, ids)) as Answer | undefined;
    expect(answer?.status ?? 200, answer?.text).toBeLessThan(300);
    const [after, elsewhere, uncached] = await Promise.all(
      [service, other, forgetful].map((from) =>
        Promise.all(paths.map(async (path) => content(await from.call('GET', path, { key: org.key })))),
      ),
    );
    for (const [i, path] of paths.entries()) {
      expect(after?.[i], path).toEqual(uncached?.[i]);
      expect(elsewhere?.[i], path).toEqual(uncached?.[i]);
    }
    expect(after).not.toEqual(before);
  });

  test('also while answers are being made: nobody reads what was before their own change', async () => {
    const { org, ids } = await organization();
    const paths = ['/v1/partners', `/v1/partners/${ids.partner}`, '/v1/signals'];
    let isOver = false;
    const others = Promise.all(
      [service, other].map(async (from) => {
        while (!isOver) {
          for (const path of paths) await read(from, org, path);
          await delay(20);
        }
      }),
    );
    for (let i = 0; i < 10; i++) {
      const name = `Name ${i}`;
      await loadFacts(org, { partners: [{ name }] });
      for (const from of [other, service])
        for (const path of paths) expect(JSON.stringify(await read(from, org, path)), path).toContain(name);
    }
    isOver = true;
    await others;
  });
});

test('an answer is cached from the second time that it is asked for, until the version changes', async () => {
  const { org, ids } = await organization();
  const paths = shown(ids);
  await readOften(org, paths);
  const cached = await Promise.all(paths.map((path) => read(service, org, path)));
  await renameUnseen(org, 'Unseen');
  // Not asked for before.
  expect((await read(service, org, '/v1/partners?tier=2')).data[0].name).toBe('Unseen');
  expect(await Promise.all(paths.map((path) => read(service, org, path)))).toEqual(cached);
  expect((await read(forgetful, org, '/v1/partners')).data[0].name).toBe('Unseen');
  await loadFacts(org, { partners: [{ external_id: 'p3' }] });
  expect((await read(service, org, '/v1/partners')).data[0].name).toBe('Unseen');
});

test('it is an answer to its own request', async () => {
  const { org, ids } = await organization();
  const path = `/v1/signals/${ids.signal}`;
  await readOften(org, [path]);
  await renameUnseen(org, 'Unseen');
  const first = await org.get(path);
  const second = await org.get(path);
  expect(second.body.data.partner.name).not.toBe('Unseen');
  expect(second.body.meta.request_id).toBe(second.headers['x-request-id']);
  expect(second.body.meta.request_id).not.toBe(first.body.meta.request_id);
  expect(Date.parse(second.body.meta.timestamp)).toBeGreaterThanOrEqual(
    Date.parse(first.body.meta.timestamp),
  );
  const left = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining']);
  expect(left(second)).toBe(left(first) - 1);
  expect(second.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(second.headers.etag).toBe(first.headers.etag);
  // The tag is that of what was sent.
  await loadFacts(org, { accounts: [{ name: 'Renamed' }] });
  const stale = { 'if-match': second.headers.etag ?? '' };
  const refused = await org.call('PATCH', path, { body: { note: 'Hi' }, headers: stale });
  expect(refused.status).toBe(412);
});

test('a queue that is counted changes the answer when it changes alone', async () => {
  const { org } = await organization();
  const waiting = async () => (await read(service, org, '/v1/matches/quality')).data.suggestions.waiting;
  for (let i = 0; i < 3; i++) expect(await waiting()).toBeGreaterThan(0);
  const orgId = org.orgId as OrganizationId;
  await service.db.write(orgId, (tx) => takeQueuedSuggestions(tx, orgId));
  expect(await waiting()).toBe(0);
});

test('other ways to ask get their own answer', async () => {
  const { org, ids } = await organization();
  const path = `/v1/signals/${ids.signal}`;
  await readOften(org, ['/v1/signals', path]);
  const { headers } = await org.get(path);
  const known = { 'if-none-match': headers.etag ?? '' };
  expect((await org.call('GET', path, { headers: known })).status).toBe(304);
  const head = await org.call('HEAD', '/v1/signals');
  expect(head).toMatchObject({ status: 200, text: '' });
  const csv = await org.call('GET', '/v1/signals', { headers: { accept: 'text/csv' } });
  expect(csv.text).toMatch(/^id,type,state/);
});

test('nobody gets an answer that is not theirs', async () => {
  const { org, ids } = await organization();
  const { org: neighbour } = await organization();
  await readOften(org, shown(ids));
  for (const path of shown(ids)) {
    const answer = await neighbour.get(path);
    const mine = Object.values(ids);
    if (mine.some((id) => path.includes(id))) expect(answer.status, path).toBe(404);
    else for (const id of mine) expect(answer.text, path).not.toContain(id);
  }
  expect((await service.call('GET', '/v1/signals')).status).toBe(401);
  const path = `/admin/v1/organizations/${org.orgId}/keys`;
  const scopeless = (await service.operator('POST', path, { name: 'ingest', scopes: ['ingest'] })).body.data;
  expect((await service.call('GET', '/v1/signals', { key: scopeless.key })).status).toBe(403);
  await service.operator('DELETE', `${path}/${org.keyId}`);
  expect((await org.get('/v1/signals')).status).toBe(401);
});

test('the answers used last stay in the cache, up to its size', () => {
  const cache = createAnswerCache(10_000);
  const answer = { version: 'v', before: 'x'.repeat(1_000), after: '', etag: undefined };
  for (let i = 0; i < 4; i++) cache.set(`n${i}`, answer);
  cache.get('n0');
  cache.set('n4', answer);
  expect([0, 1, 2, 3, 4].map((i) => cache.get(`n${i}`) === answer)).toEqual([true, false, true, true, true]);
  cache.set('too large', { ...answer, before: 'x'.repeat(6_000) });
  expect(['n0', 'n4', 'too large'].map((name) => cache.has(name))).toEqual([true, true, false]);
  for (let i = 0; i < 100; i++) cache.set(`asked ${i}`, 'asked once');
  expect([0, 99].map((i) => cache.has(`asked ${i}`))).toEqual([false, true]);
});
