import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings } from '../../src/contract/settings.ts';
import type { Facts } from '../facts.ts';
import { startTestService, type TestService } from '../harness.ts';
import { everythingOf } from '../ingest/requests.ts';
import {
  credits,
  done,
  emittedBy,
  eventsOf,
  evidence,
  type OldOrganization,
  oldOrganization,
  opportunity,
  type RecordDetail,
  recordOf,
  recordsOf,
  wonOpportunity,
} from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const closing = '2024-03-31T18:00:00Z';
const dayAfter = '2024-04-01T00:00:00Z';

/** Two partners and a won deal, all of it known on the closing day. */
async function wonWith(activities: Facts['activities'], facts: Facts = {}): Promise<OldOrganization> {
  const org = await oldOrganization(service);
  await org.load(closing, {
    partners: [{}, {}],
    accounts: [{}],
    opportunities: [wonOpportunity],
    ...facts,
    activities: activities ?? [],
  });
  return org;
}

/** Runs a step and returns the events that it emitted. */
const emitted = (org: OldOrganization, now: string, facts: Facts) =>
  emittedBy(service, org, () => org.load(now, facts));

const withoutTimes = ({ updated_at: _, ...rest }: RecordDetail) => rest;

describe('evidence that arrives after the deal was won', () => {
  test('raises the tier of the same record where it is recorded in time', async () => {
    const org = await wonWith([done('content_touch', '2024-03-05')]);
    const before = await recordOf(org);
    expect(await emitted(org, closing, { activities: [done('joint_meeting', '2024-03-06')] })).toEqual([
      'updated p1 on o1: co_sell',
    ]);
    const after = await recordOf(org);
    expect(after).toMatchObject({ id: before.id, tier: 'co_sell', created_at: before.created_at });
    expect(after.evidence_log[0]).toEqual(before.evidence_log[0]);
    expect(evidence(after)).toEqual(['+ content_touch influenced', '+ joint_meeting co_sell']);
    expect((await eventsOf(service, org)).at(-1)?.data).toEqual((await recordsOf(org))[0]);
  });

  test('takes “sourced” from a weaker claim, and both records tell of it once', async () => {
    const org = await oldOrganization(service);
    await org.load('2024-03-10', {
      partners: [{}, {}],
      accounts: [{}],
      opportunities: [{ ...wonOpportunity, closed_date: '2024-03-10' }],
      activities: [done('referral', '2024-02-05', 'p1'), done('joint_meeting', '2024-03-06', 'p2')],
    });
    expect(await credits(org)).toEqual(['p1 on o1: sourced', 'p2 on o1: co_sell']);
    expect(
      await emitted(org, '2024-03-10', { activities: [done('deal_registration', '2024-02-28', 'p2')] }),
    ).toEqual(['updated p1 on o1: influenced', 'updated p2 on o1: sourced']);
  });

  test('is logged without counting from the day after the closing on', async () => {
    const org = await wonWith([done('content_touch', '2024-03-05', 'p1')]);
    const late = done('joint_meeting', '2024-03-06', 'p1');
    expect(await emitted(org, dayAfter, { activities: [late] })).toEqual(['updated p1 on o1: influenced']);
    const record = await recordOf(org);
    expect(evidence(record)).toEqual(['+ content_touch influenced', '- joint_meeting co_sell']);
    expect(record.evidence_log[1]?.reason).toMatch(/1 day after .* dispute/);
  });

  test('creates no record on its own', async () => {
    const org = await wonWith([done('content_touch', '2024-03-05', 'p1')]);
    expect(await emitted(org, dayAfter, { activities: [done('joint_meeting', '2024-03-06', 'p2')] })).toEqual(
      [],
    );
    expect(await credits(org)).toEqual(['p1 on o1: influenced']);
  });

  test('cannot source the deal once the lock has passed, though it counts as influence', async () => {
    for (const [recorded, tier] of [
      ['2024-03-15', 'sourced'],
      ['2024-03-16', 'influenced'],
    ] as const) {
      const org = await oldOrganization(service);
      await org.load(recorded, {
        partners: [{}],
        accounts: [{}],
        opportunities: [opportunity],
        activities: [done('deal_registration', '2024-02-05')],
      });
      await org.load(closing, { opportunities: [wonOpportunity] });
      expect(await credits(org), recorded).toEqual([`p1 on o1: ${tier}`]);
    }
  });

  test('changes and emits nothing where it was done after the closing', async () => {
    const org = await wonWith([done('content_touch', '2024-03-05')]);
    const before = await recordOf(org);
    expect(
      await emitted(org, '2024-04-02T13:00:00Z', { activities: [done('joint_meeting', '2024-04-01')] }),
    ).toEqual([]);
    expect(await recordOf(org)).toEqual(before);
  });
});

