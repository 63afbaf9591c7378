import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import { defaultSettings } from '../../src/contract/settings.ts';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestService } from '../harness.ts';
import {
  done,
  emittedBy,
  eventsOf,
  type OldOrganization,
  oldOrganization,
  recordOf,
  recordsOf,
  win,
  wonByThree,
  wonOpportunity,
} from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Split = typeof defaultSettings.attribution.split;
const weights = { sourced: 3, co_sell: 2, influenced: 1 };

/** By default, in force since long before the deals of the tests closed. */
async function splitBy(org: OldOrganization, split: Split, since = '2023-06-01'): Promise<void> {
  const body = { ...defaultSettings, attribution: { ...defaultSettings.attribution, split } };
  const answer = await org.call('PUT', '/v1/settings', { body, headers: { 'if-match': '*' } });
  expect(answer.status, answer.text).toBe(200);
  await service.pool.query(
    `update organization_settings set created_at = $3 where org_id = $1 and version = $2`,
    [org.orgId, answer.body.data.version, since],
  );
}

const atClosing = '2024-03-10T00:00:00Z';

/** p1 sourced it, p2 and p3 co-sold. */
async function shared(split: Split, more: object = {}): Promise<OldOrganization> {
  const org = await oldOrganization(service);
  await splitBy(org, split);
  await org.load(atClosing, {
    partners: [{}, {}, {}],
    accounts: [{}],
    opportunities: [{ ...wonOpportunity, closed_date: '2024-03-10', value: 100, currency: 'EUR', ...more }],
    activities: [
      done('deal_registration', '2024-02-05', 'p1'),
      done('referral', '2024-02-06', 'p2'),
      done('joint_meeting', '2024-03-05', 'p2'),
      done('joint_meeting', '2024-03-06', 'p3'),
    ],
  });
  return org;
}

async function shares(org: OldOrganization): Promise<Record<string, number>> {
  const records = await recordsOf(org);
  return Object.fromEntries(
    records
      .map((record): [string, number] => [record.partner.name.replace('Partner ', ''), record.credited_value])
      .sort(),
  );
}

test('without a split, every record is credited with the whole value', async () => {
  expect(await shares(await wonByThree(service))).toEqual({ p1: 1000, p2: 1000, p3: 1000 });
});

test('equal shares add up to the deal, and the cent left over goes to the first external id', async () => {
  const org = await shared({ method: 'equal', weights });
  expect(await shares(org)).toEqual({ p1: 33.34, p2: 33.33, p3: 33.33 });
  const events = await eventsOf(service, org);
  expect(events.map(({ data }) => data.credited_value).sort()).toEqual([33.33, 33.33, 33.34]);
});

test('by tier, in proportion to the weights', async () => {
  expect(await shares(await shared({ method: 'tiers', weights }))).toEqual({
    p1: 42.86,
    p2: 28.57,
    p3: 28.57,
  });
  expect(await shares(await shared({ method: 'tiers', weights }, { value: 101, currency: 'JPY' }))).toEqual({
    p1: 43,
    p2: 29,
    p3: 29,
  });
});

test('a deal closed before the policy keeps that of its time', async () => {
  const org = await wonByThree(service);
  await splitBy(org, { method: 'equal', weights }, '2024-03-11');
  await org.load('2024-03-12', { activities: [done('event_attendance', '2024-03-07', 'p3')] });
  expect(await shares(org)).toEqual({ p1: 1000, p2: 1000, p3: 1000 });
});

describe('what changes a share', () => {
  test('a fact that credits one more partner tells of every record whose share changes', async () => {
    const org = await shared({ method: 'equal', weights });
    const emitted = await emittedBy(service, org, () =>
      org.load(atClosing, {
        partners: [{ external_id: 'p4' }],
        activities: [done('joint_meeting', '2024-03-07', 'p4')],
      }),
    );
    expect(emitted).toEqual([
      'created p4 on o1: co_sell',
      'updated p1 on o1: sourced',
      'updated p2 on o1: co_sell',
      'updated p3 on o1: co_sell',
    ]);
    expect(await shares(org)).toEqual({ p1: 25, p2: 25, p3: 25, p4: 25 });
  });

  test('a record that is reversed gets nothing, and the others its share', async () => {
    const org = await shared({ method: 'equal', weights });
    const emitted = await emittedBy(service, org, () =>
      org.load(atClosing, { activities: [{ external_id: 'p3 joint_meeting 2024-03-06', deleted: true }] }),
    );
    expect(emitted).toEqual([
      'updated p1 on o1: sourced',
      'updated p2 on o1: co_sell',
      'updated p3 on o1: co_sell reversed',
    ]);
    expect(await shares(org)).toEqual({ p1: 50, p2: 50, p3: 0 });
  });

  test('a deal that is no longer won credits nothing, and everything when it is won again', async () => {
    const org = await shared({ method: 'equal', weights });
    const opportunity = { crm_id: 'o1', opened_at: '2024-03-01', value: 100, currency: 'EUR' };
    await org.load(atClosing, { opportunities: [{ ...opportunity, status: 'open' }] });
    expect(await shares(org)).toEqual({ p1: 0, p2: 0, p3: 0 });
    await org.load(atClosing, {
      opportunities: [{ ...opportunity, status: 'won', closed_date: '2024-03-10' }],
    });
    expect(await shares(org)).toEqual({ p1: 33.34, p2: 33.33, p3: 33.33 });
  });

  test('an accepted dispute moves shares, and tells of each record once', async () => {
    const org = await shared({ method: 'tiers', weights });
    const { id } = await recordOf(org, 'p3');
    const emitted = await emittedBy(service, org, () => win(org, id, 'influenced'));
    // The first is the opening of the dispute.
    expect(emitted).toEqual([
      'updated p1 on o1: sourced',
      'updated p2 on o1: co_sell',
      'updated p3 on o1: co_sell',
      'updated p3 on o1: influenced',
    ]);
    expect(await shares(org)).toEqual({ p1: 50, p2: 33.33, p3: 16.67 });
  });

  test('another value, which is shared anew', async () => {
    const org = await shared({ method: 'equal', weights });
    const changed = { ...wonOpportunity, closed_date: '2024-03-10', value: 0.04, currency: 'EUR' };
    await org.load(atClosing, { opportunities: [changed] });
    expect(await shares(org)).toEqual({ p1: 0.02, p2: 0.01, p3: 0.01 });
  });
});

