import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Policy } from '../../src/contract/attribution.ts';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { defaultSettings } from '../../src/contract/settings.ts';
import { type Answer, startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { everythingOf } from '../ingest/requests.ts';
import {
  done,
  type ListedRecord,
  type OldOrganization,
  oldOrganization,
  recordOf,
  recordsOf,
  win,
  wonOpportunity,
} from './requests.ts';
import { batchesOf, choices, type Fact, ingestBatch, world } from './worlds.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const inForce: Policy = {
  attribution: defaultSettings.attribution,
  pre_intent: defaultSettings.signals.pre_intent,
};
const withLookback = (lookback_days: number): Policy => ({
  ...inForce,
  attribution: { ...inForce.attribution, sourced: { ...inForce.attribution.sourced, lookback_days } },
});

function simulate(org: TestOrganization, body: unknown, headers = {}): Promise<Answer> {
  return org.call('POST', '/v1/attribution/simulate', { body, headers });
}

async function simulated(org: TestOrganization, policy: Policy, period = {}) {
  const answer = await simulate(org, { policy, ...period });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

/** Two deals, closed on 10 and on 20 March 2024, sourced by p1 60 days before the opening; p2 has a referral of the day before. */
async function twoOpportunities(): Promise<OldOrganization> {
  const org = await oldOrganization(service);
  const closed = (crm_id: string, closed_date: string, value: number) => ({
    ...wonOpportunity,
    crm_id,
    closed_date,
    value,
    currency: 'EUR',
  });
  await org.load('2024-03-10', {
    partners: [{}, {}],
    accounts: [{}],
    opportunities: [closed('o1', '2024-03-10', 100), closed('o2', '2024-03-20', 40)],
    activities: [
      done('deal_registration', '2024-01-01', 'p1'),
      { ...done('referral', '2024-02-29', 'p2'), opportunity_crm_id: 'o1' },
    ],
  });
  return org;
}

describe('a simulation', () => {
  test('tells what a tighter lookback would move, deal by deal, the newest first', async () => {
    const org = await twoOpportunities();
    const data = await simulated(org, withLookback(59));
    const record = async (partner: string, crmId: string) => {
      const { id, partner: who, opportunity, closed_date } = await recordOf(org, partner, crmId);
      return { record_id: id, partner: who, opportunity, closed_date };
    };
    expect(data).toEqual({
      deals: 2,
      before: [
        { tier: 'sourced', currency: 'EUR', records: 2, value: 140 },
        { tier: 'influenced', currency: 'EUR', records: 1, value: 100 },
      ],
      after: [
        { tier: 'sourced', currency: 'EUR', records: 1, value: 100 },
        { tier: 'influenced', currency: 'EUR', records: 2, value: 140 },
      ],
      changed: 3,
      changes: expect.any(Array),
    });
    const [newest, ...others] = data.changes;
    expect(newest).toEqual({
      ...(await record('p1', 'o2')),
      tier_before: 'sourced',
      tier_after: 'influenced',
      credited_value_before: 40,
      credited_value_after: 40,
    });
    const same = { credited_value_before: 100, credited_value_after: 100 };
    expect(new Set(others)).toEqual(
      new Set([
        { ...(await record('p1', 'o1')), tier_before: 'sourced', tier_after: 'influenced', ...same },
        { ...(await record('p2', 'o1')), tier_before: 'influenced', tier_after: 'sourced', ...same },
      ]),
    );
    expect((await simulated(org, withLookback(60))).changed).toBe(0);
  });

  test('names a partner that would be credited for the first time, and one that would not be any more', async () => {
    const org = await oldOrganization(service);
    await org.load('2024-03-10', {
      partners: [{}, {}],
      accounts: [{}],
      opportunities: [{ ...wonOpportunity, closed_date: '2024-03-10' }],
      activities: [done('content_touch', '2023-10-01', 'p1'), done('content_touch', '2024-03-02', 'p2')],
    });
    const wide = { ...inForce, attribution: { ...inForce.attribution, influenced: { window_days: 365 } } };
    const { changes, after } = await simulated(org, wide);
    expect(changes).toMatchObject([
      { record_id: null, partner: { name: 'Partner p1' }, tier_before: null, tier_after: 'influenced' },
    ]);
    expect(after).toEqual([{ tier: 'influenced', currency: null, records: 2, value: 2000 }]);
    const narrow = { ...inForce, attribution: { ...inForce.attribution, influenced: { window_days: 7 } } };
    const { changes: lost } = await simulated(org, narrow);
    expect(lost).toMatchObject([
      { record_id: (await recordOf(org, 'p2')).id, tier_before: 'influenced', tier_after: null },
    ]);
  });

  test('weighs pre-intent again, however far back the policy lets it reach', async () => {
    const org = await oldOrganization(service);
    await org.load('2024-03-10', {
      partners: [{}, {}],
      accounts: [{}],
      opportunities: [{ ...wonOpportunity, closed_date: '2024-03-10' }],
      activities: [done('content_touch', '2024-03-01', 'p1'), done('joint_meeting', '2022-11-01', 'p2')],
    });
    const withPreIntent = (numbers: object) => ({
      ...withLookback(1),
      pre_intent: { ...inForce.pre_intent, ...numbers },
    });
    expect((await simulated(org, withPreIntent({ threshold: 1 }))).changes).toMatchObject([
      { partner: { name: 'Partner p1' }, tier_before: 'influenced', tier_after: 'sourced' },
    ]);
    expect(
      (await simulated(org, withPreIntent({ threshold: 1.1, half_life_days: 900 }))).changes,
    ).toMatchObject([{ partner: { name: 'Partner p2' }, tier_before: null, tier_after: 'sourced' }]);
  });

  test('leaves a pinned tier where it is', async () => {
    const org = await twoOpportunities();
    await win(org, (await recordOf(org, 'p2', 'o1')).id, 'sourced');
    expect((await simulated(org, inForce)).changed).toBe(0);
    const { changes } = await simulated(org, withLookback(1));
    expect(changes).toMatchObject([{ opportunity: { name: 'Opportunity o2' } }]);
  });

  test('looks at deals between the two days, neither of them included', async () => {
    const org = await twoOpportunities();
    const deals = async (period: object) => (await simulated(org, inForce, period)).deals;
    expect(await deals({ closed_after: '2024-03-09', closed_before: '2024-03-21' })).toBe(2);
    expect(await deals({ closed_after: '2024-03-10', closed_before: '2024-03-21' })).toBe(1);
    expect(await deals({ closed_after: '2024-03-09', closed_before: '2024-03-20' })).toBe(1);
    expect(await deals({ closed_after: '2024-03-10', closed_before: '2024-03-20' })).toBe(0);
    expect(await deals({ closed_after: '2024-03-10T23:59:59Z' })).toBe(1);
    expect(await deals({ closed_before: '2024-03-19T23:30:00-05:00' })).toBe(1);
    expect(await simulated(org, inForce, { closed_after: '2024-03-20' })).toEqual({
      deals: 0,
      before: [],
      after: [],
      changed: 0,
      changes: [],
    });
  });

  test('writes nothing, not even with an Idempotency-Key, under which it is replayed', async () => {
    const org = await twoOpportunities();
    const before = await everythingOf(service.pool, org.orgId);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await simulate(org, { policy: withLookback(1) }, headers);
    expect(first.body.data.changed).toBe(3);
    expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
    const again = await simulate(org, { policy: withLookback(1) }, headers);
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
  });

  test('needs the scope admin', async () => {
    for (const scope of ['read', 'write', 'ingest'] as const) {
      const org = await service.organization({ scopes: [scope] });
      const answer = await simulate(org, { policy: inForce });
      expect([answer.status, answer.body.error?.code], scope).toEqual([403, 'forbidden']);
      expect(answer.body.error.message).toContain('admin');
    }
  });

  test('answers many callers at once', async () => {
    const org = await twoOpportunities();
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => simulate(org, { policy: withLookback(59) })),
    );
    expect(answers.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual(Array(24).fill(200));
  });

  test.each([
    ['no policy', {}, ['policy']],
    ['an empty policy', { policy: {} }, ['policy.attribution', 'policy.pre_intent']],
    ['a lookback of no days', { policy: withLookback(0) }, ['policy.attribution.sourced.lookback_days']],
    ['half a day', { policy: withLookback(1.5) }, ['policy.attribution.sourced.lookback_days']],
    [
      'a negative weight',
      {
        policy: {
          ...inForce,
          pre_intent: { ...inForce.pre_intent, weights: { sourced: -1, co_sell: 2, influenced: 1 } },
        },
      },
      ['policy.pre_intent.weights.sourced'],
    ],
    ['an unknown number', { policy: { ...inForce, density: {} } }, ['policy.density']],
    [
      'bad days',
      { policy: inForce, closed_after: '2024-02-30', closed_before: 'soon' },
      ['closed_after', 'closed_before'],
    ],
    ['an unknown field', { policy: inForce, partner_id: 'prt_x' }, ['partner_id']],
  ])('with %s is 400 and names the fields', async (_, body, fields) => {
    const org = await service.organization();
    const answer = await simulate(org, body);
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details.map(({ field }: { field: string }) => field).sort()).toEqual(fields);
  });
});

