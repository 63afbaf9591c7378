import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityKind } from '../../src/vocabulary.ts';
import { checkNow, moveBack } from '../due-work.ts';
import { daysAgo, type Facts, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { changeState, dayAfter, detailOf, feed, send, signalsOf } from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function organizationWith(facts: Facts): Promise<TestOrganization> {
  const org = await service.organization();
  await loadFacts(org, { partners: [{}], accounts: [{}], opportunities: [{}], ...facts });
  return org;
}

async function rechecksOf(org: TestOrganization): Promise<string[]> {
  const { rows } = await service.pool.query(`select due_at from rechecks where org_id = $1`, [org.orgId]);
  return rows.map(({ due_at }) => due_at.toISOString());
}

/** Simulates this many days: moves the end of every signal back, and makes rechecks due. */
async function letPass(org: TestOrganization, days: number): Promise<void> {
  const where = `org_id = '${org.orgId}' and ended_at is not null`;
  await moveBack(service.pool, { table: 'signals', columns: ['ended_at'], by: `${days} days`, where });
  await service.pool.query(
    `insert into rechecks (org_id, account_id, partner_id, due_at)
     select distinct org_id, account_id, partner_id, now() from signals where org_id = $1
     on conflict (org_id, account_id, partner_id) do update set due_at = excluded.due_at`,
    [org.orgId],
  );
  await checkNow(service.pool, org);
  await expect.poll(() => rechecksOf(org)).toEqual([]);
}

const of = (kind: ActivityKind) => ({ kind });

describe.each(['handled', 'expired'])('a signal that was %s', (state) => {
  async function ended(): Promise<{ org: TestOrganization; id: string }> {
    const org = await organizationWith({ activities: [of('joint_meeting')] });
    const [signal] = await signalsOf(org);
    const id = signal?.id ?? '';
    await changeState(org, id, state);
    return { org, id };
  }

  test('has a cooldown of 14 days; what was held back is looked at when they are over, and fires', async () => {
    const { org, id } = await ended();
    await loadFacts(org, { activities: [of('proposal_support')] });
    expect(await signalsOf(org)).toMatchObject([{ id, state }]);
    expect(await rechecksOf(org)).toEqual([dayAfter(daysAgo(0), 15)]);
    await letPass(org, 15);
    expect(await feed(org)).toEqual(
      [
        `co_sell ${state}: Partner p1 at a1 on Opportunity o1`,
        'co_sell new: Partner p1 at a1 on Opportunity o1',
      ].sort(),
    );
    const [fresh] = await signalsOf(org, '?state=new');
    expect((await detailOf(org, fresh?.id ?? '')).reasons[0]?.activity_ids).toHaveLength(2);
  });

  test('is still in its cooldown on the 14th day', async () => {
    const { org } = await ended();
    await loadFacts(org, { activities: [of('proposal_support')] });
    await moveBack(service.pool, {
      table: 'signals',
      columns: ['ended_at'],
      by: '14 days',
      where: `org_id = '${org.orgId}'`,
    });
    await loadFacts(org, { activities: [of('joint_meeting')] });
    expect(await signalsOf(org, '?state=new')).toEqual([]);
  });

  test('does not come back by the evidence that was known, however long ago that was', async () => {
    const { org } = await ended();
    await loadFacts(org, { accounts: [{ name: 'Renamed' }], opportunities: [{ stage: 'contract' }] });
    expect(await rechecksOf(org)).toEqual([]);
    await letPass(org, 15);
    expect(await signalsOf(org, '?state=new')).toEqual([]);
  });

  test('gives way at once to evidence of a higher kind, and only to that', async () => {
    const { org, id } = await ended();
    await loadFacts(org, { activities: [of('content_touch'), of('exec_intro')] });
    expect(await signalsOf(org, '?state=new')).toEqual([]);
    await loadFacts(org, { activities: [of('referral')] });
    const [fresh] = await signalsOf(org, '?state=new');
    expect(fresh?.id).not.toBe(id);
  });
});

test('a signal that expired by time has a cooldown too', async () => {
  const org = await organizationWith({ activities: [of('joint_meeting')] });
  await service.pool.query(`update signals set expires_at = now() where org_id = $1`, [org.orgId]);
  await checkNow(service.pool, org);
  const states = async () => (await signalsOf(org)).map((signal) => signal.state);
  await expect.poll(states).toEqual(['expired']);
  await loadFacts(org, { activities: [of('joint_meeting')] });
  expect(await states()).toEqual(['expired']);
  expect(await rechecksOf(org)).toHaveLength(1);
});

describe('an account that is withdrawn', () => {
  test('expires its new signals, leaves work in progress, and gets them back when it returns', async () => {
    const org = await organizationWith({ partner_accounts: [{}], activities: [of('joint_meeting')] });
    const before = await signalsOf(org);
    const working = before.find(({ type }) => type === 'overlap');
    await changeState(org, working?.id ?? '', 'in_progress');
    await send(org, 'accounts', [{ crm_id: 'a1', deleted: true }]);
    expect((await signalsOf(org)).map(({ type, state }) => [type, state]).sort()).toEqual([
      ['co_sell', 'expired'],
      ['overlap', 'in_progress'],
    ]);
    await loadFacts(org, { accounts: [{}] });
    expect((await signalsOf(org, '?state=new')).map(({ id }) => id)).toEqual(
      before.filter(({ type }) => type === 'co_sell').map(({ id }) => id),
    );
  });
});

describe('a partner', () => {
  const active = async (org: TestOrganization) =>
    (await signalsOf(org, '?state=new')).map(({ id }) => id).sort();

  test('that is withdrawn loses its new signals, and gets the same ones back when it returns', async () => {
    const org = await organizationWith({
      accounts: [{}, {}],
      partner_accounts: [{}],
      activities: [{}, ...[0, 0].map(() => ({ account_crm_id: 'a2' }))],
    });
    const before = await active(org);
    expect(before).toHaveLength(3);
    const [partner] = await readAll<{ id: string }>(org, '/v1/partners');
    await send(org, 'partners', [{ external_id: 'p1', deleted: true }]);
    expect((await org.get(`/v1/partners/${partner?.id}`)).status).toBe(404);
    await expect.poll(() => active(org)).toEqual([]);
    await loadFacts(org, { partners: [{}] });
    await expect.poll(() => active(org)).toEqual(before);
  });

  test('that is renamed is named so at once, and what is recommended follows', async () => {
    const org = await organizationWith({ partner_accounts: [{}], activities: [of('joint_meeting')] });
    const before = await active(org);
    await loadFacts(org, { partners: [{ name: 'Quayside' }] });
    expect((await signalsOf(org)).map(({ partner }) => partner.name)).toEqual(['Quayside', 'Quayside']);
    const advice = async () => (await signalsOf(org)).map((signal) => signal.recommended_action);
    await expect
      .poll(advice)
      .toEqual([expect.stringContaining('Quayside'), expect.stringContaining('Quayside')]);
    expect(await active(org)).toEqual(before);
  });
});
