import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { daysAgo, type Facts, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { changeState, detailOf, eventsOf, feed, send, signalsOf } from './requests.ts';

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

const day = (days: number) => daysAgo(days).slice(0, 10);
/** Two of these are pre-intent. */
const referral = (days: number) => ({ kind: 'referral' as const, occurred_at: daysAgo(days) });

async function opportunityIds(org: TestOrganization): Promise<Record<string, string>> {
  const { rows } = await service.pool.query(
    `select coalesce(crm_id, 'prospective') as crm_id, id from opportunities where org_id = $1`,
    [org.orgId],
  );
  return Object.fromEntries(rows.map(({ crm_id, id }) => [crm_id, id]));
}

describe('the prospective opportunity of an account', () => {
  test('is one for all partners and all signals on it', async () => {
    const org = await organizationWith({
      partners: [{}, {}],
      partner_accounts: [{}, { partner_external_id: 'p2' }],
      activities: [
        referral(3),
        referral(1),
        ...[3, 1].map((d) => ({ ...referral(d), partner_external_id: 'p2' })),
      ],
    });
    const signals = await signalsOf(org);
    expect(signals.map(({ type }) => type).sort()).toEqual([
      'overlap',
      'overlap',
      'pre_intent',
      'pre_intent',
    ]);
    const { prospective } = await opportunityIds(org);
    for (const { opportunity } of signals) {
      expect(opportunity).toEqual({
        id: prospective,
        name: 'Prospective: Account a1',
        value: 0,
        currency: null,
        stage: 'prospective',
      });
    }
  });

  test.each([
    ['on the day of its first evidence', 6, true],
    ['after it', 2, true],
    ['the day before it', 7, false],
  ])('gives its id to the first deal of the CRM if that was opened %s', async (_, opened, heir) => {
    const org = await organizationWith({ activities: [referral(3), referral(6)] });
    const { prospective } = await opportunityIds(org);
    await loadFacts(org, { opportunities: [{ crm_id: 'deal', opened_at: day(opened) }] });
    expect((await opportunityIds(org)).deal === prospective).toBe(heir);
    expect(await feed(org)).toEqual([
      'co_sell new: Partner p1 at a1 on Opportunity deal',
      `pre_intent expired: Partner p1 at a1 on ${heir ? 'Opportunity deal' : 'Prospective: Account a1'}`,
    ]);
  });

  test('goes to the earliest-opened of the deals that come together, the older ones aside', async () => {
    const org = await organizationWith({ activities: [referral(3), referral(6)] });
    const { prospective } = await opportunityIds(org);
    await loadFacts(org, {
      opportunities: [
        { crm_id: 'latest', opened_at: day(1) },
        { crm_id: 'heir', opened_at: day(5) },
        { crm_id: 'older', opened_at: day(8) },
      ],
    });
    expect((await opportunityIds(org)).heir).toBe(prospective);
    await loadFacts(org, { opportunities: [{ crm_id: 'earlier heir', opened_at: day(6) }] });
    expect((await opportunityIds(org)).heir).toBe(prospective);
  });

  test('can become a deal that is won already; what still holds is told on a new one', async () => {
    const org = await organizationWith({ partner_accounts: [{}] });
    const { prospective } = await opportunityIds(org);
    await loadFacts(org, { opportunities: [{ crm_id: 'won', opened_at: day(0), status: 'won' }] });
    expect((await opportunityIds(org)).won).toBe(prospective);
    expect(await feed(org)).toEqual([
      'overlap expired: Partner p1 at a1 on Opportunity won',
      'overlap new: Partner p1 at a1 on Prospective: Account a1',
    ]);
  });

  test('counts evidence that arrives late as its first', async () => {
    const org = await organizationWith({ activities: [referral(1), referral(2)] });
    await loadFacts(org, { activities: [referral(9)] });
    const { prospective } = await opportunityIds(org);
    await loadFacts(org, { opportunities: [{ crm_id: 'deal', opened_at: day(9) }] });
    expect((await opportunityIds(org)).deal).toBe(prospective);
  });
});

describe('a deal that opens', () => {
  test('takes the new signals of the deal before it, which keep their ids', async () => {
    const org = await organizationWith({ opportunities: [{}], partner_accounts: [{}], activities: [{}] });
    const before = await signalsOf(org);
    await loadFacts(org, { opportunities: [{ crm_id: 'o2', opened_at: day(1) }] });
    const after = await signalsOf(org);
    expect(after.map(({ id, fired_at }) => [id, fired_at])).toEqual(before.map((s) => [s.id, s.fired_at]));
    expect(await feed(org)).toEqual([
      'co_sell new: Partner p1 at a1 on Opportunity o2',
      'overlap new: Partner p1 at a1 on Opportunity o2',
    ]);
    const kinds = (await eventsOf(service.pool, org.orgId)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'signal.created')).toHaveLength(2);
  });

  test('takes nothing that somebody works on, nor what names another deal', async () => {
    const org = await organizationWith({
      partners: [{}, {}],
      opportunities: [{}],
      partner_accounts: [{}],
      activities: [{ partner_external_id: 'p2', opportunity_crm_id: 'o1' }],
    });
    const [overlap] = await signalsOf(org, '?type=overlap');
    await changeState(org, overlap?.id ?? '', 'in_progress');
    await loadFacts(org, { opportunities: [{ crm_id: 'o2', opened_at: day(1) }] });
    expect(await feed(org)).toEqual([
      'co_sell new: Partner p2 at a1 on Opportunity o1',
      'overlap in_progress: Partner p1 at a1 on Opportunity o1',
    ]);
  });
});