describe('in any world', () => {
  /** An organization that had this policy from its first day. */
  async function organizationWith(facts: Fact[], order: number[], policy: Policy): Promise<OldOrganization> {
    const org = await oldOrganization(service);
    const settings = {
      ...defaultSettings,
      attribution: policy.attribution,
      signals: { ...defaultSettings.signals, pre_intent: policy.pre_intent },
    };
    await service.pool.query(`update organization_settings set settings = $2 where org_id = $1`, [
      org.orgId,
      settings,
    ]);
    const orgId = org.orgId as OrganizationId;
    await service.db.facts(orgId, async (tx) => {
      for (const batch of batchesOf(facts, order)) await ingestBatch(tx, orgId, batch);
    });
    return org;
  }

  const creditOf = ({ partner, opportunity, tier }: ListedRecord) =>
    `${partner.name} ${opportunity.name} ${tier}`;
  const active = async (org: OldOrganization) =>
    (await recordsOf(org)).filter(({ status }) => status === 'active');

  const policy = fc.record({
    attribution: fc.record({
      sourced: fc.record({
        lookback_days: fc.integer({ min: 1, max: 60 }),
        lock_days: fc.integer({ min: 1, max: 45 }),
      }),
      influenced: fc.record({ window_days: fc.integer({ min: 1, max: 60 }) }),
    }),
    pre_intent: fc.record({
      half_life_days: fc.integer({ min: 1, max: 30 }),
      threshold: fc.integer({ min: 1, max: 8 }),
      weights: fc.constant(defaultSettings.signals.pre_intent.weights),
      life_days: fc.constant(14),
    }),
  });

  test('the policy in force changes nothing, and another changes what it would have made', async () => {
    await fc.assert(
      fc.asyncProperty(world, choices, policy, async (facts, order, other) => {
        const org = await organizationWith(facts, order, inForce);
        const same = await simulated(org, inForce);
        expect(same).toMatchObject({ changed: 0, changes: [], after: same.before });

        const { changes, after } = await simulated(org, other);
        const expected = new Set((await active(org)).map(creditOf));
        for (const change of changes) {
          if (change.tier_before) expected.delete(creditOf({ ...change, tier: change.tier_before }));
          if (change.tier_after) expected.add(creditOf({ ...change, tier: change.tier_after }));
        }
        const real = await organizationWith(facts, order, other);
        expect([...expected].sort()).toEqual((await active(real)).map(creditOf).sort());
        expect((await simulated(real, other)).before).toEqual(after);
      }),
      { numRuns: Number(process.env.RUNS ?? 10), interruptAfterTimeLimit: 50_000 },
    );
  });
});
