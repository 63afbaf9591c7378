import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Facts, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { detailOf, eventsOf, feed, send, signalsOf } from '../ingest/requests.ts';
import { bodyOf, decide, idsOf, matchesOf } from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const nowhere = { domain: null, country: 'GB' };
const unlike: Facts = {
  partners: [{}],
  accounts: [{ ...nowhere, name: 'Costbrook' }],
  partner_accounts: [{ ...nowhere, external_id: 'l1', name: 'Costbrook Wholesale' }],
};
const alike: Facts = {
  partners: [{}],
  accounts: [{}],
  partner_accounts: [{ external_id: 'l1' }],
};

async function organizationWith(facts: Facts): Promise<TestOrganization> {
  const org = await service.organization();
  await loadFacts(org, facts);
  return org;
}

describe('“same”', () => {
  test('makes a match of kind confirmed that fires an overlap like any other', async () => {
    const org = await organizationWith(unlike);
    expect(await feed(org)).toEqual([]);
    const made = await decide(org, 'a1', 'l1', 'same');
    expect(made).toMatchObject({
      decision: 'same',
      status: 'current',
      matched_by: null,
      account: { crm_id: 'a1' },
      partner_account: { external_id: 'l1', name: 'Costbrook Wholesale', country: 'GB' },
      history: [{ id: made.id }],
    });
    expect(await matchesOf(org)).toEqual(['a1 = l1 (confirmed)']);
    const [signal] = await signalsOf(org);
    expect(signal).toMatchObject({ type: 'overlap', state: 'new' });
    const { reasons } = await detailOf(org, signal?.id ?? '');
    expect(reasons[0]?.detail).toContain('(confirmed by a person; confidence: 1)');
    expect(await eventsOf(service.pool, org.orgId)).toMatchObject([{ kind: 'signal.created' }]);
  });

  test('can be said of the longest identifier that a partner can have', async () => {
    const external_id = 'x'.repeat(255);
    const org = await organizationWith({
      ...unlike,
      partner_accounts: [{ ...nowhere, external_id, name: 'Costbrook Wholesale' }],
    });
    await decide(org, 'a1', external_id, 'same');
    expect(await matchesOf(org)).toEqual([`a1 = ${external_id} (confirmed)`]);
  });

  test('comes before every key', async () => {
    const org = await organizationWith({
      ...alike,
      partner_accounts: [{ external_id: 'l1' }, { external_id: 'l2', domain: null, name: 'Other' }],
    });
    expect(await matchesOf(org)).toEqual(['a1 = l1 (domain)']);
    await decide(org, 'a1', 'l2', 'same');
    expect(await matchesOf(org)).toEqual(['a1 = l2 (confirmed)']);
    expect(await feed(org, '?state=new')).toHaveLength(1);
  });

  test('holds when both are renamed, waits while the row is away, and is back with it', async () => {
    const org = await organizationWith(unlike);
    await decide(org, 'a1', 'l1', 'same');
    await loadFacts(org, { accounts: [{ ...nowhere, name: 'Something else' }] });
    const row = { partner_external_id: 'p1', external_id: 'l1' };
    const renamed = { ...row, ...nowhere, name: 'New name', relationship: 'prospect' };
    await send(org, 'partner_accounts', [renamed]);
    expect(await matchesOf(org)).toEqual(['a1 = l1 (confirmed)']);
    await send(org, 'partner_accounts', [{ ...row, deleted: true }]);
    expect(await matchesOf(org)).toEqual([]);
    await send(org, 'partner_accounts', [renamed]);
    expect(await matchesOf(org)).toEqual(['a1 = l1 (confirmed)']);
    await send(org, 'partners', [{ external_id: 'p1', deleted: true }]);
    await loadFacts(org, { partners: [{}] });
    expect(await matchesOf(org)).toEqual(['a1 = l1 (confirmed)']);
  });

  test('serves a later row of the same partner with the same name, and of no other partner', async () => {
    const org = await organizationWith({ ...unlike, partners: [{}, {}] });
    await decide(org, 'a1', 'l1', 'same');
    await send(org, 'partner_accounts', [{ partner_external_id: 'p1', external_id: 'l1', deleted: true }]);
    const again = { ...nowhere, name: 'COSTBROOK WHOLESALE Ltd' };
    await loadFacts(org, {
      partner_accounts: [
        { ...again, external_id: 'l9' },
        { ...again, external_id: 'l1', partner_external_id: 'p2' },
      ],
    });
    expect(await matchesOf(org)).toEqual(['a1 = l9 (confirmed)']);
    expect(await feed(org)).toHaveLength(1);
    // Two companies have that name, and nobody has decided which one it is.
    await loadFacts(org, { partner_accounts: [{ ...again, external_id: 'l8' }] });
    expect(await matchesOf(org)).toEqual([]);
    await decide(org, 'a1', 'l8', 'different');
    expect(await matchesOf(org)).toEqual(['a1 = l9 (confirmed)']);
  });
});

