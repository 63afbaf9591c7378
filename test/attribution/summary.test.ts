import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import type { Facts } from '../facts.ts';
import { startTestService, type TestService } from '../harness.ts';
import {
  done,
  type OldOrganization,
  oldOrganization,
  recordOf,
  recordsOf,
  win,
  wonOpportunity,
} from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/**
 * | deal | closed | value | p1 | p2 | p3 |
 * | o1 | 10 March | 100.10 EUR | sourced | co_sell | |
 * | o2 | 31 March | 50.20 EUR | co_sell | co_sell | influenced |
 * | o3 | 2 April | 7 USD | | influenced | |
 * | o4 | 3 April | 11, in no currency | co_sell | | |
 * | o5 | 4 April, then lost | 1000 EUR | reversed | | |
 */
async function fiveOpportunities(): Promise<OldOrganization> {
  const org = await oldOrganization(service);
  const opportunities = [
    { crm_id: 'o1', closed_date: '2024-03-10', value: 100.1, currency: 'EUR' },
    { crm_id: 'o2', closed_date: '2024-03-31', value: 50.2, currency: 'EUR' },
    { crm_id: 'o3', closed_date: '2024-04-02', value: 7, currency: 'USD' },
    { crm_id: 'o4', closed_date: '2024-04-03', value: 11, currency: null },
    { crm_id: 'o5', closed_date: '2024-04-04', value: 1000, currency: 'EUR' },
  ];
  const on = (
    opportunity: string,
    partner: string,
    kind: Parameters<typeof done>[0],
    day = '2024-03-05',
  ) => ({
    ...done(kind, day, partner),
    external_id: `${opportunity} ${partner}`,
    opportunity_crm_id: opportunity,
  });
  const facts: Facts = {
    partners: [{ name: 'Zeta' }, { name: 'alpha', type: 'hyperscaler' }, { name: 'Beta' }],
    accounts: [{}],
    opportunities: opportunities.map((opportunity) => ({ ...wonOpportunity, ...opportunity })),
    activities: [
      on('o1', 'p1', 'referral', '2024-02-28'),
      on('o1', 'p2', 'joint_meeting'),
      on('o2', 'p1', 'joint_meeting'),
      on('o2', 'p2', 'joint_meeting'),
      on('o2', 'p3', 'content_touch'),
      on('o3', 'p2', 'content_touch'),
      on('o4', 'p1', 'joint_meeting'),
      on('o5', 'p1', 'joint_meeting'),
    ],
  };
  await org.load('2024-03-10T00:00:00Z', facts);
  await org.load('2024-04-05', {
    opportunities: [{ ...wonOpportunity, ...opportunities[4], status: 'lost' }],
  });
  return org;
}

