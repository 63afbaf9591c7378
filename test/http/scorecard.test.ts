import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../src/contract/settings.ts';
import { daysAgo, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const day = (days: number) => daysAgo(days).slice(0, 10);
const month = day(0).slice(0, 7);

async function scorecardOf(org: TestOrganization, query = '') {
  const answer = await org.get(`/v1/partners/scorecard${query}`);
  expect(answer.status, answer.text).toBe(200);
  const { partners, ...rest } = answer.body.data;
  const of = (name: string) =>
    partners.find(({ partner }: { partner: { name: string } }) => partner.name === name);
  return { ...rest, partners, of };
}

async function report(org: TestOrganization, reporting_currency: string): Promise<void> {
  const body = { ...defaultSettings, reporting_currency };
  const answer = await org.call('PUT', '/v1/settings', { body, headers: { 'if-match': '*' } });
  expect(answer.status, answer.text).toBe(200);
}

/**
 * p1 has a referral of the won deal and met a buyer while the lost and the open one were open; p2 only knows an account
 * with an open deal; p3 has nothing.
 */
async function organization(currency: string | null = 'EUR'): Promise<TestOrganization> {
  const org = await service.organization();
  const won = { status: 'won', opened_at: daysAgo(60), closed_date: day(0) } as const;
  const lost = { status: 'lost', opened_at: daysAgo(60), closed_date: day(2) } as const;
  await loadFacts(org, {
    partners: [{}, { tier: 1, type: 'hyperscaler' }, {}],
    accounts: [{}, {}, {}, {}],
    opportunities: [
      { ...won, value: 100, currency: 'EUR' },
      { ...lost, value: 50, currency, account_crm_id: 'a2' },
      { value: 30, currency, account_crm_id: 'a3', opened_at: daysAgo(20) },
      { value: 20, currency: 'EUR', account_crm_id: 'a4', opened_at: daysAgo(20) },
    ],
    partner_accounts: [{ partner_external_id: 'p2', domain: 'a4.example' }],
    activities: [
      { kind: 'referral', occurred_at: daysAgo(61), opportunity_crm_id: 'o1' },
      { account_crm_id: 'a2', occurred_at: daysAgo(10) },
      { account_crm_id: 'a3', occurred_at: daysAgo(5) },
      // Influence, and activities after the close, do not count as work on a deal.
      { partner_external_id: 'p3', account_crm_id: 'a2', kind: 'content_touch', occurred_at: daysAgo(10) },
      { partner_external_id: 'p3', account_crm_id: 'a2', occurred_at: daysAgo(1) },
    ],
  });
  return org;
}

describe('the scorecard', () => {
  test('has every partner with its credit, deals, density and signals', async () => {
    const org = await organization();
    const { of, partners, ...rest } = await scorecardOf(org);
    expect(rest).toMatchObject({
      currency: 'EUR',
      unconverted_deals: 0,
      window_days: 90,
      pipeline: {
        open: { deals: 2, value: 50, unconverted_deals: 0 },
        touched: { deals: 1, value: 30, unconverted_deals: 0 },
      },
    });
    expect(rest.months).toHaveLength(12);
    expect(rest.months.at(-1)).toBe(month);
    expect(partners.map((score: { partner: { name: string } }) => score.partner.name)).toEqual([
      'Partner p1',
      'Partner p2',
      'Partner p3',
    ]);
    const first = of('Partner p1');
    expect(first).toMatchObject({
      partner: { tier: 2, type: 'gsi' },
      win_rate: 50,
      won_deals: 1,
      lost_deals: 1,
      open_deals: 1,
      co_sell_density_score: 100,
    });
    expect(of('Partner p2')).toMatchObject({
      credited_value: 0,
      win_rate: null,
      open_deals: 1,
      co_sell_density_score: 0,
    });
    expect(of('Partner p3')).toMatchObject({ won_deals: 0, lost_deals: 0, win_rate: null, open_deals: 0 });
    for (const { partner, active_signal_count, co_sell_density_score, open_deals } of partners) {
      const { data } = (await org.get(`/v1/partners/${partner.id}`)).body;
      expect(data).toMatchObject({ active_signal_count: active_signal_count, co_sell_density_score });
      expect(data.co_sell_density.shared_open_opportunities).toBe(open_deals);
    }
  });

  test('its values are those of the summary: by tier, month and period', async () => {
    const org = await organization();
    const { by_partner, by_tier } = (await org.get('/v1/attribution/summary')).body.data;
    const score = (await scorecardOf(org)).of('Partner p1');
    expect(score.credited_value).toBe(by_partner[0].credited_value);
    expect(score.credited_value).toBe(100);
    const { sourced_value, co_sell_value, influenced_value } = score;
    expect({ sourced: sourced_value, co_sell: co_sell_value, influenced: influenced_value }).toEqual({
      sourced: 0,
      co_sell: 0,
      influenced: 0,
      [by_tier[0].tier]: 100,
    });
    expect(score.trend.at(-1)).toBe(100);
    expect(score.trend.slice(0, -1)).toEqual(Array(11).fill(0));
    expect((await scorecardOf(org)).largest_deals).toMatchObject([
      {
        opportunity: { name: 'Opportunity o1' },
        account: { name: 'Account a1' },
        closed_date: day(0),
        value: 100,
      },
    ]);
    const before = (await scorecardOf(org, `?closed_before=${day(0)}`)).of('Partner p1');
    expect(before).toMatchObject({ credited_value: 0, won_deals: 0, lost_deals: 1, win_rate: 0 });
    const after = (await scorecardOf(org, `?closed_after=${daysAgo(2)}`)).of('Partner p1');
    expect(after).toMatchObject({ credited_value: 100, won_deals: 1, lost_deals: 0, win_rate: 100 });
  });

  test('several currencies are compared in the reporting currency only; what has no rate is said', async () => {
    const org = await organization('USD');
    expect(await scorecardOf(org)).toMatchObject({
      currency: null,
      pipeline: { open: { deals: 2, value: null, unconverted_deals: 2 } },
      partners: [{ credited_value: null, trend: null, won_deals: 1 }, {}, {}],
    });
    await report(org, 'USD');
    expect(await scorecardOf(org)).toMatchObject({
      currency: 'USD',
      unconverted_deals: 1,
      pipeline: { open: { deals: 2, value: 30, unconverted_deals: 1 }, touched: { deals: 1, value: 30 } },
      partners: [{ credited_value: 0 }, {}, {}],
    });
    await loadFacts(org, { exchange_rates: [{}] });
    expect(await scorecardOf(org)).toMatchObject({
      unconverted_deals: 0,
      pipeline: { open: { deals: 2, value: 55, unconverted_deals: 0 } },
      partners: [{ credited_value: 125 }, {}, {}],
    });
  });

  test('filters partners by type and tier, and is a CSV file, too', async () => {
    const org = await organization();
    for (const query of ['?type=hyperscaler', '?tier=1']) {
      const { partners } = await scorecardOf(org, query);
      expect(partners).toMatchObject([{ partner: { name: 'Partner p2' } }]);
    }
    const csv = await org.call('GET', '/v1/partners/scorecard', { headers: { accept: 'text/csv' } });
    const [head, ...lines] = csv.text.trim().split('\r\n');
    expect(head).toMatch(/^partner.id,partner.name,partner.type,partner.tier,currency,credited_value,/);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^prt_\w+,Partner p1,gsi,2,EUR,100,/);
  });

  test('is of one organization, needs the scope read, and names a field that is wrong', async () => {
    await organization();
    const other = await service.organization({ scopes: ['read'] });
    expect(await scorecardOf(other)).toMatchObject({ partners: [], pipeline: { open: { deals: 0 } } });
    const wrong = { tier: '9', type: 'friend', closed_after: 'soon', limit: '5' };
    for (const [field, value] of Object.entries(wrong)) {
      const answer = await other.get(`/v1/partners/scorecard?${field}=${value}`);
      expect(answer.status, field).toBe(400);
      expect(answer.body.error.details).toMatchObject([{ field }]);
    }
    const pipeline = await service.organization({ scopes: ['ingest'] });
    expect((await pipeline.get('/v1/partners/scorecard')).status).toBe(403);
  });
});