describe.each([
  ['is lost', { status: 'lost' as const }, /^The deal was lost\. /],
  ['is won', { status: 'won' as const, closed_date: day(0) }, /^The deal was won on \d/],
  ['is withdrawn', { deleted: true }, /^The deal was deleted from the CRM\. /],
])('a deal that %s', (_, change, advice) => {
  test('expires its new signals, leaves work in progress, and gets both back when it is open again', async () => {
    const opportunity = { opened_at: day(10) };
    const org = await organizationWith({
      partners: [{}, {}],
      opportunities: [opportunity],
      activities: [{}, { partner_external_id: 'p2' }],
    });
    const open = await signalsOf(org);
    const [working] = open;
    await changeState(org, working?.id ?? '', 'in_progress');
    await send(org, 'opportunities', [
      {
        crm_id: 'o1',
        account_crm_id: 'a1',
        name: 'O',
        value: 1,
        stage: 'x',
        status: 'open',
        ...opportunity,
        ...change,
      },
    ]);
    expect((await signalsOf(org)).map(({ id, state }) => [id, state])).toEqual(
      open.map(({ id }) => [id, id === working?.id ? 'in_progress' : 'expired']),
    );
    // Whoever works on it sees what happened instead of the old advice.
    expect((await detailOf(org, working?.id ?? '')).recommended_action).toMatch(advice);
    const { history } = await detailOf(org, open[1]?.id ?? '');
    expect(history).toMatchObject([{ from: 'new', to: 'expired', changed_by: { key_id: null } }]);

    await loadFacts(org, { opportunities: [opportunity] });
    expect((await signalsOf(org)).map(({ id, state }) => [id, state])).toEqual(
      open.map(({ id }) => [id, id === working?.id ? 'in_progress' : 'new']),
    );
    expect((await detailOf(org, working?.id ?? '')).recommended_action).toBe(working?.recommended_action);
    const kinds = (await eventsOf(service.pool, org.orgId)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'signal.created')).toHaveLength(2);
  });
});

test('an overlap that was told on a deal is told once more on what stands for the account after it', async () => {
  const org = await organizationWith({ opportunities: [{}], partner_accounts: [{}] });
  await loadFacts(org, { opportunities: [{ status: 'lost' }] });
  expect(await feed(org)).toEqual([
    'overlap expired: Partner p1 at a1 on Opportunity o1',
    'overlap new: Partner p1 at a1 on Prospective: Account a1',
  ]);
});

test('what a deal is called, costs and has come to is in its signals at once', async () => {
  const org = await organizationWith({ opportunities: [{}], activities: [{}] });
  await loadFacts(org, { opportunities: [{ name: 'Bigger', value: 99, stage: 'contract' }] });
  const [signal] = await signalsOf(org);
  expect(signal?.opportunity).toMatchObject({ name: 'Bigger', value: 99, stage: 'contract' });
  expect(signal?.recommended_action).toContain('"contract"');
});
