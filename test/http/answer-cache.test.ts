import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { defaultSettings } from '../../src/contract/settings.ts';
import { createAnswerCache } from '../../src/http/answers/answer-cache.ts';
import { takeQueuedSuggestions } from '../../src/store/matching/suggestion-queue.ts';
import { loadFacts } from '../facts.ts';
import { type Answer, startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { createFullOrganization, getRoutes, type Ids, pathOf } from './get-routes.ts';

let service: TestService;
/** Another process of the same installation, with its own cache. */
let other: TestService;
beforeAll(async () => {
  // Nothing changes by itself, and webhooks can be registered without a network.
  const env = { ROLE: 'api', WEBHOOK_ALLOW_PRIVATE: 'true' };
  service = await startTestService(env);
  other = await startTestService(env, service.databaseUrl);
});
afterAll(async () => {
  await other.close();
  await service.close();
});

function setSettings(org: TestOrganization, changed: Partial<typeof defaultSettings>): Promise<Answer> {
  const body = { ...defaultSettings, ...changed };
  return org.call('PUT', '/v1/settings', { body, headers: { 'if-match': '*' } });
}

const cachedRoutes = getRoutes.filter(({ isCached }) => isCached);
const cachedPaths = (ids: Ids) => cachedRoutes.map((route) => pathOf(route, ids));

const content = ({ body: { meta, ...rest } }: Answer) => rest;
const read = async (from: TestService, { key }: TestOrganization, path: string, headers = {}) => {
  // Only one route describes If-None-Match; the others ignore it.
  const answer = await from.call('GET', path, { key, headers, isJunk: true });
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  return content(answer);
};
/** No tag is this one, and only a request without it is answered from the cache. */
const pastTheCache = { 'if-none-match': '"none"' };
async function readOften(org: TestOrganization, paths: string[], times = 2): Promise<void> {
  for (let i = 0; i < times; i++)
    await Promise.all(paths.flatMap((path) => [read(service, org, path), read(other, org, path)]));
}
/** Changes a row without changing the version, which the service never does. */
const renameUnseen = ({ orgId }: TestOrganization, name: string) =>
  service.pool.query(`update partners set name = $2 where org_id = $1`, [orgId, name]);

describe('whatever changes is shown immediately, by every process', () => {
  type Change = (org: TestOrganization, ids: Ids) => Promise<unknown>;
  const changeSignal =
    (body: unknown): Change =>
    (org, ids) =>
      org.call('PATCH', `/v1/signals/${ids.signal_id}`, { body });
  const changes: [name: string, change: Change][] = [
    ['a note', changeSignal({ note: 'Call them' })],
    ['who works on a signal', changeSignal({ assignee: { name: 'Rep', email: 'rep@example.com' } })],
    ['the state of a signal', changeSignal({ state: 'in_progress' })],
    [
      'a dispute',
      (org, ids) =>
        org.call('POST', `/v1/attribution/${ids.record_id}/disputes`, {
          body: { claimed_tier: 'co_sell', justification: 'They were there.' },
        }),
    ],
    ['the settings', (org) => setSettings(org, { density: { window_days: 30 } })],
    ['an exchange rate', (org) => loadFacts(org, { exchange_rates: [{ rate: 1.5 }] })],
    ['an activity', (org) => loadFacts(org, { activities: [{ external_id: 'met o1', summary: 'Called' }] })],
    ['a partner', (org) => loadFacts(org, { partners: [{ name: 'Renamed', tier: 1 }] })],
    ['an account', (org) => loadFacts(org, { accounts: [{ name: 'Renamed' }] })],
    ['a deal', (org) => loadFacts(org, { opportunities: [{ name: 'Renamed', value: 5, currency: 'USD' }] })],
    [
      'a partner account',
      (org) => loadFacts(org, { partner_accounts: [{ external_id: 'a2', domain: null, name: 'Gone' }] }),
    ],
    ['a decision', (org, ids) => org.call('DELETE', `/v1/match_decisions/${ids.decision_id}`)],
    ['a deal that is won', (org) => loadFacts(org, { opportunities: [{ status: 'won', currency: 'USD' }] })],
    [
      'an account that is merged',
      (org) => loadFacts(org, { accounts: [{ crm_id: 'a2', name: 'Merged', merged_into: 'a1' }] }),
    ],
    ['a partner that is gone', (org) => loadFacts(org, { partners: [{ external_id: 'p2', deleted: true }] })],
  ];

  // Each organization gets several changes, but no more than it has requests in a minute.
  const organizations: Awaited<ReturnType<typeof createFullOrganization>>[] = [];
  beforeAll(async () => {
    for (let i = 0; i < 4; i++) organizations.push(await createFullOrganization(service));
    await Promise.all(organizations.map(({ org, ids }) => readOften(org, cachedPaths(ids))));
  });

  test.each(changes.map(([name, change], index) => ({ name, change, index })))(
    '$name',
    async ({ change, index }) => {
      const { org, ids } = organizations[index % 4] as (typeof organizations)[number];
      const answers = async (read: (path: string) => Promise<Answer>) =>
        (await Promise.all(cachedPaths(ids).map(read))).map(({ status, body: { meta, error, ...rest } }) => ({
          status,
          ...rest,
        }));
      const from = (process: TestService, headers?: Record<string, string>) =>
        answers((path) =>
          process.call('GET', path, { key: org.key, isJunk: true, ...(headers && { headers }) }),
        );
      const before = await from(service);
      const answer = (await change(org, ids)) as Answer | undefined;
      expect(answer?.status ?? 200, answer?.text).toBeLessThan(300);
      const [after, elsewhere, fresh] = [
        await from(service),
        await from(other),
        await from(other, pastTheCache),
      ];
      for (const [i, path] of cachedPaths(ids).entries()) {
        expect(after[i], path).toEqual(fresh[i]);
        expect(elsewhere[i], path).toEqual(fresh[i]);
      }
      expect(after).not.toEqual(before);
    },
  );

  test('also while answers are being made: nobody reads what was before their own change', async () => {
    const { org, ids } = await createFullOrganization(service);
    const paths = ['/v1/partners', `/v1/partners/${ids.partner_id}`, '/v1/signals'];
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
  const { org, ids } = await createFullOrganization(service);
  const paths = cachedPaths(ids);
  await readOften(org, paths);
  const cached = await Promise.all(paths.map((path) => read(service, org, path)));
  await renameUnseen(org, 'Unseen');
  // Not requested before.
  expect((await read(service, org, '/v1/partners?tier=2')).data[0].name).toBe('Unseen');
  expect(await Promise.all(paths.map((path) => read(service, org, path)))).toEqual(cached);
  expect((await read(service, org, '/v1/partners', pastTheCache)).data[0].name).toBe('Unseen');
  await loadFacts(org, { partners: [{ external_id: 'p3' }] });
  expect((await read(service, org, '/v1/partners')).data[0].name).toBe('Unseen');
});

test('it is an answer to its own request', async () => {
  const { org, ids } = await createFullOrganization(service);
  const path = `/v1/signals/${ids.signal_id}`;
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
  // The ETag belongs to the response that was sent.
  await loadFacts(org, { accounts: [{ name: 'Renamed' }] });
  const stale = { 'if-match': second.headers.etag ?? '' };
  const refused = await org.call('PATCH', path, { body: { note: 'Hi' }, headers: stale });
  expect(refused.status).toBe(412);
});

test('a queue that is counted changes the answer when it changes alone', async () => {
  const { org } = await createFullOrganization(service);
  await loadFacts(org, { partner_accounts: [{ domain: null, name: 'Birch Foods North' }] });
  const waiting = async () => (await read(service, org, '/v1/matches/quality')).data.suggestions.waiting;
  for (let i = 0; i < 3; i++) expect(await waiting()).toBeGreaterThan(0);
  const orgId = org.orgId as OrganizationId;
  await service.db.write(orgId, (tx) => takeQueuedSuggestions(tx, orgId));
  expect(await waiting()).toBe(0);
});

test('other ways to ask get their own answer', async () => {
  const { org, ids } = await createFullOrganization(service);
  const path = `/v1/signals/${ids.signal_id}`;
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
  const { org, ids } = await createFullOrganization(service);
  const { org: neighbour } = await createFullOrganization(service);
  await readOften(org, cachedPaths(ids));
  for (const path of cachedPaths(ids)) {
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
