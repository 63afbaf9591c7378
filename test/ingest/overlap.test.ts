import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moveBack } from '../due-work.ts';
import { type Facts, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { changeState, dayAfter, detailOf, eventsOf, feed, send, signalsOf } from './requests.ts';

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

type Overlap = { account: { crm_id: string }; matched_by: string; key: string; confidence: number };

async function overlapsOf(org: TestOrganization): Promise<Overlap[]> {
  const [partner] = await readAll<{ id: string }>(org, '/v1/partners');
  return readAll<Overlap>(org, `/v1/partners/${partner?.id}/overlaps`);
}

describe('an overlap', () => {
  const nameless = { domain: null, country: null, registry_number: null };
  test.each([
    {
      account: { ...nameless, country: 'DE', registry_number: 'HRB 47110815' },
      listed: { ...nameless, country: 'DE', registry_number: 'hrb-47110815' },
      found: { matched_by: 'registry_number', key: 'registry:DE:HRB47110815', confidence: 0.98 },
      words: 'same registry number: HRB47110815',
    },
    {
      account: { ...nameless, domain: 'https://www.amberwick.example/about' },
      listed: { ...nameless, domain: 'jo@mail.amberwick.example' },
      found: { matched_by: 'domain', key: 'domain:amberwick.example', confidence: 0.95 },
      words: 'same domain: amberwick.example',
    },
    {
      account: { ...nameless, domain: 'amberwick.example', extra_domains: ['amberwick-group.example'] },
      listed: { ...nameless, domain: 'shop.amberwick-group.example' },
      found: { matched_by: 'extra_domain', key: 'domain:amberwick-group.example', confidence: 0.9 },
      words: 'same additional domain: amberwick-group.example',
    },
    {
      account: { ...nameless, name: 'Müller Maschinenbau GmbH', country: 'DE' },
      listed: { ...nameless, name: 'MULLER MASCHINENBAU', country: 'DE' },
      found: { matched_by: 'name', key: 'name:DE:maschinenbaumuller', confidence: 0.7 },
      words: 'same name',
    },
    {
      account: {
        name: 'Amberwick Ltd',
        domain: 'amberwick.example',
        country: 'GB',
        registry_number: 'OC 309417',
      },
      listed: { name: 'Amberwick', domain: 'amberwick.example', country: 'GB', registry_number: 'OC 309417' },
      found: { matched_by: 'registry_number', key: 'registry:GB:OC309417', confidence: 0.98 },
      words: 'same registry number: OC309417',
    },
  ])('fires by $found.matched_by, and says so: $found.key', async ({ account, listed, found, words }) => {
    const org = await organizationWith({ accounts: [account], partner_accounts: [listed] });
    expect(await overlapsOf(org)).toMatchObject([{ account: { crm_id: 'a1' }, ...found }]);
    const [signal] = await signalsOf(org);
    expect(signal).toMatchObject({ type: 'overlap', state: 'new' });
    const { reasons, expires_at, fired_at } = await detailOf(org, signal?.id ?? '');
    expect(reasons).toMatchObject([{ rule: 'overlap', settings_version: 1, activity_ids: [] }]);
    expect(reasons[0]?.detail).toContain(`(${words}; confidence: ${found.confidence})`);
    expect(expires_at).toBe(dayAfter(String(fired_at), 91));
  });

  test.each([
    [
      'names that only resemble',
      { name: 'Müller Maschinen', country: 'DE' },
      { name: 'Müller', country: 'DE' },
    ],
    ['one name in two countries', { name: 'Amberwick', country: 'DE' }, { name: 'Amberwick', country: 'AT' }],
    ['a web-mail domain', { domain: 'gmail.com' }, { domain: 'gmail.com' }],
    ['a public suffix', { domain: 'one.co.uk' }, { domain: 'two.co.uk' }],
    [
      'one number in two registers',
      { country: 'DE', registry_number: 'HRB 47110815' },
      { country: 'AT', registry_number: 'HRB 47110815' },
    ],
  ])('does not fire by %s', async (_, account, listed) => {
    const org = await organizationWith({
      accounts: [{ ...nameless, ...account }],
      partner_accounts: [{ ...nameless, ...listed }],
    });
    expect(await signalsOf(org)).toEqual([]);
    expect(await overlapsOf(org)).toEqual([]);
  });

  test('fires once for each account of a domain, whichever side comes first', async () => {
    const org = await organizationWith({ accounts: [{}], partner_accounts: [{ external_id: 'x' }, {}] });
    await loadFacts(org, { accounts: [{ crm_id: 'late', domain: 'www.a1.example' }] });
    expect(await feed(org)).toEqual([
      'overlap new: Partner p1 at a1 on Prospective: Account a1',
      'overlap new: Partner p1 at late on Prospective: Account late',
    ]);
  });
});

describe('a match that ends', () => {
  const listed = { external_id: 'x' };
  const end = (org: TestOrganization) =>
    send(org, 'partner_accounts', [{ partner_external_id: 'p1', external_id: 'x', deleted: true }]);
  const comeBack = (org: TestOrganization) => loadFacts(org, { partner_accounts: [listed] });

  test('expires its new signal; back in time, it is the same signal again and nothing has fired', async () => {
    const org = await organizationWith({ partner_accounts: [listed] });
    const [signal] = await signalsOf(org);
    await end(org);
    expect(await signalsOf(org)).toEqual([
      { ...signal, state: 'expired', end_reason: 'facts', priority: null },
    ]);
    expect(await overlapsOf(org)).toEqual([]);
    await comeBack(org);
    expect(await signalsOf(org)).toEqual([signal]);
    expect(await overlapsOf(org)).toHaveLength(1);
    expect((await eventsOf(service.pool, org.orgId)).map(({ kind }) => kind)).toEqual([
      'signal.created',
      'signal.updated',
      'signal.updated',
    ]);
  });

  test('leaves work in progress alone, and what was handled is not told again when it comes back', async () => {
    const org = await organizationWith({ partner_accounts: [listed] });
    const [signal] = await signalsOf(org);
    for (const state of ['in_progress', 'handled']) {
      await changeState(org, signal?.id ?? '', state);
      await end(org);
      // With the confidence of a match that has ended.
      const isActive = state === 'in_progress';
      expect(await signalsOf(org)).toMatchObject([{ id: signal?.id, state, priority: isActive ? 13 : null }]);
      await comeBack(org);
      expect(await signalsOf(org)).toEqual([
        { ...signal, state, ...(!isActive && { priority: null, end_reason: 'handled' }) },
      ]);
    }
  });

  test.each([
    ['90 days after is not new', 90, 1],
    ['91 days after is', 91, 2],
  ])('and comes back %s', async (_, days, signals) => {
    const org = await organizationWith({ partner_accounts: [listed] });
    await end(org);
    const ago = { by: `${days} days`, where: `org_id = '${org.orgId}'` };
    await moveBack(service.pool, { table: 'matches', columns: ['started_at', 'ended_at'], ...ago });
    await moveBack(service.pool, { table: 'signals', columns: ['fired_at', 'ended_at'], ...ago });
    await comeBack(org);
    expect(await signalsOf(org)).toHaveLength(signals);
  });
});

test('a match goes on by another key, and says by which', async () => {
  const org = await organizationWith({
    accounts: [{ extra_domains: ['group.example'] }],
    partner_accounts: [{ external_id: 'one' }, { external_id: 'two', domain: 'group.example' }],
  });
  const [signal] = await signalsOf(org);
  expect(await overlapsOf(org)).toMatchObject([{ matched_by: 'domain', confidence: 0.95 }]);
  await send(org, 'partner_accounts', [{ partner_external_id: 'p1', external_id: 'one', deleted: true }]);
  expect(await overlapsOf(org)).toMatchObject([{ matched_by: 'extra_domain', confidence: 0.9 }]);
  expect(await signalsOf(org, '?state=new')).toMatchObject([{ id: signal?.id, fired_at: signal?.fired_at }]);
});
