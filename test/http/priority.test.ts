import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkNow, moveBack } from '../due-work.ts';
import { awayFromMidnight, daysAgo, type ListedSignal, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { eventsOf, send } from '../ingest/requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(awayFromMidnight);

type Prioritized = ListedSignal;

/** Deals of 1,000 to 9,000 EUR, each with a joint meeting; the larger, the higher the priority. */
async function organizationWithOpportunities(): Promise<TestOrganization> {
  const org = await service.organization();
  const places = Array.from({ length: 9 }, (_, i) => i + 1);
  await loadFacts(org, {
    partners: [{}, {}],
    accounts: places.map(() => ({})),
    opportunities: places.map((n) => ({ account_crm_id: `a${n}`, value: 1_000 * n, currency: 'EUR' })),
    activities: places.map((n) => ({ account_crm_id: `a${n}`, partner_external_id: n % 2 ? 'p1' : 'p2' })),
  });
  return org;
}

const accountsOf = (signals: Prioritized[]) => signals.map(({ account }) => account.crm_id);
const byPriority = (org: TestOrganization, query = '') =>
  readAll<Prioritized>(org, `/v1/signals?sort=priority${query}`);
const detailOf = async (org: TestOrganization, id: string) => (await org.get(`/v1/signals/${id}`)).body.data;

/** Waits until the background job has scored every signal again. */
async function rescored(org: TestOrganization): Promise<void> {
  await service.pool.query(`update priority_scales set due_at = now(), walked_to = null where org_id = $1`, [
    org.orgId,
  ]);
  await checkNow(service.pool, org);
  await expect
    .poll(async () => {
      const { rows } = await service.pool.query(
        `select due_at > now() and walked_to is null as done from priority_scales where org_id = $1`,
        [org.orgId],
      );
      return rows[0].done;
    })
    .toBe(true);
}

test('signals are listed by priority, the largest deal first, page by page', async () => {
  const org = await organizationWithOpportunities();
  const all = await byPriority(org);
  expect(accountsOf(all)).toEqual(['a9', 'a8', 'a7', 'a6', 'a5', 'a4', 'a3', 'a2', 'a1']);
  const priorities = all.map(({ priority }) => priority);
  expect(priorities).toEqual(priorities.toSorted((a, b) => (b ?? 0) - (a ?? 0)));

  const paged: Prioritized[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await org.get(`/v1/signals?sort=priority&limit=2${cursor}`);
    paged.push(...body.data);
    if (!body.has_more) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(paged).toEqual(all);
  const newest = await readAll<Prioritized>(org, '/v1/signals?sort=fired_at');
  expect(newest).toEqual(await readAll(org, '/v1/signals'));
});

test('of equal priority the newest comes first', async () => {
  const org = await service.organization();
  for (const n of [1, 2, 3])
    await loadFacts(org, {
      ...(n === 1 && { partners: [{}] }),
      accounts: [{ crm_id: `a${n}` }],
      partner_accounts: [{ domain: `a${n}.example` }],
    });
  expect(accountsOf(await byPriority(org))).toEqual(['a3', 'a2', 'a1']);
  expect(accountsOf((await org.get('/v1/signals?sort=priority&limit=1')).body.data)).toEqual(['a3']);
});

test('filters narrow the list by priority too, and min_priority the list of the newest', async () => {
  const org = await organizationWithOpportunities();
  const all = await byPriority(org);
  const [{ priority: least }] = all.slice(3) as [Prioritized];
  const top = all.slice(0, 4);
  expect(await byPriority(org, `&min_priority=${least}`)).toEqual(top);
  const newest = await readAll<Prioritized>(org, `/v1/signals?min_priority=${least}`);
  expect(accountsOf(newest).sort()).toEqual(accountsOf(top).sort());
  expect(await readAll(org, '/v1/signals?min_priority=0')).toEqual(await readAll(org, '/v1/signals'));
  expect(await readAll(org, '/v1/signals?min_priority=100')).toEqual([]);
  const [{ partner, account }] = top as [Prioritized];
  const ofPartner = all.filter((signal) => signal.partner.id === partner.id);
  expect(await byPriority(org, `&partner_id=${partner.id}&type=co_sell&state=new`)).toEqual(ofPartner);
  expect(await byPriority(org, `&account_id=${account.id}&min_priority=1`)).toEqual(top.slice(0, 1));
  expect(await byPriority(org, '&type=overlap')).toEqual([]);
});

test('min_priority lists exactly the newest of at least this priority, page by page', async () => {
  const org = await organizationWithOpportunities();
  const priorities = [0, 9, 10, 11, 30, 39, 40, 99, 100];
  await service.pool.query(
    `update signals s set priority = g.priority
    from unnest($2::int[]) with ordinality as g (priority, place)
    join accounts a on a.org_id = $1 and a.crm_id = 'a' || g.place
    where s.org_id = $1 and s.account_id = a.id`,
    [org.orgId, priorities],
  );
  const all = await readAll<Prioritized>(org, '/v1/signals');
  expect(all.map(({ priority }) => priority).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(priorities);
  const ofPartner = `&partner_id=${all[0]?.partner.id}`;
  for (const least of [0, 1, 9, 10, 11, 31, 40, 100])
    for (const filter of ['', '&type=co_sell', '&state=new', ofPartner]) {
      const expected = all.filter(
        ({ priority, partner }) =>
          (priority ?? 0) >= least && (filter !== ofPartner || partner.id === all[0]?.partner.id),
      );
      expect(await readAll(org, `/v1/signals?min_priority=${least}${filter}`, 3)).toEqual(expected);
    }
  expect(await readAll(org, '/v1/signals?min_priority=0&state=expired')).toEqual([]);
});

test.each([
  ['sort', 'value'],
  ['min_priority', '101'],
  ['min_priority', '-1'],
  ['min_priority', '1.5'],
])('refuses %s=%s, and names the field', async (field, value) => {
  const org = await service.organization();
  const { status, body } = await org.get(`/v1/signals?${field}=${value}`);
  expect([status, body.error.details[0].field]).toEqual([400, field]);
});

test('a cursor of one order is refused in the other', async () => {
  const org = await organizationWithOpportunities();
  const { next_cursor } = (await org.get('/v1/signals?sort=priority&limit=1')).body;
  const { status, body } = await org.get(`/v1/signals?limit=1&cursor=${next_cursor}`);
  expect([status, body.error.code]).toEqual([400, 'invalid_cursor']);
});

test('a signal that ends has no priority, and one that is reopened has one again', async () => {
  const org = await organizationWithOpportunities();
  const [{ id, priority }] = (await byPriority(org)) as [Prioritized];
  const change = (state: string) => org.call('PATCH', `/v1/signals/${id}`, { body: { state } });
  const { priority_parts } = await detailOf(org, id);
  expect(priority_parts).toMatchObject({ value: 100, strength: 67, freshness: 100, time_left: 0 });
  expect((await change('handled')).body.data).toMatchObject({ priority: null, priority_parts: null });
  expect(accountsOf(await byPriority(org))).not.toContain('a9');
  expect(await byPriority(org, '&state=handled')).toEqual([]);
  const [listed] = await readAll<Prioritized>(org, '/v1/signals?state=handled');
  expect(listed?.priority).toBe(null);

  await moveBack(service.pool, {
    table: 'signals',
    columns: ['evidence_at'],
    by: '15 days',
    where: `org_id = '${org.orgId}'`,
  });
  const { data } = (await change('in_progress')).body;
  expect(data.priority).toBe((priority ?? 0) - 5);
  expect(data.priority_parts.freshness).toBe(50);
});

test('a fact changes the priority of the signals of its deal; a change of urgency changes the action and sends an event', async () => {
  const org = await organizationWithOpportunities();
  const find = async () => (await byPriority(org)).find(({ account }) => account.crm_id === 'a1');
  const before = await find();
  expect(before?.recommended_action).toMatch(/, this week\.$/);
  const events = (await eventsOf(service.pool, org.orgId)).length;
  await loadFacts(org, {
    opportunities: [{ crm_id: 'o1', value: 1_100, currency: 'EUR', stage: 'negotiation' }],
  });
  const nudged = await find();
  expect(nudged?.priority).toBeGreaterThan(before?.priority ?? 100);
  await loadFacts(org, {
    opportunities: [
      {
        crm_id: 'o1',
        value: 50_000,
        currency: 'EUR',
        stage: 'negotiation',
        closed_date: daysAgo(-3).slice(0, 10),
      },
    ],
  });
  const after = await find();
  expect(after?.priority).toBeGreaterThanOrEqual(65);
  expect(after?.recommended_action).toMatch(/, today\.$/);
  const news = (await eventsOf(service.pool, org.orgId)).slice(events);
  expect(news.at(-1)).toMatchObject({ kind: 'signal.updated', data: after });
});

test('a new day rescores in the background: no event, the same ETag, updated_at and action', async () => {
  const org = await organizationWithOpportunities();
  await rescored(org);
  const before = await byPriority(org);
  const [{ id }] = before as [Prioritized];
  const { headers, body } = await org.get(`/v1/signals/${id}`);
  const events = (await eventsOf(service.pool, org.orgId)).length;
  // As if the evidence were 30 days older.
  await moveBack(service.pool, {
    table: 'signals',
    columns: ['evidence_at'],
    by: '30 days',
    where: `org_id = '${org.orgId}'`,
  });
  await rescored(org);
  const after = await byPriority(org);
  expect(after).toEqual(before.map((signal) => ({ ...signal, priority: (signal.priority ?? 0) - 10 })));
  expect((await eventsOf(service.pool, org.orgId)).length).toBe(events);
  const later = await org.get(`/v1/signals/${id}`);
  expect(later.headers.etag).toBe(headers.etag);
  expect(later.body.data).toEqual({
    ...body.data,
    priority: body.data.priority - 10,
    priority_parts: { ...body.data.priority_parts, freshness: 0 },
  });
});

test('weights are settings: other ones rescore all signals', async () => {
  const org = await organizationWithOpportunities();
  const path = `/admin/v1/organizations/${org.orgId}/settings`;
  const { settings } = (await service.operator('GET', path)).body.data;
  expect(settings.priority.weights.value).toBe(30);
  const weights = Object.fromEntries(Object.keys(settings.priority.weights).map((part) => [part, 0]));
  const changed = await service.operator('PUT', path, {
    ...settings,
    priority: { weights: { ...weights, value: 1 } },
  });
  expect(changed.status).toBe(200);
  await expect
    .poll(async () => (await byPriority(org)).map(({ priority }) => priority))
    .toEqual([100, 85, 75, 65, 55, 40, 30, 20, 10]);
  const { priority, ...older } = settings;
  expect((await service.operator('PUT', path, older)).body.data.settings.priority).toEqual(priority);
});

test('a deal in a currency that cannot be compared is neutral', async () => {
  const org = await organizationWithOpportunities();
  await loadFacts(org, {
    opportunities: [{ crm_id: 'o9', account_crm_id: 'a9', value: 1, currency: 'JPY' }],
  });
  const signal = (await byPriority(org)).find(({ account }) => account.crm_id === 'a9');
  expect((await detailOf(org, signal?.id ?? '')).priority_parts.value).toBe(50);
});

test('with a reporting currency and a rate, deals in other currencies are compared', async () => {
  const org = await organizationWithOpportunities();
  await send(org, 'exchange_rates', [
    { date: daysAgo(0).slice(0, 10), base: 'EUR', quote: 'JPY', rate: 160 },
  ]);
  await loadFacts(org, {
    opportunities: [{ crm_id: 'o9', account_crm_id: 'a9', value: 100_000_000, currency: 'JPY' }],
  });
  const path = `/admin/v1/organizations/${org.orgId}/settings`;
  const { settings } = (await service.operator('GET', path)).body.data;
  await service.operator('PUT', path, { ...settings, reporting_currency: 'EUR' });
  await rescored(org);
  const signal = (await byPriority(org)).find(({ account }) => account.crm_id === 'a9');
  expect((await detailOf(org, signal?.id ?? '')).priority_parts.value).toBe(100);
});

test('the credits of a partner count when its signals are scored again', async () => {
  const org = await organizationWithOpportunities();
  await loadFacts(org, {
    opportunities: [
      {
        crm_id: 'won',
        account_crm_id: 'a1',
        status: 'won',
        opened_at: daysAgo(60),
        closed_date: daysAgo(0).slice(0, 10),
      },
    ],
  });
  await rescored(org);
  const records = new Map<string, number>();
  for (const { id, partner } of await byPriority(org))
    records.set(partner.name, (await detailOf(org, id)).priority_parts.partner_record);
  expect(records).toEqual(
    new Map([
      ['Partner p1', 20],
      ['Partner p2', 0],
    ]),
  );
});
