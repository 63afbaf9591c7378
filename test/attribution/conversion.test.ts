import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../src/contract/settings.ts';
import { daysAgo, type Facts, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

let service: TestService;
let org: TestOrganization;
const day = (days: number) => daysAgo(days).slice(0, 10);

async function report(into: TestOrganization, reporting_currency: string | null): Promise<void> {
  const body = { ...defaultSettings, reporting_currency };
  const answer = await into.call('PUT', '/v1/settings', { body, headers: { 'if-match': '*' } });
  expect(answer.status, answer.text).toBe(200);
}

const summaryOf = async (query = '') => (await org.get(`/v1/attribution/summary${query}`)).body.data;

const opportunities: Facts['opportunities'] & object = [
  { name: 'Euro', status: 'won', value: 100.1, currency: 'EUR', closed_date: day(0) },
  { name: 'Dollar', status: 'won', value: 100, currency: 'USD', closed_date: day(2) },
  { name: 'Older dollar', status: 'won', value: 10, currency: 'USD', closed_date: day(9) },
  { name: 'Krona', status: 'won', value: 110, currency: 'SEK', closed_date: day(2) },
  { name: 'No rate', status: 'won', value: 7, currency: 'GBP', closed_date: day(2) },
  { name: 'Too old', status: 'won', value: 8, currency: 'USD', closed_date: day(30) },
  { name: 'None', status: 'won', value: 9, currency: null, closed_date: day(2) },
  { name: 'Open', value: 50, currency: 'USD' },
  { name: 'Open without rate', value: 50, currency: 'GBP' },
];

beforeAll(async () => {
  service = await startTestService();
  org = await service.organization();
  await loadFacts(org, {
    partners: [{}, {}],
    accounts: [{}],
    opportunities: opportunities.map((row) => ({ ...row, opened_at: daysAgo(60) })),
    activities: ['p1', 'p2'].map((partner_external_id) => ({
      partner_external_id,
      kind: 'referral',
      occurred_at: daysAgo(61),
    })),
    exchange_rates: [
      { date: day(4), quote: 'USD', rate: 1.25 },
      { date: day(4), quote: 'SEK', rate: 11 },
      { date: day(10), quote: 'USD', rate: 1.6 },
      { date: day(1), quote: 'USD', rate: 2 },
      { date: day(0), quote: 'USD', rate: 99 },
    ],
  });
  await loadFacts(org, { exchange_rates: [{ date: day(0), quote: 'USD', deleted: true }] });
});
afterAll(() => service.close());

describe('the summary', () => {
  test('has no converted totals where no reporting currency is set', async () => {
    expect((await summaryOf()).converted).toBeNull();
  });

  test('converts each deal at the rate of its closing, and lists what lacks one', async () => {
    const before = await summaryOf();
    await report(org, 'EUR');
    const { converted, ...byCurrency } = await summaryOf();
    expect({ ...byCurrency, converted: null }).toEqual(before);
    // 100.1 + 100 / 1.25 + 10 / 1.6 + 110 / 11
    const net_value = 196.35;
    expect(converted.currency).toBe('EUR');
    expect(converted.totals).toMatchObject([{ currency: 'EUR', deals: 4, net_value }]);
    const gross = converted.by_partner.reduce(
      (sum: number, row: { gross_value: number }) => sum + row.gross_value,
      0,
    );
    expect(gross).toBeCloseTo(converted.totals[0].gross_value, 10);
    expect(converted.rates).toEqual([
      { currency: 'SEK', closed_date: day(2), rate: 0.0909090909091, rate_date: day(4) },
      { currency: 'USD', closed_date: day(2), rate: 0.8, rate_date: day(4) },
      { currency: 'USD', closed_date: day(9), rate: 0.625, rate_date: day(10) },
    ]);
    expect(converted.unconverted).toEqual([
      { currency: 'GBP', closed_date: day(2), deals: 1, net_value: 7 },
      { currency: null, closed_date: day(2), deals: 1, net_value: 9 },
      { currency: 'USD', closed_date: day(30), deals: 1, net_value: 8 },
    ]);
  });

  test('crosses through the base, and rounds once', async () => {
    await report(org, 'SEK');
    const { converted } = await summaryOf(`?closed_after=${day(3)}&closed_before=${day(1)}`);
    // 100 / 1.25 * 11 + 110
    expect(converted.totals).toMatchObject([{ currency: 'SEK', deals: 2, net_value: 990 }]);
    await report(org, 'EUR');
  });

  test('is empty for a partner that cannot exist', async () => {
    expect(await summaryOf('?partner_id=nope')).toMatchObject({
      totals: [],
      converted: { totals: [], unconverted: [] },
    });
  });

  test('knows no rates of another organization', async () => {
    const other = await service.organization();
    await loadFacts(other, {
      partners: [{}],
      accounts: [{}],
      opportunities: [{ status: 'won', currency: 'USD', closed_date: day(2) }],
      activities: [{ kind: 'referral', occurred_at: daysAgo(11) }],
    });
    await report(other, 'EUR');
    const { converted } = (await other.get('/v1/attribution/summary')).body.data;
    expect(converted).toMatchObject({ totals: [], rates: [], unconverted: [{ currency: 'USD', deals: 1 }] });
  });
});

test('the largest deals convert by the smallest and largest rates, their inverses and what crosses them', async () => {
  const other = await service.organization();
  await loadFacts(other, {
    partners: [{}],
    accounts: [{}],
    opportunities: ['EUR', 'USD', 'JPY'].flatMap((currency) =>
      (['open', 'won'] as const).map((status) => ({
        ...{ crm_id: `${currency} ${status}`, status, value: 1e15, currency, opened_at: daysAgo(5) },
        closed_date: day(0),
      })),
    ),
    activities: [{}],
    exchange_rates: [
      { quote: 'USD', rate: 1e-12 },
      { quote: 'JPY', rate: 1e12 },
    ],
  });
  const worth = { EUR: 1, USD: 1e-12, JPY: 1e12 };
  for (const [currency, rate] of Object.entries(worth)) {
    await report(other, currency);
    const net_value = Object.values(worth).reduce((sum, one) => sum + (1e15 * rate) / one, 0);
    const { converted } = (await other.get('/v1/attribution/summary')).body.data;
    expect(converted.totals[0].net_value / net_value).toBeCloseTo(1, 9);
    const { largest_deals, pipeline } = (await other.get('/v1/partners/scorecard')).body.data;
    expect(largest_deals).toHaveLength(3);
    expect(pipeline.open.value / net_value).toBeCloseTo(1, 9);
    const listed = await readAll<{ converted: { value: number } }>(other, '/v1/opportunities');
    expect(listed.every(({ converted }) => Number.isFinite(converted.value))).toBe(true);
  }
});

test('a deal shows its value in the reporting currency: closed at its own rate, open at the newest', async () => {
  const listed = await readAll<{ id: string; name: string; converted: unknown }>(org, '/v1/opportunities');
  const converted = Object.fromEntries(
    listed.map((opportunity) => [opportunity.name, opportunity.converted]),
  );
  expect(converted).toEqual({
    Euro: { currency: 'EUR', value: 100.1, rate: 1, rate_date: day(0) },
    Dollar: { currency: 'EUR', value: 80, rate: 0.8, rate_date: day(4) },
    'Older dollar': { currency: 'EUR', value: 6.25, rate: 0.625, rate_date: day(10) },
    Krona: { currency: 'EUR', value: 10, rate: 0.0909090909091, rate_date: day(4) },
    'No rate': null,
    'Too old': null,
    None: null,
    Open: { currency: 'EUR', value: 25, rate: 0.5, rate_date: day(1) },
    'Open without rate': null,
  });
  for (const opportunity of listed)
    expect((await org.get(`/v1/opportunities/${opportunity.id}`)).body.data.converted).toEqual(
      opportunity.converted,
    );
});
