import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { everythingOf } from '../ingest/requests.ts';
import {
  credits,
  detailOf,
  done,
  emittedBy,
  eventsOf,
  evidence,
  openDispute,
  opportunity,
  recordOf,
  recordsOf,
  resolveDispute,
  win,
  wonByThree,
  wonOpportunity,
} from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const opportunityWonAgain = { opportunities: [{ ...wonOpportunity, closed_date: '2024-03-10' }] };
const opportunityReopened = { opportunities: [opportunity] };

describe('an accepted dispute', () => {
  test('moves the record to the claimed tier, adds a line of evidence, and tells of it once', async () => {
    const org = await wonByThree(service);
    const before = await recordOf(org, 'p3');
    const dispute = (await openDispute(org, before.id, 'influenced')).body.data;
    const emitted = await emittedBy(service, org, async () => {
      await resolveDispute(org, dispute, { status: 'accepted', note: 'Agreed' });
    });
    expect(emitted).toEqual(['updated p3 on o1: influenced']);
    const after = await detailOf(org, before.id);
    expect(after).toMatchObject({ tier: 'influenced', status: 'active', dispute_status: 'accepted' });
    expect(after.evidence_log.slice(0, -1)).toEqual(before.evidence_log);
    expect(after.evidence_log.at(-1)).toEqual({
      id: expect.stringMatching(/^evd_/),
      kind: 'dispute',
      tier_supported: 'influenced',
      occurred_at: dispute.opened_at,
      recorded_at: after.dispute_history[0]?.resolved_at,
      summary: expect.stringContaining('influenced'),
      activity_id: null,
      signal_id: null,
      counted: true,
      reason: expect.any(String),
    });
    expect((await eventsOf(service, org)).at(-1)?.data).toEqual(
      (await recordsOf(org)).find(({ id }) => id === before.id),
    );
  });

  test('pins the tier through facts that arrive late, and through a reversal', async () => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    await win(org, id, 'influenced');
    const now = '2024-03-10T12:00:00Z';
    await org.load(now, { activities: [done('technical_validation', '2024-03-07', 'p3')] });
    await org.load(now, { activities: [done('deal_registration', '2024-01-01', 'p3')] });
    expect(await credits(org)).toEqual(['p1 on o1: sourced', 'p2 on o1: co_sell', 'p3 on o1: influenced']);
    expect(await emittedBy(service, org, () => org.load(now, opportunityReopened))).toContain(
      'updated p3 on o1: influenced reversed',
    );
    await org.load(now, opportunityWonAgain);
    expect(await credits(org)).toEqual(['p1 on o1: sourced', 'p2 on o1: co_sell', 'p3 on o1: influenced']);
    const record = await detailOf(org, id);
    expect(record.dispute_status).toBe('accepted');
    expect(evidence(record)).toContain('+ dispute influenced');
  });

  test('keeps its record active when all other evidence is withdrawn', async () => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    await win(org, id, 'sourced');
    await org.load('2024-03-10T12:00:00Z', {
      activities: [{ ...done('joint_meeting', '2024-03-06', 'p3'), deleted: true }],
    });
    const record = await detailOf(org, id);
    expect(record).toMatchObject({ tier: 'sourced', status: 'active' });
    expect(evidence(record)).toEqual(['+ dispute sourced']);
  });

  test('lets evidence count that came too late: the record of a reversed claim is active again', async () => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    await org.load('2024-03-11', {
      activities: [{ ...done('joint_meeting', '2024-03-06', 'p3'), kind: 'technical_validation' }],
    });
    expect(await detailOf(org, id)).toMatchObject({ tier: 'co_sell', status: 'reversed' });
    await win(org, id, 'influenced');
    expect(await detailOf(org, id)).toMatchObject({ tier: 'influenced', status: 'active' });
  });

  test('that claims “sourced” sends the holder to its next tier, and both tell of it once', async () => {
    const org = await wonByThree(service);
    const dispute = (await openDispute(org, (await recordOf(org, 'p3')).id, 'sourced')).body.data;
    const emitted = await emittedBy(service, org, () => resolveDispute(org, dispute, { status: 'accepted' }));
    // The dispute now overrides p2's claim, which p2's log also shows.
    expect(emitted).toEqual([
      'updated p1 on o1: influenced',
      'updated p2 on o1: co_sell',
      'updated p3 on o1: sourced',
    ]);
    expect(await credits(org)).toEqual(['p1 on o1: influenced', 'p2 on o1: co_sell', 'p3 on o1: sourced']);
    // No later claim reverses it, however strong.
    await org.load('2024-03-10T12:00:00Z', { activities: [done('deal_registration', '2024-01-01', 'p2')] });
    expect(await credits(org)).toEqual(['p1 on o1: influenced', 'p2 on o1: co_sell', 'p3 on o1: sourced']);
  });

  test('that claims “sourced” from a pinned holder is 409, and changes nothing', async () => {
    const org = await wonByThree(service);
    await win(org, (await recordOf(org, 'p3')).id, 'sourced');
    const dispute = (await openDispute(org, (await recordOf(org, 'p2')).id, 'sourced')).body.data;
    const before = await everythingOf(service.pool, org.orgId);
    const answer = await resolveDispute(org, dispute, { status: 'accepted' });
    expect([answer.status, answer.body.error?.code]).toEqual([409, 'sourced_taken']);
    expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
    expect((await resolveDispute(org, dispute, { status: 'rejected' })).status).toBe(200);
  });

  test('that claims “sourced” is refused too while the pinned holder’s deal is not won', async () => {
    const org = await wonByThree(service);
    await win(org, (await recordOf(org, 'p3')).id, 'sourced');
    await org.load('2024-03-11', opportunityReopened);
    const dispute = (await openDispute(org, (await recordOf(org, 'p2')).id, 'sourced')).body.data;
    const answer = await resolveDispute(org, dispute, { status: 'accepted' });
    expect([answer.status, answer.body.error?.code]).toEqual([409, 'sourced_taken']);
    await org.load('2024-03-11', opportunityWonAgain);
    expect(await credits(org)).toEqual(['p1 on o1: influenced', 'p2 on o1: co_sell', 'p3 on o1: sourced']);
  });

  test('away from “sourced” lets the next partner rise', async () => {
    const org = await wonByThree(service);
    const dispute = (await openDispute(org, (await recordOf(org, 'p1')).id, 'co_sell')).body.data;
    const emitted = await emittedBy(service, org, () => resolveDispute(org, dispute, { status: 'accepted' }));
    expect(emitted).toEqual(['updated p1 on o1: co_sell', 'updated p2 on o1: sourced']);
    expect(await credits(org)).toEqual(['p1 on o1: co_sell', 'p2 on o1: sourced', 'p3 on o1: co_sell']);
  });

  test('can itself be disputed: the last accepted one holds, and the log keeps both', async () => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    await win(org, id, 'sourced');
    await win(org, id, 'influenced');
    expect(await credits(org)).toEqual(['p1 on o1: sourced', 'p2 on o1: co_sell', 'p3 on o1: influenced']);
    const record = await detailOf(org, id);
    expect(evidence(record)).toEqual([
      '+ joint_meeting co_sell',
      '+ dispute sourced',
      '+ dispute influenced',
    ]);
    expect(
      record.dispute_history.map(({ tier_at_opening, claimed_tier }) => [tier_at_opening, claimed_tier]),
    ).toEqual([
      ['co_sell', 'sourced'],
      ['sourced', 'influenced'],
    ]);
  });

  test('on a deal that is not won any more holds from when it is won again', async () => {
    const org = await wonByThree(service);
    const { id } = await recordOf(org, 'p3');
    await org.load('2024-03-11', opportunityReopened);
    const dispute = (await openDispute(org, id, 'sourced')).body.data;
    expect(await emittedBy(service, org, () => resolveDispute(org, dispute, { status: 'accepted' }))).toEqual(
      ['updated p3 on o1: sourced reversed'],
    );
    await org.load('2024-03-11', opportunityWonAgain);
    expect(await credits(org)).toEqual(['p1 on o1: influenced', 'p2 on o1: co_sell', 'p3 on o1: sourced']);
  });
});
