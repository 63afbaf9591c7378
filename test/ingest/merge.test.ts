import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { daysAgo, type Facts, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import {
  changeState,
  counts,
  detailOf,
  eventsOf,
  everythingOf,
  feed,
  post,
  send,
  signalsOf,
} from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function organizationWith(facts: Facts): Promise<TestOrganization> {
  const org = await service.organization();
  await loadFacts(org, { partners: [{}, {}], accounts: [{}, {}, {}], ...facts });
  return org;
}

const merged = (from: string, into: string) => ({
  crm_id: from,
  name: `Account ${from}`,
  domain: `${from}.example`,
  merged_into: into,
});
const merge = (org: TestOrganization, from: string, into: string) =>
  send(org, 'accounts', [merged(from, into)]);

/** Two of these are pre-intent, and each is co-sell if a deal is open. */
const meetings = (account_crm_id: string, more: object = {}) =>
  [1, 2].map(() => ({ account_crm_id, kind: 'joint_meeting' as const, ...more }));

/** By crm_id or external_id, the account of a fact. */
async function placesOf(org: TestOrganization, table: 'opportunities' | 'activities') {
  const name = table === 'opportunities' ? 'crm_id' : 'external_id';
  const { rows } = await service.pool.query(
    `select coalesce(f.${name}, 'prospective') as name, a.crm_id from ${table} f
     join accounts a on a.org_id = f.org_id and a.id = f.account_id where f.org_id = $1`,
    [org.orgId],
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.crm_id]));
}

describe('a merge', () => {
  test.each([
    ['as a row', merged('a1', 'a2')],
    ['as a withdrawal', { crm_id: 'a1', deleted: true, merged_into: 'a2' }],
  ])(
    '%s takes deals, activities and signals along, and later rows that name the old account',
    async (_, row) => {
      const org = await organizationWith({
        opportunities: [{}],
        activities: [{ external_id: 'v1', opportunity_crm_id: 'o1' }],
      });
      const [signal] = await signalsOf(org);
      expect(counts(await send(org, 'accounts', [row]))).toEqual({ received: 1, updated: 1 });
      expect(await feed(org)).toEqual(['co_sell new: Partner p1 at a2 on Opportunity o1']);
      expect((await signalsOf(org))[0]).toMatchObject({ id: signal?.id, fired_at: signal?.fired_at });

      await loadFacts(org, {
        opportunities: [{}, { crm_id: 'o2', opened_at: daysAgo(30) }],
        activities: [{ external_id: 'v2', opportunity_crm_id: 'o1' }],
      });
      expect(await placesOf(org, 'opportunities')).toEqual({ o1: 'a2', o2: 'a2' });
      expect(await placesOf(org, 'activities')).toEqual({ v1: 'a2', v2: 'a2' });
      expect((await detailOf(org, signal?.id ?? '')).activity_log).toHaveLength(2);
    },
  );

  test('that is sent again changes nothing, and so does the row of the old account without it', async () => {
    const org = await organizationWith({
      opportunities: [{}],
      partner_accounts: [{}],
      activities: meetings('a1'),
    });
    await merge(org, 'a1', 'a2');
    await merge(org, 'a2', 'a3');
    const before = await everythingOf(service.pool, org.orgId);
    for (const rows of [
      [merged('a1', 'a2')],
      [merged('a2', 'a3')],
      [{ ...merged('a1', ''), merged_into: null }],
    ])
      expect(counts(await send(org, 'accounts', rows))).toEqual({ received: 1, unchanged: 1 });
    expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
  });

  test('adds up the evidence of both sides', async () => {
    const org = await organizationWith({ activities: [{ account_crm_id: 'a1' }, { account_crm_id: 'a2' }] });
    expect(await feed(org)).toEqual([]);
    await merge(org, 'a1', 'a2');
    expect(await feed(org)).toEqual(['pre_intent new: Partner p1 at a2 on Prospective: Account a2']);
  });

  test('ends the matches of the old account', async () => {
    const org = await organizationWith({ partner_accounts: [{}] });
    await merge(org, 'a1', 'a2');
    expect(await feed(org)).toEqual(['overlap expired: Partner p1 at a2 on Prospective: Account a1']);
  });

  test('delivers nothing where it is part of a backfill', async () => {
    const org = await service.organization();
    const world = { partners: [{}], accounts: [{}, {}], activities: [...meetings('a1'), ...meetings('a2')] };
    await loadFacts(org, world, { backfill: true });
    await post(org, 'accounts', [merged('a1', 'a2')], { query: '?backfill=true' });
    const { rows } = await service.pool.query(
      `select kind, deliverable from events where org_id = $1 order by id`,
      [org.orgId],
    );
    expect(rows.some(({ kind }) => kind === 'signal.updated')).toBe(true);
    expect(rows.filter(({ deliverable }) => deliverable)).toEqual([]);
  });
});

