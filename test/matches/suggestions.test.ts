import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, type OrganizationId } from '../../src/contract/ids.ts';
import { suggestStep } from '../../src/domain/match-suggestions.ts';
import { queueSuggestions } from '../../src/store/matching/suggestion-queue.ts';
import { type Facts, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { feed, send, signalsOf } from '../ingest/requests.ts';
import { bodyOf, decide, idsOf, lookForSuggestions, matchesOf, suggestionsOf } from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const nowhere = { domain: null, country: 'GB' };

async function organizationWith(facts: Facts): Promise<TestOrganization> {
  const org = await service.organization();
  await loadFacts(org, { partners: [{}], ...facts });
  await lookForSuggestions(service, org);
  return org;
}

/** `a1 ~ l1` for each suggestion, best first. */
async function pairsOf(org: TestOrganization, query = ''): Promise<string[]> {
  const suggestions = await suggestionsOf(org, query);
  return suggestions.map((one) => `${one.account.crm_id} ~ ${one.partner_account.external_id}`);
}

const costbrook = { ...nowhere, name: 'Costbrook' };
const wholesale = { ...nowhere, external_id: 'l1', name: 'Costbrook Wholesale' };

describe('a suggestion', () => {
  test('is a pair that may be the same, with its reasons in words', async () => {
    const org = await organizationWith({ accounts: [costbrook], partner_accounts: [wholesale] });
    const [suggestion, ...others] = await suggestionsOf(org);
    expect(others).toEqual([]);
    expect(suggestion).toEqual({
      id: expect.stringMatching(/^sug_/),
      partner: { id: expect.any(String), name: 'Partner p1', type: 'gsi' },
      account: { id: expect.any(String), name: 'Costbrook', crm_id: 'a1' },
      partner_account: {
        external_id: 'l1',
        name: 'Costbrook Wholesale',
        domain: null,
        country: 'GB',
        registry_number: null,
        relationship: 'customer',
      },
      score: expect.any(Number),
      reasons: ['same words, plus “Wholesale”'],
      suggested_at: expect.any(String),
    });
    expect(await matchesOf(org)).toEqual([]);
    expect(await feed(org)).toEqual([]);
  });

  test('is found whichever side comes first, and follows the facts', async () => {
    const org = await organizationWith({ partner_accounts: [wholesale] });
    expect(await pairsOf(org)).toEqual([]);
    await loadFacts(org, { accounts: [costbrook] });
    await lookForSuggestions(service, org);
    const [first] = await suggestionsOf(org);
    expect(await pairsOf(org)).toEqual(['a1 ~ l1']);
    await loadFacts(org, { partner_accounts: [{ ...wholesale, name: 'Costbrook Retail' }] });
    await lookForSuggestions(service, org);
    expect(await suggestionsOf(org)).toMatchObject([
      { id: first?.id, suggested_at: first?.suggested_at, reasons: ['same words, plus “Retail”'] },
    ]);
    await loadFacts(org, { partner_accounts: [{ ...wholesale, name: 'Quillmarsh' }] });
    await lookForSuggestions(service, org);
    expect(await pairsOf(org)).toEqual([]);
  });

  test('goes the moment that it is decided, matched or withdrawn', async () => {
    const org = await organizationWith({
      accounts: [costbrook, { ...nowhere, name: 'Ferngate' }, { ...nowhere, name: 'Tallowmere' }],
      partner_accounts: [
        wholesale,
        { ...nowhere, external_id: 'l2', name: 'Ferngate Shipping' },
        { ...nowhere, external_id: 'l3', name: 'Tallowmere Bank' },
      ],
    });
    expect((await pairsOf(org)).sort()).toEqual(['a1 ~ l1', 'a2 ~ l2', 'a3 ~ l3']);
    await decide(org, 'a1', 'l1', 'different');
    expect((await pairsOf(org)).sort()).toEqual(['a2 ~ l2', 'a3 ~ l3']);
    await loadFacts(org, {
      partner_accounts: [{ ...nowhere, external_id: 'l2', name: 'Ferngate' }],
    });
    expect(await pairsOf(org)).toEqual(['a3 ~ l3']);
    await send(org, 'accounts', [{ crm_id: 'a3', deleted: true }]);
    expect(await pairsOf(org)).toEqual([]);
    await lookForSuggestions(service, org);
    expect((await org.get('/v1/matches/quality')).body.data.suggestions.open).toBe(0);
  });

  test('is found for another account when a company no longer matches', async () => {
    const domain = 'costbrook.example';
    const org = await organizationWith({
      accounts: [costbrook, { name: 'Quillmarsh', domain, country: 'GB' }],
      partner_accounts: [{ ...wholesale, domain }],
    });
    expect(await matchesOf(org)).toEqual(['a2 = l1 (domain)']);
    expect(await pairsOf(org)).toEqual([]);
    await send(org, 'accounts', [{ crm_id: 'a2', deleted: true }]);
    await lookForSuggestions(service, org);
    expect(await pairsOf(org)).toEqual(['a1 ~ l1']);
  });

  test('is one of at most three of an account and a partner, and gives way to a better one', async () => {
    const listed = (external_id: string, name: string) => ({ ...nowhere, external_id, name });
    const org = await organizationWith({
      accounts: [costbrook],
      partner_accounts: [
        listed('l1', 'Costbrook Wholesale Partners'),
        listed('l2', 'Costbrook Retail Partners'),
        listed('l3', 'Costbrook Trading Partners'),
        listed('l4', 'Costbrook Shipping Partners'),
      ],
    });
    expect(await pairsOf(org)).toHaveLength(3);
    await loadFacts(org, { partner_accounts: [listed('l5', 'Costbrook Group')] });
    await lookForSuggestions(service, org);
    const after = await pairsOf(org);
    expect(after).toHaveLength(3);
    expect(after[0]).toBe('a1 ~ l5');
    // The fourth returns when there are fewer than three.
    for (const external_id of after.map((pair) => pair.slice(5)))
      await send(org, 'partner_accounts', [{ partner_external_id: 'p1', external_id, deleted: true }]);
    await lookForSuggestions(service, org);
    expect(await pairsOf(org)).toHaveLength(2);
  });

  test('is listed best first, by partner, account and score, in pages', async () => {
    const org = await organizationWith({
      accounts: [costbrook, { ...nowhere, name: 'Ferngate Shipping Lines' }],
      partner_accounts: [
        { ...wholesale, name: 'Costbrook Group' },
        { ...nowhere, external_id: 'l2', name: 'Ferngate Shipping' },
      ],
    });
    const all = await suggestionsOf(org);
    expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).sort((a, b) => b - a));
    const { partner, account } = await idsOf(org);
    expect(await pairsOf(org, `?account_id=${account('a1')}`)).toEqual(['a1 ~ l1']);
    const [best] = await pairsOf(org);
    expect(await pairsOf(org, `?partner_id=${partner}&min_score=${all[0]?.score}`)).toEqual([best]);
    expect(await pairsOf(org, '?account_id=nonsense')).toEqual([]);
    const ofPartner = `/v1/match_suggestions?partner_id=${partner}&limit=1`;
    const first = await org.get(ofPartner);
    expect(first.body.data).toEqual(all.slice(0, 1));
    const next = await org.get(`${ofPartner}&cursor=${first.body.next_cursor}`);
    expect(next.body).toMatchObject({ data: [all[1]], has_more: false });
    expect(await org.get('/v1/match_suggestions?min_score=2')).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'min_score' }] } },
    });
  });
});

