import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { awayFromMidnight, daysAgo, type ListedSignal, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

let service: TestService;
let org: TestOrganization;
const path = '/v1/signals/performance';
const today = () => daysAgo(0).slice(0, 10);
const performanceOf = async (of: TestOrganization, query = '') => (await of.get(path + query)).body.data;

/** Seven signals: handled and won, two dismissed (one won), taken up and lost, assigned, expired untouched, and a second partner's. */
beforeAll(async () => {
  service = await startTestService();
  await awayFromMidnight();
  org = await service.organization();
  const places = [1, 2, 3, 4, 5, 6];
  const opportunity = (place: number) => ({
    account_crm_id: `a${place}`,
    value: place * 100,
    currency: place === 2 ? 'USD' : 'EUR',
  });
  await loadFacts(org, {
    partners: [{}, {}],
    accounts: places.map(() => ({})),
    opportunities: places.map(opportunity),
    activities: [
      ...places.map((place) => ({ account_crm_id: `a${place}`, opportunity_crm_id: `o${place}` })),
      { account_crm_id: 'a1', opportunity_crm_id: 'o1', partner_external_id: 'p2' },
    ],
    exchange_rates: [{ date: today(), base: 'EUR', quote: 'USD', rate: 2 }],
  });
  const signals = await readAll<ListedSignal & { account: { crm_id: string }; partner: { name: string } }>(
    org,
    '/v1/signals',
  );
  const change = async (place: number, ...bodies: object[]) => {
    const signal = signals.find(
      ({ account, partner }) => account.crm_id === `a${place}` && partner.name === 'Partner p1',
    );
    for (const body of bodies)
      expect((await org.call('PATCH', `/v1/signals/${signal?.id}`, { body })).status).toBe(200);
  };
  await change(1, { state: 'in_progress' }, { state: 'handled' });
  await change(2, { state: 'expired', dismiss_reason: 'wrong_match' });
  await change(3, { state: 'expired' });
  await change(4, { state: 'in_progress' });
  await change(5, { assignee: { name: 'Noor Halvorsen', email: 'noor@example.com' } });
  const closed = (place: number, status: 'won' | 'lost') => ({
    crm_id: `o${place}`,
    ...opportunity(place),
    status,
    closed_date: today(),
  });
  await loadFacts(org, {
    opportunities: [closed(1, 'won'), closed(2, 'won'), closed(4, 'lost'), closed(6, 'lost')],
  });
});
afterAll(() => service.close());
beforeEach(awayFromMidnight);

test('says what became of the signals and of their deals', async () => {
  const { total, by_type, by_partner, ...rest } = await performanceOf(org);
  expect(rest).toEqual({
    fired_after: daysAgo(90).slice(0, 10),
    fired_before: daysAgo(-1).slice(0, 10),
    currency: null,
    unconverted_deals: 0,
  });
  const outcome = (open: number, won: number, lost: number, won_value: object[]) => ({
    ...{ open, won, lost, won_value, converted_won_value: null },
  });
  expect(total).toEqual({
    ...{ fired: 7, active: 2, taken_up: 2, handled: 1, dismissed: 2, expired_untouched: 2 },
    dismissed_by_reason: { not_relevant: 0, wrong_match: 1, too_late: 0, already_known: 0, no_reason: 1 },
    median_hours_to_first_action: expect.closeTo(0, 1),
    deals: {
      with_handled: outcome(0, 1, 0, [{ currency: 'EUR', value: 100 }]),
      without_handled: outcome(2, 1, 2, [{ currency: 'USD', value: 200 }]),
    },
  });
  expect(by_type.map(({ type, fired }: { type: string; fired: number }) => [type, fired])).toEqual([
    ['co_sell', 7],
    ['overlap', 0],
    ['pre_intent', 0],
  ]);
  expect(by_type[1]).toMatchObject({
    median_hours_to_first_action: null,
    deals: { with_handled: { open: 0, won_value: [] } },
  });
  expect(by_partner).toMatchObject([
    { partner: { name: 'Partner p1' }, fired: 6, handled: 1, deals: { with_handled: { won: 1 } } },
    // Its own signal on the same deal was not handled.
    {
      partner: { name: 'Partner p2' },
      fired: 1,
      handled: 0,
      deals: { with_handled: { won: 0 }, without_handled: { won: 1 } },
    },
  ]);
});

test('a period counts the days between its two dates', async () => {
  const fired = async (after: string, before: string) =>
    (await performanceOf(org, `?fired_after=${after}&fired_before=${before}`)).total.fired;
  expect(await fired(daysAgo(1).slice(0, 10), daysAgo(-1).slice(0, 10))).toBe(7);
  expect(await fired(today(), daysAgo(-1).slice(0, 10))).toBe(0);
  expect(await fired(daysAgo(1), today())).toBe(0);
  expect(await fired(today(), daysAgo(5))).toBe(0);
});

test('with a reporting currency, what was won is converted at the rate of its day', async () => {
  const settings = (await org.get('/v1/settings')).body.data.settings;
  const operated = `/admin/v1/organizations/${org.orgId}/settings`;
  await service.operator('PUT', operated, { ...settings, reporting_currency: 'EUR' });
  const { currency, total } = await performanceOf(org);
  expect([
    currency,
    total.deals.with_handled.converted_won_value,
    total.deals.without_handled.converted_won_value,
  ]).toEqual(['EUR', 100, 100]);
  await service.operator('PUT', operated, { ...settings, reporting_currency: 'JPY' });
  expect(await performanceOf(org)).toMatchObject({
    ...{
      currency: 'JPY',
      unconverted_deals: 2,
      total: { deals: { with_handled: { converted_won_value: 0 } } },
    },
  });
});

test('a dismissal that is taken back counts no longer, the first action does', async () => {
  const other = await service.organization();
  await loadFacts(other, { partners: [{}], accounts: [{}], opportunities: [{}], activities: [{}] });
  const [signal] = await readAll<ListedSignal>(other, '/v1/signals');
  for (const state of ['expired', 'new'])
    await other.call('PATCH', `/v1/signals/${signal?.id}`, { body: { state } });
  const { total } = await performanceOf(other);
  expect(total).toMatchObject({ fired: 1, active: 1, taken_up: 0, dismissed: 0, expired_untouched: 0 });
  expect(total.median_hours_to_first_action).not.toBeNull();
});

test('is a file, too', async () => {
  const answer = await org.call('GET', path, { headers: { accept: 'text/csv' } });
  const rows = parse<Record<string, string>>(answer.text, { columns: true });
  expect(rows.map(({ by }) => by)).toEqual(['all', 'type', 'type', 'type', 'partner', 'partner']);
  expect(rows[4]).toMatchObject({
    ...{
      'partner.name': 'Partner p1',
      fired: '6',
      'dismissed_by_reason.wrong_match': '1',
      'deals.without_handled.lost': '2',
    },
  });
});

test('another organization sees nothing of it', async () => {
  const { total, by_partner } = await performanceOf(await service.organization());
  expect([total.fired, total.deals.with_handled.won, by_partner]).toEqual([0, 0, []]);
});

test.each([
  ['?fired_after=soon', 'fired_after'],
  ['?fired_before=2026-02-30', 'fired_before'],
  ['?fired_after=2020-01-01&fired_before=2026-01-01', 'fired_after'],
  ['?fired=2020-01-01', 'fired'],
])('refuses %s', async (query, field) => {
  const { status, body } = await org.get(path + query);
  expect([status, body.error.details[0].field]).toEqual([400, field]);
});