describe('“different”', () => {
  test('ends the match, and the signal says why', async () => {
    const org = await organizationWith({ ...alike, opportunities: [{}], activities: [{}] });
    expect(await feed(org, '?state=new')).toHaveLength(2);
    expect((await decide(org, 'a1', 'l1', 'different')).matched_by).toBe('domain');
    expect(await matchesOf(org)).toEqual([]);
    expect(await feed(org, '?state=new')).toEqual([expect.stringContaining('co_sell')]);
    const [ended] = await signalsOf(org, '?type=overlap');
    const { history } = await detailOf(org, ended?.id ?? '');
    expect(history.at(-1)).toMatchObject({
      from: 'new',
      to: 'expired',
      note: 'Somebody decided that these are different companies.',
    });
  });

  test('holds whatever arrives later', async () => {
    const org = await organizationWith(alike);
    await decide(org, 'a1', 'l1', 'different');
    const both = { country: 'DE', registry_number: 'HRB 4711' };
    await loadFacts(org, { accounts: [both], partner_accounts: [{ external_id: 'l1', ...both }] });
    expect(await matchesOf(org)).toEqual([]);
    expect(await feed(org, '?state=new')).toEqual([]);
  });

  test('lets the next company of the partner take its place, and the signal goes on', async () => {
    const org = await organizationWith({
      ...alike,
      partner_accounts: [{ external_id: 'l1' }, { external_id: 'l2' }],
    });
    await decide(org, 'a1', 'l1', 'different');
    expect(await matchesOf(org)).toEqual(['a1 = l2 (domain)']);
    expect(await feed(org)).toEqual([expect.stringContaining('overlap new')]);
  });
});

describe('a decision', () => {
  test('is superseded by a newer one on the same pair, can be taken back, and stays in the history', async () => {
    const org = await organizationWith(alike);
    const first = await decide(org, 'a1', 'l1', 'different');
    const second = await decide(org, 'a1', 'l1', 'same');
    expect(second).toMatchObject({ matched_by: 'domain', history: [{ id: second.id }, { id: first.id }] });
    expect(second.history[1]).toMatchObject({ status: 'superseded', ended_by: { key_name: 'test' } });
    expect(await matchesOf(org)).toEqual(['a1 = l1 (confirmed)']);
    const refused = await org.call('DELETE', `/v1/match_decisions/${first.id}`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'invalid_transition' } } });
    for (const _ of ['once', 'twice'])
      expect((await org.call('DELETE', `/v1/match_decisions/${second.id}`)).status).toBe(204);
    expect(await matchesOf(org)).toEqual(['a1 = l1 (domain)']);
    expect(await feed(org)).toEqual([expect.stringContaining('overlap new')]);
    const answer = await org.get(`/v1/match_decisions/${second.id}`);
    expect(answer.body.data).toMatchObject({ status: 'reverted', ended_at: expect.any(String) });
  });

  test('names the key and the person, and its note', async () => {
    const org = await organizationWith(alike);
    const body = await bodyOf(org, { account: 'a1', listed: 'l1', decision: 'same', note: 'Same office' });
    const answer = await org.call('POST', '/v1/match_decisions', { body, headers: { 'x-actor': 'Ada' } });
    expect(answer.body.data).toMatchObject({
      note: 'Same office',
      decided_by: { key_id: org.keyId, key_name: 'test', actor: 'Ada' },
    });
  });

  test('is made once for one Idempotency-Key', async () => {
    const org = await organizationWith(alike);
    const body = await bodyOf(org, { account: 'a1', listed: 'l1', decision: 'same' });
    const headers = { 'idempotency-key': 'once' };
    const [one, other] = [
      await org.call('POST', '/v1/match_decisions', { body, headers }),
      await org.call('POST', '/v1/match_decisions', { body, headers }),
    ];
    expect(other.body).toEqual(one.body);
    expect((await org.get('/v1/match_decisions')).body.data).toHaveLength(1);
  });

  test('moves with an account that is merged, where the newer one stands', async () => {
    const org = await organizationWith({
      ...alike,
      accounts: [{}, { domain: null }, { domain: null }],
      partner_accounts: [{ external_id: 'l1' }, { external_id: 'l2', domain: null, name: 'Elsewhere' }],
    });
    await decide(org, 'a1', 'l1', 'same');
    await decide(org, 'a2', 'l1', 'different');
    await decide(org, 'a3', 'l2', 'same');
    await send(org, 'accounts', [{ crm_id: 'a2', name: 'Merged', merged_into: 'a1' }]);
    expect(await matchesOf(org)).toEqual(['a3 = l2 (confirmed)']);
    const before = await bodyOf(org, { account: 'a3', listed: 'l2', decision: 'same' });
    await send(org, 'accounts', [{ crm_id: 'a3', name: 'Merged', merged_into: 'a1' }]);
    expect(await matchesOf(org)).toEqual(['a1 = l2 (confirmed)']);
    // The ID of the merged account refers to the remaining one.
    const again = await org.call('POST', '/v1/match_decisions', {
      body: { ...before, decision: 'different' },
    });
    expect(again.body.data.account.crm_id).toBe('a1');
    expect(await matchesOf(org)).toEqual([]);
  });

  test('names what is unknown, and a field that is wrong', async () => {
    const org = await organizationWith(alike);
    const body = await bodyOf(org, { account: 'a1', listed: 'l1', decision: 'same' });
    const other = await organizationWith(alike);
    const theirs = await idsOf(other);
    for (const [field, value] of [
      ['account_id', theirs.account('a1')],
      ['account_id', 'nonsense'],
      ['partner_id', theirs.partner],
      ['partner_account_external_id', 'l7'],
    ] as const) {
      const answer = await org.call('POST', '/v1/match_decisions', { body: { ...body, [field]: value } });
      expect(answer).toMatchObject({ status: 404, body: { error: { details: [{ field }] } } });
    }
    for (const [field, value] of [
      ['decision', 'maybe'],
      ['note', ' '],
      ['partner_account_external_id', ''],
    ] as const) {
      const answer = await org.call('POST', '/v1/match_decisions', { body: { ...body, [field]: value } });
      expect(answer, answer.text).toMatchObject({ status: 400, body: { error: { details: [{ field }] } } });
    }
    expect((await org.get('/v1/match_decisions')).body.data).toEqual([]);
    expect((await other.get('/v1/match_decisions')).body.data).toEqual([]);
  });
});

