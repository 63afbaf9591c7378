import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ActivityKind, activityKinds, activityKindTable } from '../../src/vocabulary.ts';
import { daysAgo, type Facts, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { dayAfter, detailOf, eventsOf, feed, send, signalsOf } from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function organizationWith(facts: Facts): Promise<TestOrganization> {
  const org = await service.organization();
  await loadFacts(org, { partners: [{}], accounts: [{}], ...facts });
  return org;
}

test('the advice of an overlap tells in words what matched, never by an internal key', async () => {
  const org = await organizationWith({ partner_accounts: [{}] });
  const [signal] = await signalsOf(org);
  expect(signal?.recommended_action).toContain('You share this account (same domain: a1.example, since ');
  const { reasons } = await detailOf(org, signal?.id ?? '');
  expect(reasons[0]?.detail).toContain('(same domain: a1.example; confidence: 0.95)');
});

describe('a co-sell signal', () => {
  test('fires by every co-sell and sourcing kind, and by no other', async () => {
    const org = await organizationWith({
      accounts: activityKinds.map((crm_id) => ({ crm_id })),
      opportunities: activityKinds.map((crm_id) => ({ crm_id, account_crm_id: crm_id })),
      activities: activityKinds.map((kind) => ({ kind, account_crm_id: kind })),
    });
    const fired = await signalsOf(org);
    expect(new Set(fired.map(({ type }) => type))).toEqual(new Set(['co_sell']));
    expect(fired.map(({ account }) => account.crm_id).sort()).toEqual(
      activityKinds.filter((kind: ActivityKind) => activityKindTable[kind].tier !== 'influenced').sort(),
    );
  });

  test('needs an activity of the last 30 days, and lives to the end of the 30th day after it', async () => {
    const at = daysAgo(30);
    const org = await organizationWith({
      accounts: [{}, {}],
      opportunities: [{}, { account_crm_id: 'a2' }],
      activities: [{ occurred_at: at }, { account_crm_id: 'a2', occurred_at: daysAgo(31) }],
    });
    const [signal, ...others] = await signalsOf(org);
    expect(others).toEqual([]);
    const detail = await detailOf(org, signal?.id ?? '');
    expect(detail.account.crm_id).toBe('a1');
    expect(detail.expires_at).toBe(dayAfter(at, 31));
    expect(detail.reasons[0]?.activity_ids).toEqual(detail.activity_log.map(({ id }) => id));
  });

  test('is on the deal that the activity names, if open, else on the account’s latest', async () => {
    const org = await organizationWith({
      opportunities: [
        { crm_id: 'old', opened_at: daysAgo(50) },
        { crm_id: 'latest', opened_at: daysAgo(5) },
        { crm_id: 'lost', opened_at: daysAgo(1), status: 'lost' },
      ],
      partners: [{}, {}, {}],
      activities: [
        { opportunity_crm_id: 'old' },
        { partner_external_id: 'p2', opportunity_crm_id: 'lost' },
        { partner_external_id: 'p3' },
        { partner_external_id: 'p3', opportunity_crm_id: 'old' },
      ],
    });
    expect(await feed(org)).toEqual([
      'co_sell new: Partner p1 at a1 on Opportunity old',
      'co_sell new: Partner p2 at a1 on Opportunity latest',
      'co_sell new: Partner p3 at a1 on Opportunity latest',
      'co_sell new: Partner p3 at a1 on Opportunity old',
    ]);
  });
});

describe('a pre-intent signal', () => {
  test.each<[boolean, [ActivityKind, number][]]>([
    [
      true,
      [
        ['referral', 0],
        ['content_touch', 0],
      ],
    ],
    [
      true,
      [
        ['joint_meeting', 0],
        ['joint_meeting', 0],
      ],
    ],
    [
      true,
      [
        ['referral', 14],
        ['referral', 14],
        ['content_touch', 0],
      ],
    ],
    [
      true,
      [
        ['referral', 1],
        ['content_touch', 0],
        ['content_touch', 5],
      ],
    ],
    [false, [['referral', 0]]],
    [
      false,
      [
        ['referral', 1],
        ['content_touch', 0],
      ],
    ],
    [
      false,
      [
        ['joint_meeting', 0],
        ['joint_meeting', 1],
      ],
    ],
    [
      false,
      [
        ['content_touch', 0],
        ['content_touch', 0],
        ['content_touch', 0],
      ],
    ],
  ])('fires at a decayed weight of 4 and not below: %s of %j', async (fires, done) => {
    const org = await organizationWith({
      activities: done.map(([kind, days]) => ({ kind, occurred_at: daysAgo(days) })),
    });
    expect(await feed(org)).toEqual(
      fires ? ['pre_intent new: Partner p1 at a1 on Prospective: Account a1'] : [],
    );
  });

  test('lives to the end of the 14th day after the last activity, on a deal that is only prospective', async () => {
    const [older, newer] = [daysAgo(9), daysAgo(3)];
    const org = await organizationWith({
      activities: [older, newer, newer].map((occurred_at) => ({ kind: 'referral', occurred_at })),
    });
    const [signal] = await signalsOf(org);
    expect(signal?.opportunity).toMatchObject({ stage: 'prospective', value: 0 });
    const detail = await detailOf(org, signal?.id ?? '');
    expect(detail.expires_at).toBe(dayAfter(newer, 15));
    expect(detail.reasons).toMatchObject([{ rule: 'pre_intent', settings_version: 1 }]);
    expect(detail.reasons[0]?.activity_ids).toHaveLength(3);
  });

  test('does not fire where a deal is open, nor from the activities of two partners', async () => {
    const twice = (more: object) => [0, 0].map(() => ({ kind: 'joint_meeting' as const, ...more }));
    const org = await organizationWith({
      partners: [{}, {}],
      accounts: [{}, {}],
      opportunities: [{}],
      activities: [
        ...twice({}),
        ...['p1', 'p2'].map((partner_external_id) => ({ partner_external_id, account_crm_id: 'a2' })),
      ],
    });
    expect(await feed(org)).toEqual(['co_sell new: Partner p1 at a1 on Opportunity o1']);
  });
});

test('every fired signal has one event, signal.created, with the list item as its data', async () => {
  const org = await organizationWith({
    accounts: [{}, {}],
    opportunities: [{}],
    partner_accounts: [{}],
    activities: [{}, ...[0, 0].map(() => ({ account_crm_id: 'a2' }))],
  });
  const signals = await signalsOf(org);
  expect(signals.map(({ type }) => type).sort()).toEqual(['co_sell', 'overlap', 'pre_intent']);
  const events = await eventsOf(service.pool, org.orgId);
  expect(events.map(({ kind }) => kind)).toEqual(['signal.created', 'signal.created', 'signal.created']);
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(events.map(({ data }) => data).sort(byId)).toEqual(signals.sort(byId));
});

test('further activity extends a signal and joins its log; to take it back undoes that', async () => {
  const [older, newer] = [daysAgo(9), daysAgo(2)];
  const org = await organizationWith({ opportunities: [{}], activities: [{ occurred_at: older }] });
  const [signal] = await signalsOf(org);
  const read = () => detailOf(org, signal?.id ?? '');
  const before = await read();
  await loadFacts(org, {
    activities: [
      { external_id: 'further', occurred_at: newer, kind: 'proposal_support' },
      { external_id: 'touch', kind: 'content_touch' },
    ],
  });
  const extended = await read();
  expect(extended).toMatchObject({
    fired_at: before.fired_at,
    state: 'new',
    expires_at: dayAfter(newer, 31),
  });
  expect(extended.activity_log.map(({ kind }) => kind)).toEqual([
    'content_touch',
    'proposal_support',
    'joint_meeting',
  ]);
  expect(extended.reasons[0]?.activity_ids).toEqual(extended.activity_log.slice(1).map(({ id }) => id));
  expect(extended.recommended_action).not.toBe(before.recommended_action);

  await send(org, 'activities', [{ external_id: 'further', deleted: true }]);
  expect(await read()).toMatchObject({
    expires_at: before.expires_at,
    recommended_action: before.recommended_action,
    reasons: before.reasons,
  });
  expect((await eventsOf(service.pool, org.orgId)).map(({ kind }) => kind)).toEqual([
    'signal.created',
    'signal.updated',
    'signal.updated',
  ]);
});

test('a signal whose last evidence is taken back expires', async () => {
  const org = await organizationWith({ opportunities: [{}], activities: [{ external_id: 'only' }] });
  await send(org, 'activities', [{ external_id: 'only', deleted: true }]);
  expect(await feed(org)).toEqual(['co_sell expired: Partner p1 at a1 on Opportunity o1']);
});
