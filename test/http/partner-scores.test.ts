import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import {
  awayFromMidnight,
  daysAgo,
  type Facts,
  type ListedSignal,
  loadFacts,
  organizationWithOverlaps,
  readAll,
} from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-z]{26}$`));

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The id of the partner that ingest calls p1, p2, …, unless a test names it otherwise. */
async function partnerId(org: TestOrganization, external = 'p1'): Promise<string> {
  const partners = await readAll<{ id: string; name: string }>(org, '/v1/partners');
  return partners.find(({ name }) => name === `Partner ${external}`)?.id ?? '';
}

async function detail(org: TestOrganization, external = 'p1') {
  return (await org.get(`/v1/partners/${await partnerId(org, external)}`)).body.data;
}

async function density(org: TestOrganization, external = 'p1'): Promise<string> {
  const { co_sell_density_score, co_sell_density } = await detail(org, external);
  expect(co_sell_density.window_days).toBe(90);
  const { co_sold_opportunities, shared_open_opportunities } = co_sell_density;
  return `${co_sold_opportunities}/${shared_open_opportunities} ${co_sell_density_score}`;
}

const open = (count: number, more: NonNullable<Facts['opportunities']>[number] = {}) =>
  Array.from({ length: count }, (_, index) => ({ opened_at: daysAgo(10 - index), ...more }));

describe('the co-sell density score', () => {
  // Each world has the partner p1 and the account a1, whose domain is that of a partner account by default.
  const worlds: [name: string, facts: Facts, expected: string][] = [
    ['nothing at all', {}, '0/0 0'],
    ['a matched account without a deal', { partner_accounts: [{}] }, '0/0 0'],
    ['a matched account with open deals', { partner_accounts: [{}], opportunities: open(3) }, '0/3 0'],
    ['an unmatched account with open deals', { opportunities: open(3) }, '0/0 0'],
    [
      'an activity that names one of three deals',
      { partner_accounts: [{}], opportunities: open(3), activities: [{ opportunity_crm_id: 'o1' }] },
      '1/3 33.3',
    ],
    [
      'activities that name two of three deals, one of them twice',
      {
        partner_accounts: [{}],
        opportunities: open(3),
        activities: ['o1', 'o3', 'o3'].map((opportunity_crm_id) => ({ opportunity_crm_id })),
      },
      '2/3 66.7',
    ],
    [
      'an activity that names none, which is on a deal all the same',
      { partner_accounts: [{}], opportunities: open(3), activities: [{}] },
      '1/3 33.3',
    ],
    [
      'an activity that names none, which is on the deal opened last',
      { partner_accounts: [{}], opportunities: open(3), activities: [{}, { opportunity_crm_id: 'o3' }] },
      '1/3 33.3',
    ],
    [
      'an activity that names a closed deal, which is on an open one all the same',
      {
        partner_accounts: [{}],
        opportunities: [{ status: 'won' }, ...open(2)],
        activities: [{ opportunity_crm_id: 'o1' }],
      },
      '1/2 50',
    ],
    [
      'an activity that names a closed deal, which is on the open one opened last',
      {
        partner_accounts: [{}],
        opportunities: [{ status: 'won' }, ...open(2)],
        activities: [{ opportunity_crm_id: 'o1' }, { opportunity_crm_id: 'o3' }],
      },
      '1/2 50',
    ],
    [
      'closed deals alone',
      {
        partner_accounts: [{}],
        opportunities: [{ status: 'won' }, { status: 'lost' }],
        activities: [{ opportunity_crm_id: 'o1' }, { opportunity_crm_id: 'o2' }],
      },
      '0/0 0',
    ],
    ['activity on the deal of an unmatched account', { opportunities: [{}], activities: [{}] }, '1/1 100'],
    [
      'activity on one of two deals of an unmatched account, which shares both',
      { opportunities: open(2), activities: [{ opportunity_crm_id: 'o1' }] },
      '1/2 50',
    ],
    ['activity on an account without a deal', { activities: [{}] }, '0/0 0'],
    [
      'matched and worked accounts together, each deal once',
      {
        accounts: [{}, {}, {}],
        opportunities: [{}, { account_crm_id: 'a2' }, { account_crm_id: 'a3' }],
        partner_accounts: [{}, { domain: 'a2.example' }],
        activities: [{}, { account_crm_id: 'a3' }],
      },
      '2/3 66.7',
    ],
    [
      'activity and matches of another partner',
      {
        partners: [{}, {}],
        opportunities: open(2),
        partner_accounts: [{ partner_external_id: 'p2' }],
        activities: [{ partner_external_id: 'p2' }],
      },
      '0/0 0',
    ],
    [
      'influencing activity on a matched account',
      {
        partner_accounts: [{}],
        opportunities: [{}],
        activities: [
          { kind: 'content_touch' },
          { kind: 'event_attendance' },
          { kind: 'integration_usage' },
          { kind: 'marketplace_listing' },
        ],
      },
      '0/1 0',
    ],
    [
      'influencing activity on an unmatched account',
      { opportunities: [{}], activities: [{ kind: 'content_touch' }] },
      '0/0 0',
    ],
  ];
  test.each(worlds)('with %s', async (_, facts, expected) => {
    const org = await service.organization();
    await loadFacts(org, { partners: [{}], accounts: [{}], ...facts });
    expect(await density(org)).toBe(expected);
  });

  test('counts activity of the last 90 UTC days, to the first moment of the 90th', async () => {
    await awayFromMidnight();
    const firstMoment = `${daysAgo(90).slice(0, 10)}T00:00:00.000Z`;
    const moments: [occurred_at: string, matched: string, unmatched: string][] = [
      [daysAgo(90), '1/1 100', '1/1 100'],
      [firstMoment, '1/1 100', '1/1 100'],
      [new Date(Date.parse(firstMoment) - 1).toISOString(), '0/1 0', '0/0 0'],
      [daysAgo(91), '0/1 0', '0/0 0'],
    ];
    for (const [occurred_at, matched, unmatched] of moments) {
      const org = await service.organization();
      await loadFacts(org, {
        partners: [{}, {}],
        accounts: [{}],
        opportunities: [{}],
        partner_accounts: [{}],
        activities: [{ occurred_at }, { occurred_at, partner_external_id: 'p2' }],
      });
      expect([occurred_at, await density(org), await density(org, 'p2')]).toEqual([
        occurred_at,
        matched,
        unmatched,
      ]);
    }
  });

  test('counts every kind that can prove co-selling or sourcing', async () => {
    const kinds = [
      'deal_registration',
      'referral',
      'introduction',
      'joint_meeting',
      'exec_intro',
      'proposal_support',
      'technical_validation',
      'co_sell_share',
      'marketplace_offer',
    ] as const;
    const org = await service.organization();
    await loadFacts(org, {
      partners: [{}],
      accounts: [...kinds.map(() => ({})), {}],
      opportunities: [...kinds, 'no activity'].map((_, index) => ({ account_crm_id: `a${index + 1}` })),
      partner_accounts: [{ domain: 'a10.example' }],
      activities: kinds.map((kind, index) => ({ kind, account_crm_id: `a${index + 1}` })),
    });
    expect(await density(org)).toBe('9/10 90');
  });

  test('follows every change of the facts', async () => {
    const org = await service.organization();
    const meeting = { external_id: 'meeting', opportunity_crm_id: 'o1' };
    await loadFacts(org, {
      partners: [{}],
      accounts: [{}],
      opportunities: open(2),
      partner_accounts: [{ external_id: 'x' }],
      activities: [meeting],
    });
    expect(await density(org)).toBe('1/2 50');
    await loadFacts(org, { opportunities: [{ crm_id: 'o2', status: 'lost' }] });
    expect(await density(org)).toBe('1/1 100');
    await loadFacts(org, { opportunities: [{ crm_id: 'o2' }] });
    await loadFacts(org, { activities: [{ ...meeting, kind: 'content_touch' }] });
    expect(await density(org)).toBe('0/2 0');
    await loadFacts(org, { partner_accounts: [{ external_id: 'x', deleted: true }] });
    expect(await density(org)).toBe('0/0 0');
    await loadFacts(org, { activities: [meeting], opportunities: [{ crm_id: 'o2', deleted: true }] });
    expect(await density(org)).toBe('1/1 100');
    await loadFacts(org, { activities: [{ ...meeting, deleted: true }] });
    expect(await density(org)).toBe('0/0 0');
  });
});

describe('GET /v1/partners/{partner_id}', () => {
  test('has exactly these fields, each of its type', async () => {
    const org = await service.organization();
    await loadFacts(org, { partners: [{ domain: 'partner.example' }] });
    const { body } = await org.get(`/v1/partners/${await partnerId(org)}`);
    expect(body).toEqual({
      data: {
        id: id('prt'),
        name: 'Partner p1',
        type: 'gsi',
        tier: 2,
        co_sell_density_score: 0,
        co_sell_density: { co_sold_opportunities: 0, shared_open_opportunities: 0, window_days: 90 },
        active_signal_count: 0,
        domain: 'partner.example',
        created_at: timestamp,
        updated_at: timestamp,
      },
      meta: { request_id: id('req'), timestamp },
    });
  });

  test('active_signal_count agrees with the list after every change', async () => {
    const { org, signals } = await organizationWithOverlaps(service, 4);
    await loadFacts(org, { partners: [{}, {}], opportunities: [{}] });
    await agree(4, 0);
    await loadFacts(org, { activities: [{}, { partner_external_id: 'p2' }] });
    await agree(5, 1);
    const [first, second, third] = signals.map((signal) => `/v1/signals/${signal.id}`) as [
      string,
      string,
      string,
    ];
    const changes: [path: string, state: string, expected: number][] = [
      [first, 'in_progress', 5],
      [first, 'handled', 4],
      [first, 'in_progress', 5],
      [second, 'expired', 4],
      [second, 'new', 5],
      [third, 'handled', 4],
    ];
    for (const [path, state, expected] of changes) {
      await org.call('PATCH', path, { body: { state } });
      await agree(expected, 1);
    }
    await loadFacts(org, { opportunities: [{ status: 'lost' }] });
    await agree(null, 0);

    async function agree(own: number | null, other: number): Promise<void> {
      for (const [external, expected] of [['p1', own] as const, ['p2', other] as const]) {
        const of = await partnerId(org, external);
        const listed = await readAll<ListedSignal>(org, `/v1/signals?partner_id=${of}`);
        const active = listed.filter(({ state }) => state === 'new' || state === 'in_progress').length;
        expect((await detail(org, external)).active_signal_count).toBe(active);
        if (expected !== null) expect(active).toBe(expected);
      }
    }
  });
});

describe.each(['activities', 'overlaps'])('GET /v1/partners/{partner_id}/%s', (list) => {
  test("is 404 for an unknown, malformed or another organization's partner", async () => {
    const [org, other] = [await service.organization(), await service.organization()];
    await loadFacts(org, { partners: [{}] });
    const own = await partnerId(org);
    expect((await org.get(`/v1/partners/${own}/${list}`)).body.data).toEqual([]);
    expect((await other.get(`/v1/partners/${own}/${list}`)).status).toBe(404);
    for (const unknown of [newId('prt'), 'nope', '%00', newId('acc')]) {
      const { status, body } = await org.get(`/v1/partners/${unknown}/${list}`);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    }
    await loadFacts(org, { partners: [{ deleted: true }] });
    expect((await org.get(`/v1/partners/${own}/${list}`)).status).toBe(404);
  });

  test('pages through everything exactly once, newest first, and keeps its cursors to itself', async () => {
    const org = await service.organization();
    const places = Array.from({ length: 11 }, (_, index) => index + 1);
    await loadFacts(org, { partners: [{}, {}], accounts: places.map(() => ({})) });
    for (const half of [places.slice(0, 6), places.slice(6)]) {
      await loadFacts(org, {
        partner_accounts: half.flatMap((place) =>
          ['p1', 'p2'].map((partner_external_id) => ({ partner_external_id, domain: `a${place}.example` })),
        ),
        // Three activities of each time.
        activities: half.map((place) => ({
          account_crm_id: `a${place}`,
          occurred_at: `2020-01-0${1 + Math.floor(place / 3)}T12:00:00Z`,
        })),
      });
    }
    const path = `/v1/partners/${await partnerId(org)}/${list}`;
    type Item = { occurred_at: string; id: string; matched_at: string; account: { id: string } };
    const whole = (await org.get(path)).body.data as Item[];
    const placeOf = (item: Item) =>
      list === 'activities' ? `${item.occurred_at} ${item.id}` : `${item.matched_at} ${item.account.id}`;
    expect(whole).toHaveLength(11);
    expect(whole.map(placeOf)).toEqual(whole.map(placeOf).sort().reverse());

    const walked: Item[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await org.get(`${path}?limit=2${cursor}`);
      walked.push(...body.data);
      expect(Object.hasOwn(body, 'next_cursor')).toBe(body.has_more);
      if (!body.has_more) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(walked).toEqual(whole);

    const { next_cursor } = (await org.get(`${path}?limit=1`)).body;
    const elsewhere = [
      path.replace(list, list === 'activities' ? 'overlaps' : 'activities'),
      `/v1/partners/${await partnerId(org, 'p2')}/${list}`,
      '/v1/signals',
    ];
    for (const other of elsewhere) {
      const { status, body } = await org.get(`${other}?cursor=${next_cursor}`);
      expect([status, body.error.code]).toEqual([400, 'invalid_cursor']);
    }
    for (const query of ['limit=0', 'limit=101', 'kind=referral']) {
      expect((await org.get(`${path}?${query}`)).body.error.code).toBe('invalid_request');
    }
  });
});

test("a partner's activities have exactly these fields", async () => {
  const org = await service.organization();
  await loadFacts(org, {
    partners: [{}, {}],
    accounts: [{}],
    opportunities: [{}],
    activities: [
      { kind: 'referral', opportunity_crm_id: 'o1', actor: 'Zoë', source: 'crm', occurred_at: daysAgo(200) },
      { external_id: 'gone' },
      { partner_external_id: 'p2' },
    ],
  });
  await loadFacts(org, { activities: [{ external_id: 'gone', deleted: true }] });
  const { data } = (await org.get(`/v1/partners/${await partnerId(org)}/activities`)).body;
  expect(data).toEqual([
    {
      id: id('act'),
      kind: 'referral',
      occurred_at: timestamp,
      recorded_at: timestamp,
      summary: 'Met the buyer together',
      actor: 'Zoë',
      source: 'crm',
      opportunity_id: id('opp'),
      account: { id: id('acc'), name: 'Account a1', crm_id: 'a1' },
    },
  ]);
});

test("a partner's overlaps have exactly these fields, with what matched and how surely, while they last", async () => {
  const org = await service.organization();
  await loadFacts(org, {
    partners: [{}],
    accounts: [
      { registry_number: 'HRB 4711', country: 'DE' },
      {},
      { extra_domains: ['second.example'] },
      { name: 'Größe & Söhne GmbH', country: 'DE' },
      {},
    ],
    partner_accounts: [
      { external_id: 'x1', registry_number: 'hrb-4711', country: 'DE', domain: null },
      { external_id: 'x2', domain: 'www.a2.example', relationship: 'prospect' },
      { external_id: 'x3', domain: 'second.example' },
      { external_id: 'x4', name: 'GRÖSSE & SÖHNE', country: 'DE', domain: null },
      { external_id: 'x5', domain: 'a5.example' },
    ],
  });
  await loadFacts(org, { partner_accounts: [{ external_id: 'x5', deleted: true }] });
  const { data } = (await org.get(`/v1/partners/${await partnerId(org)}/overlaps`)).body;
  const byAccount = data.toSorted((a: { account: { crm_id: string } }, b: { account: { crm_id: string } }) =>
    a.account.crm_id < b.account.crm_id ? -1 : 1,
  );
  const matched = [
    ['registry_number', 0.98, '4711'],
    ['domain', 0.95, 'a2.example'],
    ['extra_domain', 0.9, 'second.example'],
    ['name', 0.7, ''],
  ] as const;
  expect(byAccount).toEqual(
    matched.map(([matched_by, confidence, key], index) => ({
      account: { id: id('acc'), name: expect.any(String), crm_id: `a${index + 1}` },
      partner_account: {
        external_id: `x${index + 1}`,
        name: expect.any(String),
        relationship: index === 1 ? 'prospect' : 'customer',
      },
      matched_by,
      key: expect.stringContaining(key),
      confidence,
      matched_at: timestamp,
    })),
  );
});