test('a match that somebody reported as wrong is the first to review, and stays until it is decided', async () => {
  const org = await organizationWith({
    accounts: [
      { name: 'Quillmarsh', country: 'GB' },
      { ...nowhere, name: 'Ferngate' },
    ],
    partner_accounts: [
      { external_id: 'l1', name: 'Tallowmere', country: 'GB' },
      { ...nowhere, external_id: 'l2', name: 'Ferngate Group' },
    ],
  });
  expect(await pairsOf(org)).toEqual(['a2 ~ l2']);
  const [signal] = await signalsOf(org);
  const answer = await org.call('PATCH', `/v1/signals/${signal?.id}`, {
    body: { state: 'expired', dismiss_reason: 'wrong_match' },
  });
  expect(answer.status, answer.text).toBe(200);
  await lookForSuggestions(service, org);
  const [first, second] = await suggestionsOf(org);
  expect(first?.reasons[0]).toBe('reported as a wrong match');
  expect([first?.account.crm_id, second?.account.crm_id]).toEqual(['a1', 'a2']);
  expect(await matchesOf(org)).toEqual(['a1 = l1 (domain)']);
  await loadFacts(org, { accounts: [{ name: 'Quillmarsh & Sons', country: 'GB' }] });
  await lookForSuggestions(service, org);
  expect(await pairsOf(org)).toEqual(['a1 ~ l1', 'a2 ~ l2']);
  await decide(org, 'a1', 'l1', 'different');
  expect(await pairsOf(org)).toEqual(['a2 ~ l2']);
  expect(await matchesOf(org)).toEqual([]);
});