describe('a fact that changes', () => {
  test('withdrawn: its line is gone, the tier falls, and nothing left is reversed, not deleted', async () => {
    const org = await wonWith([done('joint_meeting', '2024-03-05'), done('content_touch', '2024-03-06')]);
    const { id } = await recordOf(org);
    const gone = (kind: 'joint_meeting' | 'content_touch', day: string) => ({
      activities: [{ ...done(kind, day), deleted: true }],
    });
    expect(await emitted(org, dayAfter, gone('joint_meeting', '2024-03-05'))).toEqual([
      'updated p1 on o1: influenced',
    ]);
    expect(await emitted(org, dayAfter, gone('content_touch', '2024-03-06'))).toEqual([
      'updated p1 on o1: influenced reversed',
    ]);
    expect(await recordOf(org)).toMatchObject({ id, status: 'reversed', evidence_log: [] });
    expect(await emitted(org, dayAfter, gone('content_touch', '2024-03-06'))).toEqual([]);
  });

  test('a withdrawn activity that comes back is recorded again, and so is late', async () => {
    const org = await wonWith([done('joint_meeting', '2024-03-05')]);
    await org.load(dayAfter, { activities: [{ ...done('joint_meeting', '2024-03-05'), deleted: true }] });
    await org.load(dayAfter, { activities: [done('joint_meeting', '2024-03-05')] });
    const record = await recordOf(org);
    expect(record.status).toBe('reversed');
    expect(evidence(record)).toEqual(['- joint_meeting co_sell']);
  });

  test.each([
    ['kind', { kind: 'content_touch' as const }, '+ content_touch influenced'],
    ['time', { occurred_at: '2024-02-20T12:00:00Z' }, '+ joint_meeting influenced'],
  ])(
    'another %s of an activity recalculates the record, and its line keeps its id',
    async (_, change, line) => {
      const org = await wonWith([done('joint_meeting', '2024-03-05')]);
      const before = await recordOf(org);
      const changed = { ...done('joint_meeting', '2024-03-05'), ...change };
      expect(await emitted(org, closing, { activities: [changed] })).toEqual([
        'updated p1 on o1: influenced',
      ]);
      const after = await recordOf(org);
      expect(evidence(after)).toEqual([line]);
      expect(after.evidence_log[0]?.id).toBe(before.evidence_log[0]?.id);
    },
  );

  test('another partner of an activity moves the credit', async () => {
    const org = await wonWith([done('joint_meeting', '2024-03-05')]);
    const moved = { ...done('joint_meeting', '2024-03-05'), partner_external_id: 'p2' };
    expect(await emitted(org, closing, { activities: [moved] })).toEqual([
      'created p2 on o1: co_sell',
      'updated p1 on o1: co_sell reversed',
    ]);
  });

  test.each([
    ['a time after the closing', { occurred_at: '2024-04-01T00:00:00Z' }],
    ['another account', { account_crm_id: 'a2' }],
  ])('an activity that gets %s counts no more', async (_, change) => {
    const org = await wonWith([done('joint_meeting', '2024-03-05')], { accounts: [{}, {}] });
    const moved = { ...done('joint_meeting', '2024-03-05'), ...change };
    expect(await emitted(org, dayAfter, { activities: [moved] })).toEqual([
      'updated p1 on o1: co_sell reversed',
    ]);
    expect((await recordOf(org)).evidence_log).toEqual([]);
  });

  test('another summary of an activity is sent as an event, and does not make it late', async () => {
    const org = await wonWith([done('joint_meeting', '2024-03-05')]);
    const before = await recordOf(org);
    const reworded = { ...done('joint_meeting', '2024-03-05'), summary: 'Met the CFO' };
    expect(await emitted(org, dayAfter, { activities: [reworded] })).toEqual(['updated p1 on o1: co_sell']);
    const after = await recordOf(org);
    expect(after.evidence_log).toEqual([{ ...before.evidence_log[0], summary: 'Met the CFO' }]);
    expect(after.updated_at).toBe('2024-04-01T00:00:00.000Z');
  });

  test('an activity that now names another deal counts for that one alone', async () => {
    const org = await wonWith([done('joint_meeting', '2024-03-05')], {
      opportunities: [wonOpportunity, { ...wonOpportunity, crm_id: 'o2' }],
    });
    expect(await credits(org)).toEqual(['p1 on o1: co_sell', 'p1 on o2: co_sell']);
    const naming = { ...done('joint_meeting', '2024-03-05'), opportunity_crm_id: 'o2' };
    expect(await emitted(org, dayAfter, { activities: [naming] })).toEqual([
      'updated p1 on o1: co_sell reversed',
    ]);
  });

  test('batches that repeat what is known change nothing and emit nothing', async () => {
    const facts: Facts = {
      partners: [{}, {}],
      accounts: [{}],
      opportunities: [wonOpportunity],
      activities: [
        done('deal_registration', '2024-02-05', 'p1'),
        done('referral', '2024-02-06', 'p2'),
        done('joint_meeting', '2024-03-05', 'p2'),
      ],
    };
    const org = await oldOrganization(service);
    await org.load(closing, facts);
    const before = await everythingOf(service.pool, org.orgId);
    await org.load('2024-06-01T00:00:00Z', facts);
    expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
  });

  test('a deal with another name or stage shows them, and emits nothing', async () => {
    const org = await wonWith([done('joint_meeting', '2024-03-05')]);
    const changed = { ...wonOpportunity, name: 'Renamed', stage: 'paid' };
    expect(await emitted(org, dayAfter, { opportunities: [changed] })).toEqual([]);
    const [record] = await recordsOf(org);
    expect(record?.opportunity).toMatchObject({ name: 'Renamed', stage: 'paid' });
  });

  test('a deal with another value changes what its records credit', async () => {
    const org = await wonWith([done('joint_meeting', '2024-03-05')]);
    const changed = { ...wonOpportunity, value: 5 };
    expect(await emitted(org, dayAfter, { opportunities: [changed] })).toEqual(['updated p1 on o1: co_sell']);
    expect(await recordsOf(org)).toMatchObject([{ opportunity: { value: 5 }, credited_value: 5 }]);
  });
});

