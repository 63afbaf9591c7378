import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { daysAgo, type Facts, loadFacts } from '../facts.ts';
import { startTestService, type TestService } from '../harness.ts';
import {
  credits,
  done,
  emittedBy,
  eventsOf,
  evidence,
  type OldOrganization,
  oldOrganization,
  opportunity,
  recordOf,
  recordsOf,
  wonOpportunity,
} from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Two partners and a deal, with activities known on 15 March 2024. */
async function opportunityWith(activities: Facts['activities'], facts: Facts = {}): Promise<OldOrganization> {
  const org = await oldOrganization(service);
  await org.load('2024-03-15T12:00:00Z', {
    partners: [{}, {}],
    accounts: [{}],
    opportunities: [opportunity],
    ...facts,
    activities: activities ?? [],
  });
  return org;
}

const win = (org: OldOrganization) => org.load('2024-03-31T18:00:00Z', { opportunities: [wonOpportunity] });

describe('a deal that is won', () => {
  test('gives a record with exactly the fields of the contract, and tells of it in the same transaction', async () => {
    const org = await service.organization();
    await loadFacts(org, {
      partners: [{ name: 'Northwind', type: 'hyperscaler' }],
      accounts: [{ name: 'Buyer' }],
      opportunities: [{ name: 'Big deal', value: 12_345.67, opened_at: daysAgo(10) }],
      activities: [{ kind: 'referral', occurred_at: daysAgo(12) }],
    });
    expect(await recordsOf(org)).toEqual([]);
    expect(await eventsOf(service, org)).toEqual([]);

    const closed_date = daysAgo(1).slice(0, 10);
    await loadFacts(org, {
      opportunities: [
        {
          name: 'Big deal',
          value: 12_345.67,
          currency: 'SEK',
          stage: 'closed won',
          status: 'won',
          opened_at: daysAgo(10),
          closed_date,
        },
      ],
    });
    const answer = await org.get('/v1/attribution');
    expect(answer.body).toEqual({
      data: [
        {
          id: expect.stringMatching(/^atr_[0-9a-z]{26}$/),
          tier: 'sourced',
          status: 'active',
          partner: { id: expect.stringMatching(/^prt_/), name: 'Northwind', type: 'hyperscaler' },
          account: { id: expect.stringMatching(/^acc_/), name: 'Buyer', crm_id: 'a1' },
          opportunity: {
            id: expect.stringMatching(/^opp_/),
            name: 'Big deal',
            value: 12_345.67,
            currency: 'SEK',
            stage: 'closed won',
          },
          closed_date,
          dispute_status: 'none',
          credited_value: 12_345.67,
          settings_version: 1,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          updated_at: answer.body.data[0].created_at,
        },
      ],
      meta: { request_id: expect.stringMatching(/^req_/), timestamp: expect.any(String) },
      has_more: false,
    });
    const [record] = answer.body.data;
    const { rows } = await service.pool.query(
      `select distinct xmin::text as written_in from attribution_records where org_id = $1
       union select xmin::text from attribution_evidence where org_id = $1
       union select xmin::text from opportunities where org_id = $1`,
      [org.orgId],
    );
    expect(rows).toHaveLength(1);
    expect(await eventsOf(service, org)).toEqual([
      {
        id: expect.any(String),
        kind: 'attribution.created',
        data: record,
        deliverable: true,
        written_in: rows[0].written_in,
      },
    ]);
    const { evidence_log, dispute_history, ...item } = await recordOf(org, 'Northwind', 'Big deal');
    expect(item).toEqual(record);
    expect(evidence_log).toHaveLength(1);
    expect(dispute_history).toEqual([]);
  });

  test('logs all of the evidence, oldest first, whether it counts and why', async () => {
    const org = await opportunityWith([
      done('content_touch', '2024-03-10'),
      done('deal_registration', '2023-12-01'),
      done('deal_registration', '2023-07-01'),
      done('joint_meeting', '2024-03-05'),
      done('joint_meeting', '2024-02-20'),
    ]);
    await win(org);
    const { evidence_log, ...record } = await recordOf(org);
    expect(record).toMatchObject({ tier: 'sourced', status: 'active', closed_date: '2024-03-31' });
    const line = (kind: string, day: string, rest: object) => ({
      id: expect.stringMatching(/^evd_/),
      kind,
      occurred_at: `${day}T12:00:00.000Z`,
      recorded_at: '2024-03-15T12:00:00.000Z',
      summary: `${kind} of ${day}`,
      activity_id: expect.stringMatching(/^act_/),
      signal_id: null,
      counted: true,
      ...rest,
    });
    expect(evidence_log).toEqual([
      line('deal_registration', '2023-12-01', {
        tier_supported: 'sourced',
        reason: expect.stringContaining('91 days before the deal was opened'),
      }),
      line('joint_meeting', '2024-02-20', {
        tier_supported: 'influenced',
        reason: expect.stringContaining('too early'),
      }),
      line('joint_meeting', '2024-03-05', {
        tier_supported: 'co_sell',
        reason: expect.stringContaining('while the deal was open'),
      }),
      line('content_touch', '2024-03-10', {
        tier_supported: 'influenced',
        reason: expect.stringContaining('21 days before the deal closed'),
      }),
    ]);
  });

  test('gives each partner with evidence one record, and nobody else', async () => {
    const org = await opportunityWith(
      [
        done('referral', '2024-02-01', 'p1'),
        done('deal_registration', '2024-02-20', 'p2'),
        done('joint_meeting', '2024-03-10', 'p3'),
        done('content_touch', '2023-11-01', 'p4'),
      ],
      {
        partners: [{}, {}, {}, {}, {}],
        partner_accounts: [{ partner_external_id: 'p5' }],
      },
    );
    await win(org);
    // p4 did something too long ago, p5 only overlaps.
    expect(await credits(org)).toEqual(['p1 on o1: influenced', 'p2 on o1: sourced', 'p3 on o1: co_sell']);
    const events = await eventsOf(service, org);
    expect(events.map(({ kind, data }) => [kind, data])).toEqual(
      expect.arrayContaining((await recordsOf(org)).map((record) => ['attribution.created', record])),
    );
    expect(events).toHaveLength(3);
  });

  test('is credited on its first load too, and with what arrives later that day', async () => {
    const org = await opportunityWith([done('joint_meeting', '2024-03-05')], {
      opportunities: [{ ...wonOpportunity, closed_date: '2024-03-15' }],
    });
    expect(await credits(org)).toEqual(['p1 on o1: co_sell']);
    expect(
      await emittedBy(service, org, () =>
        org.load('2024-03-15T20:00:00Z', { activities: [done('content_touch', '2024-03-05', 'p2')] }),
      ),
    ).toEqual(['created p2 on o1: influenced']);
  });

  test('is nobody’s while it is open, and nobody’s when it is lost', async () => {
    const org = await opportunityWith([done('referral', '2024-02-20')]);
    await org.load('2024-03-20', {
      opportunities: [{ ...opportunity, status: 'lost', closed_date: '2024-03-20' }],
    });
    expect(await recordsOf(org)).toEqual([]);
    expect(await eventsOf(service, org)).toEqual([]);
  });

  test('does not count what names another deal', async () => {
    const org = await opportunityWith(
      [
        { ...done('joint_meeting', '2024-03-05', 'p1'), opportunity_crm_id: 'o2' },
        { ...done('joint_meeting', '2024-03-05', 'p2'), opportunity_crm_id: 'o1' },
        done('content_touch', '2024-03-05', 'p1'),
      ],
      { opportunities: [opportunity, { ...opportunity, crm_id: 'o2' }] },
    );
    await org.load('2024-03-31', { opportunities: [wonOpportunity, { ...wonOpportunity, crm_id: 'o2' }] });
    expect(await credits(org)).toEqual(['p1 on o1: influenced', 'p1 on o2: co_sell', 'p2 on o1: co_sell']);
    expect(evidence(await recordOf(org, 'p1', 'o1'))).toEqual(['+ content_touch influenced']);
  });

  test('is not sourced by what was done after its opening, though we heard of that first', async () => {
    const org = await oldOrganization(service);
    await org.load('2024-03-08', {
      partners: [{}, {}],
      accounts: [{}],
      activities: [
        ...['2024-03-02', '2024-03-03', '2024-03-04'].map((day) => done('referral', day, 'p1')),
        done('joint_meeting', '2024-03-05', 'p2'),
      ],
    });
    await org.load('2024-03-09', { opportunities: [opportunity] });
    await win(org);
    expect(await credits(org)).toEqual(['p1 on o1: influenced', 'p2 on o1: co_sell']);
    expect(evidence(await recordOf(org))).toEqual(Array(3).fill('+ referral influenced'));
  });

  test('is sourced by the partner whose pre-intent signal foresaw it, and the log names that signal', async () => {
    const org = await oldOrganization(service);
    await org.load('2024-02-27', {
      partners: [{}],
      accounts: [{}],
      activities: ['2024-02-24', '2024-02-25', '2024-02-26'].map((day) => done('joint_meeting', day)),
    });
    const [signal] = (await org.get('/v1/signals')).body.data;
    expect(signal).toMatchObject({ type: 'pre_intent', opportunity: { stage: 'prospective' } });
    await org.load('2024-03-01', { opportunities: [opportunity] });
    await win(org);
    const record = await recordOf(org);
    expect(record).toMatchObject({ tier: 'sourced', opportunity: { id: signal.opportunity.id } });
    expect(evidence(record)).toEqual([
      ...Array(3).fill('+ joint_meeting influenced'),
      '+ pre_intent sourced',
    ]);
    const [line] = record.evidence_log.filter(({ kind }) => kind === 'pre_intent');
    expect(line).toMatchObject({
      signal_id: signal.id,
      activity_id: null,
      occurred_at: '2024-02-26T12:00:00.000Z',
      summary: expect.stringContaining('4.69'),
    });
    for (const { kind, signal_id } of record.evidence_log)
      expect(signal_id).toBe(kind === 'pre_intent' ? signal.id : null);
  });

  test('counts history as it is where the organization began after it, and late claims where not', async () => {
    const facts: Facts = {
      partners: [{}],
      accounts: [{}],
      opportunities: [wonOpportunity],
      activities: [done('deal_registration', '2024-01-10')],
    };
    const fresh = await service.organization();
    await loadFacts(fresh, facts);
    expect(await credits(fresh)).toEqual(['p1 on o1: sourced']);
    const old = await oldOrganization(service);
    await loadFacts(old, facts);
    expect(await credits(old)).toEqual([]);
  });

  test('says nothing of a record that is derived again and stays what it is', async () => {
    const org = await oldOrganization(service);
    await org.load('2024-03-31', {
      partners: [{}, { external_id: 'p2' }],
      accounts: [{}],
      opportunities: [wonOpportunity],
      activities: [done('joint_meeting', '2024-03-05')],
    });
    const other = { ...done('joint_meeting', '2024-03-06'), partner_external_id: 'p2' };
    await org.load('2024-03-31', { activities: [other] });
    expect(await credits(org)).toEqual(['p1 on o1: co_sell', 'p2 on o1: co_sell']);
    expect((await eventsOf(service, org)).map(({ kind }) => kind)).toEqual([
      'attribution.created',
      'attribution.created',
    ]);
  });

  test('delivers nothing to webhooks in a backfill', async () => {
    const org = await oldOrganization(service);
    const facts: Facts = {
      partners: [{}],
      accounts: [{}],
      opportunities: [wonOpportunity],
      activities: [done('joint_meeting', '2024-03-05')],
    };
    await org.load('2024-03-31', facts, { backfill: true });
    await org.load('2024-03-31', { activities: [done('referral', '2024-02-05')] }, { backfill: true });
    await org.load('2024-03-31', { activities: [done('content_touch', '2024-03-05')] });
    expect((await eventsOf(service, org)).map(({ kind, deliverable }) => [kind, deliverable])).toEqual([
      ['attribution.created', false],
      ['attribution.updated', false],
      ['attribution.updated', true],
    ]);
  });
});