test('an account that was merged away and deleted before it was ever loaded is known by its new one', async () => {
  const org = await organizationWith({});
  const gone = { crm_id: 'a9', merged_into: 'a1', deleted: true };
  expect(await send(org, 'accounts', [gone])).toMatchObject({ created: 1, rejected: 0 });
  expect(await send(org, 'accounts', [gone])).toMatchObject({ unchanged: 1 });
  await loadFacts(org, { activities: meetings('a9') });
  expect((await signalsOf(org, '?type=pre_intent')).map(({ account }) => account.crm_id)).toEqual(['a1']);
});

describe('a chain of merges leads to its end', () => {
  test.each([
    ['one after the other', [[merged('a1', 'a2')], [merged('a2', 'a3')]]],
    ['one after the other, from its end', [[merged('a2', 'a3')], [merged('a1', 'a2')]]],
    ['in one batch', [[merged('a1', 'a2'), merged('a2', 'a3')]]],
    ['in one batch, from its end', [[merged('a2', 'a3'), merged('a1', 'a2')]]],
    [
      'over a withdrawn account',
      [[merged('a2', 'a3')], [{ crm_id: 'a2', deleted: true }], [merged('a1', 'a2')]],
    ],
  ])('%s', async (_, batches) => {
    const org = await organizationWith({ opportunities: [{}, { account_crm_id: 'a2' }] });
    for (const rows of batches) expect((await send(org, 'accounts', rows)).errors).toEqual([]);
    await loadFacts(org, {
      activities: [{ external_id: 'v1' }, { external_id: 'v2', account_crm_id: 'a2' }],
    });
    expect(await placesOf(org, 'opportunities')).toEqual({ o1: 'a3', o2: 'a3' });
    expect(await placesOf(org, 'activities')).toEqual({ v1: 'a3', v2: 'a3' });
  });
});

describe('a merge that would lead back to the account itself is refused', () => {
  const onto = (from: string, into: string) => [merged(from, into)];
  test.each([
    ['into itself', [onto('a1', 'a1')]],
    ['two', [onto('a1', 'a2'), onto('a2', 'a1')]],
    ['two in one batch', [[...onto('a1', 'a2'), ...onto('a2', 'a1')]]],
    ['three', [onto('a1', 'a2'), onto('a2', 'a3'), onto('a3', 'a1')]],
    ['three in one batch', [[...onto('a1', 'a2'), ...onto('a2', 'a3'), ...onto('a3', 'a1')]]],
    ['three in two batches', [onto('a1', 'a2'), [...onto('a2', 'a3'), ...onto('a3', 'a1')]]],
    ['two, one of them withdrawn', [onto('a1', 'a2'), [{ crm_id: 'a2', deleted: true }], onto('a2', 'a1')]],
  ])('%s', async (_, batches) => {
    const org = await organizationWith({ opportunities: [{}] });
    const errors = [];
    for (const rows of batches) errors.push(...(await send(org, 'accounts', rows)).errors);
    expect(errors).toMatchObject([{ field: 'merged_into', code: 'invalid_value' }]);
    expect(errors[0]?.message).toMatch(/itself|this account|different account|another account/);
    const { rows } = await service.pool.query(
      `select count(*) from accounts where org_id = $1 and merged_into is null`,
      [org.orgId],
    );
    expect(rows[0].count).toBeGreaterThan(0);
  });

  test('and leaves the chain as it was', async () => {
    const org = await organizationWith({});
    await merge(org, 'a1', 'a2');
    await merge(org, 'a2', 'a3');
    const before = await everythingOf(service.pool, org.orgId);
    expect(counts(await merge(org, 'a3', 'a1'))).toEqual({ received: 1, rejected: 1 });
    expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
  });
});