test('decisions are listed newest first, by partner, account and what was decided', async () => {
  const org = await organizationWith({
    ...alike,
    accounts: [{}, {}],
    partner_accounts: [{ external_id: 'l1' }, { external_id: 'l2', domain: 'a2.example' }],
  });
  const first = await decide(org, 'a1', 'l1', 'same');
  const second = await decide(org, 'a2', 'l2', 'different');
  const { partner, account } = await idsOf(org);
  const list = async (query: string) =>
    (await org.get(`/v1/match_decisions?${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await list('')).toEqual([second.id, first.id]);
  expect(await list(`partner_id=${partner}&decision=same`)).toEqual([first.id]);
  expect(await list(`account_id=${account('a2')}`)).toEqual([second.id]);
  expect(await list('partner_id=nonsense')).toEqual([]);
  const page = await org.get('/v1/match_decisions?limit=1');
  expect(await list(`limit=1&cursor=${page.body.next_cursor}`)).toEqual([first.id]);
});

test('a batch records each decision alone, the last one of a pair standing', async () => {
  const org = await organizationWith({
    ...alike,
    accounts: [{}, {}],
    partner_accounts: [{ external_id: 'l1' }, { external_id: 'l2', domain: 'a2.example' }],
  });
  const item = (account: string, listed: string, decision: 'same' | 'different') =>
    bodyOf(org, { account, listed, decision });
  const items = [
    await item('a1', 'l1', 'different'),
    await item('a1', 'l7', 'same'),
    await item('a2', 'l2', 'same'),
    await item('a1', 'l1', 'same'),
  ];
  const answer = await org.call('POST', '/v1/match_decisions/batch', { body: { items } });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.data).toMatchObject({
    decided: 3,
    refused: 1,
    outcomes: [
      { decision: { status: 'superseded' }, error: null },
      {
        decision: null,
        error: { code: 'not_found', message: 'There is no partner account with the ID l7.' },
      },
      { decision: { status: 'current', matched_by: 'domain' }, error: null },
      { decision: { status: 'current', decision: 'same' }, error: null },
    ],
  });
  expect(await matchesOf(org)).toEqual(['a1 = l1 (confirmed)', 'a2 = l2 (confirmed)']);
  const many = await org.call('POST', '/v1/match_decisions/batch', {
    body: { items: Array.from({ length: 101 }, () => items[0]) },
  });
  expect(many).toMatchObject({ status: 400, body: { error: { details: [{ field: 'items' }] } } });
});

test('only a key that may write can decide', async () => {
  const org = await organizationWith(alike);
  const made = await decide(org, 'a1', 'l1', 'same');
  const { body } = await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, {
    name: 'reader',
    scopes: ['read'],
  });
  const item = await bodyOf(org, { account: 'a1', listed: 'l1', decision: 'same' });
  const { key } = body.data;
  for (const [method, path, sent] of [
    ['POST', '/v1/match_decisions', item],
    ['POST', '/v1/match_decisions/batch', { items: [item] }],
    ['DELETE', `/v1/match_decisions/${made.id}`, undefined],
  ] as const) {
    const answer = await service.call(method, path, { key, body: sent });
    expect(answer, path).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  }
  expect((await service.call('GET', `/v1/match_decisions/${made.id}`, { key })).status).toBe(200);
});