describe('a record whose deal is no longer won', () => {
  test.each([
    ['lost', { ...opportunity, status: 'lost' as const, closed_date: '2024-03-31' }],
    ['open again', opportunity],
    ['withdrawn', { crm_id: 'o1', deleted: true }],
  ])('%s: is reversed, and the same one is active again when the deal is won again', async (_, change) => {
    const org = await wonWith([
      done('deal_registration', '2024-02-05'),
      done('joint_meeting', '2024-03-05', 'p2'),
    ]);
    const before = [await recordOf(org, 'p1'), await recordOf(org, 'p2')];
    expect(await emitted(org, dayAfter, { opportunities: [change] })).toEqual([
      'updated p1 on o1: influenced reversed',
      'updated p2 on o1: co_sell reversed',
    ]);
    expect(await emitted(org, dayAfter, { opportunities: [change] })).toEqual([]);
    const reversed = [await recordOf(org, 'p1'), await recordOf(org, 'p2')];
    expect(reversed.map(({ id, evidence_log }) => ({ id, evidence_log }))).toEqual(
      before.map(({ id, evidence_log }) => ({ id, evidence_log })),
    );
    expect(await emitted(org, '2024-04-02', { opportunities: [wonOpportunity] })).toEqual([
      'updated p1 on o1: influenced',
      'updated p2 on o1: co_sell',
    ]);
    const after = [await recordOf(org, 'p1'), await recordOf(org, 'p2')];
    expect(after.map(withoutTimes)).toEqual(before.map(withoutTimes));
  });

  test('takes in what arrived meanwhile when the deal is won again', async () => {
    const org = await wonWith([done('content_touch', '2024-03-05')]);
    await org.load(closing, { opportunities: [opportunity] });
    expect(await emitted(org, closing, { activities: [done('joint_meeting', '2024-03-06')] })).toEqual([]);
    expect(await emitted(org, closing, { opportunities: [wonOpportunity] })).toEqual([
      'updated p1 on o1: co_sell',
    ]);
  });
});