describe('two accounts that both have signals on a prospective deal', () => {
  const both = {
    partner_accounts: [{}, { domain: 'a2.example' }],
    activities: [...meetings('a1'), ...meetings('a2'), ...meetings('a1', { partner_external_id: 'p2' })],
  };
  const active = async (org: TestOrganization) =>
    (await feed(org)).filter((line) => !line.includes('expired'));

  test('become one, which keeps one of each and all of the log', async () => {
    const org = await organizationWith(both);
    const kept = (await signalsOf(org)).filter(({ account }) => account.crm_id === 'a2').map(({ id }) => id);
    await merge(org, 'a1', 'a2');
    expect(await active(org)).toEqual([
      'overlap new: Partner p1 at a2 on Prospective: Account a2',
      'pre_intent new: Partner p1 at a2 on Prospective: Account a2',
      'pre_intent new: Partner p2 at a2 on Prospective: Account a2',
    ]);
    const [own] = await signalsOf(org, '?state=new&type=overlap');
    expect(kept).toContain(own?.id);
    const ofBoth = (await signalsOf(org, '?state=new&type=pre_intent')).find(({ id }) => kept.includes(id));
    expect((await detailOf(org, ofBoth?.id ?? '')).reasons[0]?.activity_ids).toHaveLength(4);
    expect(await placesOf(org, 'opportunities')).toEqual({ prospective: 'a2' });
    const events = await eventsOf(service.pool, org.orgId);
    expect(events.filter(({ kind }) => kind === 'signal.created')).toHaveLength(5);
  });

  test.each([
    ['the account that goes', 'a1'],
    ['the account that stays', 'a2'],
  ])('keep the work that is in progress on %s', async (_, crmId) => {
    const org = await organizationWith(both);
    const working = (await signalsOf(org))
      .filter(({ account, partner }) => account.crm_id === crmId && partner.name === 'Partner p1')
      .map(({ id }) => id)
      .sort();
    for (const id of working) await changeState(org, id, 'in_progress');
    await merge(org, 'a1', 'a2');
    const still = await signalsOf(org, '?state=in_progress');
    expect(still.map(({ id }) => id).sort()).toEqual(working);
    expect(await active(org)).toHaveLength(3);
  });

  test('end one of the two where both are in progress, and say so in its history', async () => {
    const org = await organizationWith({ activities: [...meetings('a1'), ...meetings('a2')] });
    for (const { id } of await signalsOf(org)) await changeState(org, id, 'in_progress');
    await merge(org, 'a1', 'a2');
    const [ended] = await signalsOf(org, '?state=expired');
    expect((await detailOf(org, ended?.id ?? '')).history).toMatchObject([
      { from: 'new', to: 'in_progress' },
      { from: 'in_progress', to: 'expired', changed_by: { key_id: null } },
    ]);
    expect(await signalsOf(org, '?state=in_progress')).toHaveLength(1);
  });

  test('keep the day of the first evidence of either, so that the deal that grew out of it is known', async () => {
    const org = await service.organization();
    const name = 'The same company twice';
    await loadFacts(org, {
      partners: [{}, {}],
      accounts: [{ name }, { name }],
      activities: [
        ...meetings('a1', { kind: 'referral', occurred_at: daysAgo(8) }),
        ...meetings('a2', { partner_external_id: 'p2' }),
      ],
    });
    const [own] = (await signalsOf(org)).filter(({ account }) => account.crm_id === 'a2');
    await send(org, 'accounts', [{ crm_id: 'a1', deleted: true, merged_into: 'a2' }]);
    await loadFacts(org, { opportunities: [{ account_crm_id: 'a2', opened_at: daysAgo(5) }] });
    const { rows } = await service.pool.query(
      `select id from opportunities where org_id = $1 and crm_id = 'o1'`,
      [org.orgId],
    );
    expect(rows).toEqual([{ id: own?.opportunity.id }]);
  });
});