async function summaryOf(org: OldOrganization, query = '') {
  const answer = await org.get(`/v1/attribution/summary${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

const of = (
  currency: string | null,
  opportunities: number,
  credits: number,
  net_value: number,
  gross_value: number,
) => ({ currency, deals: opportunities, credits, net_value, gross_value, credited_value: gross_value });

test('has each deal once in net and once for each record in gross, by currency, without reversed records', async () => {
  const org = await fiveOpportunities();
  const partner = async (id: string, opportunity: string) => (await recordOf(org, id, opportunity)).partner;
  const [alpha, beta, zeta] = [
    await partner('alpha', 'o1'),
    await partner('Beta', 'o2'),
    await partner('Zeta', 'o1'),
  ];
  expect(alpha).toMatchObject({ name: 'alpha', type: 'hyperscaler' });
  expect(await summaryOf(org)).toEqual({
    converted: null,
    totals: [of('EUR', 2, 5, 150.3, 350.8), of('USD', 1, 1, 7, 7), of(null, 1, 1, 11, 11)],
    by_partner: [
      { partner: alpha, ...of('EUR', 2, 2, 150.3, 150.3) },
      { partner: alpha, ...of('USD', 1, 1, 7, 7) },
      { partner: beta, ...of('EUR', 1, 1, 50.2, 50.2) },
      { partner: zeta, ...of('EUR', 2, 2, 150.3, 150.3) },
      { partner: zeta, ...of(null, 1, 1, 11, 11) },
    ],
    by_tier: [
      { tier: 'sourced', ...of('EUR', 1, 1, 100.1, 100.1) },
      { tier: 'co_sell', ...of('EUR', 2, 3, 150.3, 200.5) },
      { tier: 'co_sell', ...of(null, 1, 1, 11, 11) },
      { tier: 'influenced', ...of('EUR', 1, 1, 50.2, 50.2) },
      { tier: 'influenced', ...of('USD', 1, 1, 7, 7) },
    ],
    by_month: [
      { month: '2024-03', ...of('EUR', 2, 5, 150.3, 350.8) },
      { month: '2024-04', ...of('USD', 1, 1, 7, 7) },
      { month: '2024-04', ...of(null, 1, 1, 11, 11) },
    ],
    by_tier_and_month: [
      { tier: 'sourced', month: '2024-03', ...of('EUR', 1, 1, 100.1, 100.1) },
      { tier: 'co_sell', month: '2024-03', ...of('EUR', 2, 3, 150.3, 200.5) },
      { tier: 'co_sell', month: '2024-04', ...of(null, 1, 1, 11, 11) },
      { tier: 'influenced', month: '2024-03', ...of('EUR', 1, 1, 50.2, 50.2) },
      { tier: 'influenced', month: '2024-04', ...of('USD', 1, 1, 7, 7) },
    ],
  });
});

test('takes the filters of the list', async () => {
  const org = await fiveOpportunities();
  const totals = async (query: string) => (await summaryOf(org, query)).totals;
  const { partner } = await recordOf(org, 'alpha', 'o1');
  expect(await totals('?tier=co_sell')).toEqual([of('EUR', 2, 3, 150.3, 200.5), of(null, 1, 1, 11, 11)]);
  expect(await totals(`?partner_id=${partner.id}`)).toEqual([
    of('EUR', 2, 2, 150.3, 150.3),
    of('USD', 1, 1, 7, 7),
  ]);
  expect(await totals(`?partner_id=${partner.id}&tier=influenced`)).toEqual([of('USD', 1, 1, 7, 7)]);
  expect(await totals('?closed_after=2024-03-10&closed_before=2024-04-03')).toEqual([
    of('EUR', 1, 3, 50.2, 150.6),
    of('USD', 1, 1, 7, 7),
  ]);
  expect(await totals('?closed_after=2024-03-31T23:00:00Z&tier=co_sell')).toEqual([of(null, 1, 1, 11, 11)]);
  expect((await summaryOf(org, '?closed_after=2024-03-10&tier=influenced')).by_month).toEqual([
    { month: '2024-03', ...of('EUR', 1, 1, 50.2, 50.2) },
    { month: '2024-04', ...of('USD', 1, 1, 7, 7) },
  ]);
});

test('is empty where nothing matches, ids that are unknown, malformed or another organization’s included', async () => {
  const org = await fiveOpportunities();
  const other = await fiveOpportunities();
  const [record] = await recordsOf(other);
  const empty = {
    totals: [],
    by_partner: [],
    by_tier: [],
    by_month: [],
    by_tier_and_month: [],
    converted: null,
  };
  for (const id of [newId('prt'), 'nonsense', 'prt_%00', record?.partner.id, org.orgId])
    expect(await summaryOf(org, `?partner_id=${id}`)).toEqual(empty);
  expect(await summaryOf(org, '?closed_after=2030-01-01')).toEqual(empty);
  expect(await summaryOf(await oldOrganization(service))).toEqual(empty);
});

test('refuses what the list refuses, and has no pages', async () => {
  const org = await service.organization({ scopes: ['read'] });
  for (const query of [
    'tier=gold',
    'closed_after=2024-02-30',
    'closed_before=yesterday',
    'limit=5',
    'state=new',
  ]) {
    const answer = await org.get(`/v1/attribution/summary?${query}`);
    expect(answer.status, query).toBe(400);
    expect(answer.body.error.details).toMatchObject([{ field: query.split('=', 1)[0] }]);
  }
  expect((await org.get('/v1/attribution/summary')).status).toBe(200);
  const pipeline = await service.organization({ scopes: ['ingest'] });
  expect((await pipeline.get('/v1/attribution/summary')).status).toBe(403);
});

test('follows what facts and disputes make of the records', async () => {
  const org = await fiveOpportunities();
  await win(org, (await recordOf(org, 'Beta', 'o2')).id, 'sourced');
  await org.load('2024-04-06', {
    opportunities: [
      { ...wonOpportunity, crm_id: 'o1', closed_date: '2024-03-10', value: 1, currency: 'USD' },
    ],
  });
  expect((await summaryOf(org, '?tier=sourced')).totals).toEqual([
    of('EUR', 1, 1, 50.2, 50.2),
    of('USD', 1, 1, 1, 1),
  ]);
});