describe('what a deal hangs on', () => {
  test('a partner that is withdrawn loses its credit to the next, and has it back with its return', async () => {
    const org = await oldOrganization(service);
    await org.load('2024-03-10', {
      partners: [{}, {}],
      accounts: [{}],
      opportunities: [{ ...wonOpportunity, closed_date: '2024-03-10' }],
      activities: [done('referral', '2024-02-05', 'p1'), done('referral', '2024-02-06', 'p2')],
    });
    const before = await recordOf(org, 'p1');
    expect(await emitted(org, dayAfter, { partners: [{ external_id: 'p1', deleted: true }] })).toEqual([
      'updated p1 on o1: sourced reversed',
      'updated p2 on o1: sourced',
    ]);
    expect(await emitted(org, dayAfter, { partners: [{ external_id: 'p1' }] })).toEqual([
      'updated p1 on o1: sourced',
      'updated p2 on o1: influenced',
    ]);
    const after = await recordOf(org, 'p1');
    expect(after.id).toBe(before.id);
    expect(evidence(after)).toEqual(evidence(before));
  });

  test('a partner that was away when the deal was won is credited when it returns', async () => {
    const org = await oldOrganization(service);
    await org.load('2024-03-10', {
      partners: [{}],
      accounts: [{}],
      opportunities: [opportunity],
      activities: [done('referral', '2024-02-05')],
    });
    await org.load('2024-03-11', { partners: [{ deleted: true }] });
    await org.load(closing, { opportunities: [wonOpportunity] });
    expect(await credits(org)).toEqual([]);
    expect(await emitted(org, dayAfter, { partners: [{}] })).toEqual(['created p1 on o1: sourced']);
  });

  test('an account that is merged brings its deals and what was done there', async () => {
    const org = await wonWith(
      [
        { ...done('joint_meeting', '2024-03-05', 'p1'), account_crm_id: 'a1' },
        { ...done('deal_registration', '2024-02-25', 'p2'), account_crm_id: 'a2' },
        { ...done('content_touch', '2024-03-06', 'p2'), account_crm_id: 'a2' },
      ],
      {
        accounts: [{}, {}],
        opportunities: [wonOpportunity, { ...wonOpportunity, crm_id: 'o2', account_crm_id: 'a2' }],
      },
    );
    expect(await credits(org)).toEqual(['p1 on o1: co_sell', 'p2 on o2: influenced']);
    const ids = (await recordsOf(org)).map(({ id }) => id).sort();
    const merge = { accounts: [{ crm_id: 'a2', merged_into: 'a1' }] };
    expect(await emitted(org, dayAfter, merge)).toEqual([
      'created p1 on o2: co_sell',
      'created p2 on o1: influenced',
    ]);
    const records = await recordsOf(org);
    expect(records.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(records.map(({ account }) => account.crm_id)).toEqual(['a1', 'a1', 'a1', 'a1']);
    expect(await emitted(org, dayAfter, merge)).toEqual([]);
  });

  test('a deal that the CRM moves to another account is credited by what was done there', async () => {
    const org = await wonWith(
      [
        { ...done('joint_meeting', '2024-03-05', 'p1'), account_crm_id: 'a1' },
        { ...done('joint_meeting', '2024-03-06', 'p2'), account_crm_id: 'a2' },
      ],
      { accounts: [{}, {}] },
    );
    expect(
      await emitted(org, dayAfter, { opportunities: [{ ...wonOpportunity, account_crm_id: 'a2' }] }),
    ).toEqual(['created p2 on o1: co_sell', 'updated p1 on o1: co_sell reversed']);
  });

  test('a closing that moves takes the evidence and the date with it', async () => {
    const org = await wonWith([done('content_touch', '2024-03-05')]);
    const moved = (closed_date: string) => ({ opportunities: [{ ...wonOpportunity, closed_date }] });
    expect(await emitted(org, dayAfter, moved('2024-06-03'))).toEqual(['updated p1 on o1: influenced']);
    expect(await recordOf(org)).toMatchObject({ closed_date: '2024-06-03', status: 'active' });
    expect(await emitted(org, dayAfter, moved('2024-06-04'))).toEqual([
      'updated p1 on o1: influenced reversed',
    ]);
    expect(await emitted(org, dayAfter, moved('2024-03-04'))).toEqual([
      'updated p1 on o1: influenced reversed',
    ]);
    expect(await emitted(org, dayAfter, moved('2024-03-31'))).toEqual(['updated p1 on o1: influenced']);
  });
});

describe('the policy', () => {
  test('of a deal is the version in force at its closing, however late its facts arrive', async () => {
    const org = await oldOrganization(service);
    const stricter = structuredClone(defaultSettings);
    stricter.attribution.sourced.lookback_days = 10;
    const put = await service.operator('PUT', `/admin/v1/organizations/${org.orgId}/settings`, stricter);
    expect(put.body.data.version).toBe(2);
    await service.pool.query(
      `update organization_settings set created_at = '2024-03-15T10:00:00Z' where org_id = $1 and version = 2`,
      [org.orgId],
    );
    const closed = (crm_id: string, closed_date: string) => ({ ...wonOpportunity, crm_id, closed_date });
    await org.load('2024-03-14', {
      partners: [{}],
      accounts: [{}],
      opportunities: [
        closed('before', '2024-03-14'),
        closed('same day', '2024-03-15'),
        closed('after', '2024-03-16'),
      ],
      activities: [done('referral', '2024-02-01')],
    });
    const versions = async () =>
      Object.fromEntries(
        (await recordsOf(org)).map(({ opportunity, tier, settings_version }) => [
          opportunity.name.replace('Opportunity ', ''),
          `${tier} by version ${settings_version}`,
        ]),
      );
    const expected = {
      before: 'sourced by version 1',
      'same day': 'influenced by version 2',
      after: 'influenced by version 2',
    };
    expect(await versions()).toEqual(expected);
    await org.load(dayAfter, { activities: [done('content_touch', '2024-03-10')] });
    expect(await versions()).toEqual(expected);
    expect(evidence(await recordOf(org, 'p1', 'before'))).toHaveLength(2);
  });
});