test('quality counts matches and decisions by kind, and gives a share from 50 decisions on', async () => {
  const places = Array.from({ length: 50 }, (_, i) => i + 1);
  const org = await organizationWith({
    accounts: [...places.map(() => ({})), costbrook],
    partner_accounts: [...places.map((i) => ({ external_id: `d${i}`, domain: `a${i}.example` })), wholesale],
  });
  const quality = async () => (await org.get('/v1/matches/quality')).body.data;
  expect(await quality()).toMatchObject({
    kinds: [
      { kind: 'confirmed', matches: 0 },
      { kind: 'registry_number', matches: 0 },
      { kind: 'domain', matches: 50, decisions: 0, confirmed_share: null },
      { kind: 'extra_domain' },
      { kind: 'name' },
    ],
    suggestions: { open: 1, waiting: 0, decisions: 0 },
  });
  const items = await Promise.all(
    places.map((i) =>
      bodyOf(org, { account: `a${i}`, listed: `d${i}`, decision: i > 2 ? 'same' : 'different' }),
    ),
  );
  await org.call('POST', '/v1/match_decisions/batch', { body: { items: items.slice(1) } });
  expect((await quality()).kinds[2]).toMatchObject({ decisions: 49, confirmed_share: null });
  await org.call('POST', '/v1/match_decisions/batch', { body: { items: items.slice(0, 1) } });
  await decide(org, 'a51', 'l1', 'same');
  expect(await quality()).toMatchObject({
    kinds: [{ matches: 49 }, {}, { matches: 0, decisions: 50, confirmed_share: 0.96 }, {}, {}],
    suggestions: { decisions: 1, confirmed_share: null },
  });
});

test('work that waits is done in the background', async () => {
  const org = await service.organization();
  await loadFacts(org, { partners: [{}], accounts: [costbrook], partner_accounts: [wholesale] });
  await expect.poll(() => pairsOf(org)).toEqual(['a1 ~ l1']);
});

test('the queue empties even if an account and a company are not among the best candidates of each other', async () => {
  const org = await service.organization();
  const same = { ...nowhere, name: 'Costbrook' };
  const listed = (partner: string, registry_number: string) => ({
    ...{ ...same, registry_number, partner_external_id: partner, external_id: `l of ${partner}` },
  });
  await loadFacts(org, {
    partners: [{}, {}],
    // A company is compared with ten of them. Each of the last two matches one company, and may be the other.
    accounts: [
      ...Array.from({ length: 10 }, () => same),
      { ...same, registry_number: '20260001' },
      { ...same, registry_number: '20260002' },
    ],
    partner_accounts: [listed('p1', '20260001'), listed('p2', '20260002')],
  });
  const orgId = org.orgId as OrganizationId;
  const steps: (number | null)[] = [];
  for (let step = 0; step < 10 && steps.at(-1) !== null; step++)
    steps.push(await service.db.write(orgId, (tx) => suggestStep(tx, orgId, new Date())));
  expect(steps.at(-1), `records in each step: ${steps.join(', ')}`).toBeNull();
  const pairs = await pairsOf(org);
  expect(pairs).toContain('a11 ~ l of p2');
  expect(pairs).toContain('a12 ~ l of p1');
});

test('a large backlog is processed in steps of at most 500 records', async () => {
  const org = await service.organization();
  const orgId = org.orgId as OrganizationId;
  const accountIds = Array.from({ length: 1_150 }, () => newId('acc'));
  // Due later, so that the background work leaves it alone.
  const later = new Date(Date.now() + 3_600_000);
  await service.db.write(orgId, (tx) => queueSuggestions(tx, orgId, accountIds, [], later));
  const steps: number[] = [];
  for (let records: number | null = 1; records !== null; ) {
    records = await service.db.write(orgId, (tx) => suggestStep(tx, orgId, new Date()));
    if (records !== null) steps.push(records);
  }
  expect(steps).toHaveLength(3);
  expect(Math.max(...steps)).toBeLessThanOrEqual(500);
  expect(steps.reduce((sum, records) => sum + records, 0)).toBe(1_150);
});