test('summaries add up what is credited, which is the value of the deals', async () => {
  const org = await shared({ method: 'tiers', weights });
  const { totals, by_partner, by_tier } = (await org.get('/v1/attribution/summary')).body.data;
  expect(totals).toMatchObject([{ net_value: 100, gross_value: 300, credited_value: 100 }]);
  expect(by_partner.map((row: { credited_value: number }) => row.credited_value)).toEqual([
    42.86, 28.57, 28.57,
  ]);
  expect(by_tier).toMatchObject([
    { tier: 'sourced', credited_value: 42.86 },
    { tier: 'co_sell', gross_value: 200, credited_value: 57.14 },
  ]);
});

describe('a simulation', () => {
  const policy = {
    attribution: defaultSettings.attribution,
    pre_intent: defaultSettings.signals.pre_intent,
  };
  const simulate = async (org: OldOrganization, attribution: object) =>
    (await org.call('POST', '/v1/attribution/simulate', { body: { policy: { ...policy, attribution } } }))
      .body.data;

  test('shows what another split would change, and writes nothing', async () => {
    const org = await wonByThree(service);
    const { before, after, changed, changes } = await simulate(org, {
      ...policy.attribution,
      split: { method: 'equal', weights },
    });
    expect(before).toMatchObject([
      { tier: 'sourced', value: 1000 },
      { tier: 'co_sell', value: 2000 },
    ]);
    expect(after).toMatchObject([
      { tier: 'sourced', value: 333.34 },
      { tier: 'co_sell', value: 666.66 },
    ]);
    expect(changed).toBe(3);
    expect(changes).toContainEqual(
      expect.objectContaining({
        tier_before: 'sourced',
        tier_after: 'sourced',
        credited_value_before: 1000,
        credited_value_after: 333.34,
      }),
    );
    expect(await shares(org)).toEqual({ p1: 1000, p2: 1000, p3: 1000 });
  });

  test('without a split leaves that in force', async () => {
    const org = await shared({ method: 'equal', weights });
    const { split: _, ...without } = policy.attribution;
    expect((await simulate(org, without)).changed).toBe(0);
  });
});

test('settings from before shares still can be saved, and credit in full', async () => {
  const org = await service.organization();
  const { split: _, ...attribution } = defaultSettings.attribution;
  const { reporting_currency: __, ...rest } = defaultSettings;
  const body = { ...rest, attribution };
  const answer = await org.call('PUT', '/v1/settings', { body, headers: { 'if-match': '*' } });
  expect(answer.body.data.settings).toEqual(defaultSettings);
});

test('the records of one deal are listed by its id', async () => {
  const org = await service.organization();
  await loadFacts(org, {
    partners: [{}],
    accounts: [{}],
    opportunities: [{ status: 'won' }, { status: 'won' }],
    activities: [{}],
  });
  const records = await recordsOf(org);
  expect(records).toHaveLength(2);
  for (const record of records)
    expect(await recordsOf(org, `?opportunity_id=${record.opportunity.id}`)).toEqual([record]);
  expect(await recordsOf(org, `?account_id=${records[0]?.account.id}`)).toEqual(records);
  expect(await recordsOf(org, `?account_id=${newId('acc')}`)).toEqual([]);
  expect(await recordsOf(org, '?account_id=nope')).toEqual([]);
  expect(await recordsOf(org, '?opportunity_id=nope')).toEqual([]);
  const other = await service.organization();
  expect(await recordsOf(other, `?account_id=${records[0]?.account.id}`)).toEqual([]);
  expect(await recordsOf(other, `?opportunity_id=${records[0]?.opportunity.id}`)).toEqual([]);
});
