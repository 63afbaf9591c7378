import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import { loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';

type Named = { id: string; name: string };

let service: TestService;
let org: TestOrganization;

beforeAll(async () => {
  service = await startTestService();
  org = await service.organization();
  await loadFacts(org, {
    partners: [{}],
    accounts: [
      { crm_id: 'A-1', name: 'Zinc Works', domain: 'https://www.zinc.example/about', country: 'NO' },
      { crm_id: 'A-2', name: 'Éclat Foods', domain: 'eclat.example', extra_domains: ['zincfoods.example'] },
      { crm_id: 'B-1', name: 'éclair sa', domain: null },
      { crm_id: 'gone', name: 'Eclipse', deleted: false },
      { crm_id: 'merged', name: 'Eclat Foods Ltd', domain: 'eclat-ltd.example' },
      { crm_id: '50%_x', name: '100% Zinc_', domain: null },
    ],
    opportunities: [
      { crm_id: 'D-1', account_crm_id: 'A-1', name: 'Zinc renewal', value: 10.25, currency: 'EUR' },
      { crm_id: 'D-2', account_crm_id: 'A-1', name: 'Anodes', status: 'won' },
      { crm_id: 'D-3', account_crm_id: 'A-2', name: 'zebra', status: 'lost', stage: 'lost' },
      { crm_id: 'D-4', account_crm_id: 'A-2', name: 'Anvil' },
    ],
    // On an account without a deal: it gets a prospective one.
    activities: [...Array(4)].map(() => ({ account_crm_id: 'B-1', kind: 'deal_registration' })),
  });
  await loadFacts(org, {
    accounts: [
      { crm_id: 'gone', deleted: true },
      { crm_id: 'merged', merged_into: 'A-2' },
    ],
    opportunities: [{ crm_id: 'D-4', deleted: true }],
  });
});
afterAll(() => service.close());

async function names(path: string): Promise<string[]> {
  return (await readAll<Named>(org, path)).map(({ name }) => name);
}

describe('GET /v1/accounts', () => {
  test('lists by name as a person sorts, without those withdrawn or merged away', async () => {
    const answer = await org.get('/v1/accounts');
    expect(answer.body.data.map(({ name }: Named) => name)).toEqual([
      '100% Zinc_',
      'éclair sa',
      'Éclat Foods',
      'Zinc Works',
    ]);
    expect(answer.body.data[3]).toEqual({
      id: expect.stringMatching(/^acc_/),
      name: 'Zinc Works',
      crm_id: 'A-1',
      domain: 'https://www.zinc.example/about',
      country: 'NO',
    });
  });

  test.each([
    ['the beginning of a name, whatever case and accents', 'ECLA', ['éclair sa', 'Éclat Foods']],
    ['the whole name', ' Éclat Foods ', ['Éclat Foods']],
    ['the beginning of a domain, also of an additional one', 'zinc', ['Éclat Foods', 'Zinc Works']],
    ['a URL, which stands for its domain', 'https://shop.zinc.example/x?y', ['Zinc Works']],
    ['an e-mail address', 'ada@zinc.example', ['Zinc Works']],
    ['a domain as it is being typed', 'www.zinc.ex', ['Zinc Works']],
    ['a CRM ID', 'A-2', ['Éclat Foods']],
    ['the beginning of a CRM ID', 'A-', ['Éclat Foods', 'Zinc Works']],
    ['no CRM ID in other letters', 'a-2', []],
    ['nothing in the middle of a name', 'Works', []],
    ['no wildcards', '%', []],
    ['nor these', '50%_x', ['100% Zinc_']],
    ['nothing of a withdrawn account', 'eclipse', []],
    ['nothing of one that was merged away', 'eclat-ltd', []],
    ['no quotes', "'; drop", []],
  ])('q finds %s', async (_, q, found) => {
    expect(await names(`/v1/accounts?q=${encodeURIComponent(q)}`)).toEqual(found);
  });

  test('a search pages through everything exactly once, in the order of names', async () => {
    const other = await service.organization();
    const accounts = Array.from({ length: 7 }, (_, i) => ({
      crm_id: `zz${i}`,
      name: i % 2 ? `Zz ${i}` : `Other ${i}`,
      domain: `zz${i}.example`,
    }));
    await loadFacts(other, { accounts });
    const seen: string[] = [];
    let path = '/v1/accounts?q=zz&limit=2';
    for (let more = true; more; ) {
      const { body } = await other.get(path);
      seen.push(...body.data.map(({ name }: Named) => name));
      more = body.has_more;
      path = `/v1/accounts?q=zz&limit=2&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual(accounts.map(({ name }) => name).sort());
  });

  test('a bad parameter is 400 and names it', async () => {
    for (const [query, field] of [
      ['q=', 'q'],
      ['q=%20', 'q'],
      [`q=${'x'.repeat(201)}`, 'q'],
      ['q=%00', 'q'],
      ['name=x', 'name'],
    ]) {
      const answer = await org.get(`/v1/accounts?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body.error.details).toMatchObject([{ field }]);
    }
  });

  test('a cursor belongs to its search', async () => {
    const { next_cursor } = (await org.get('/v1/accounts?limit=1&q=A-')).body;
    const answer = await org.get(`/v1/accounts?limit=1&q=B&cursor=${next_cursor}`);
    expect(answer.body.error.code).toBe('invalid_cursor');
  });
});

test('GET /v1/accounts/{account_id} answers the account in full, and where a merged one went', async () => {
  const [{ id: target }] = (await readAll<Named>(org, '/v1/accounts?q=A-2')) as [Named];
  const { rows } = await service.pool.query(
    `select id from accounts where org_id = $1 and crm_id = 'merged'`,
    [org.orgId],
  );
  expect((await org.get(`/v1/accounts/${target}`)).body.data).toEqual({
    id: target,
    name: 'Éclat Foods',
    crm_id: 'A-2',
    domain: 'eclat.example',
    country: null,
    extra_domains: ['zincfoods.example'],
    registry_number: null,
    merged_into: null,
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  });
  expect((await org.get(`/v1/accounts/${rows[0].id}`)).body.data.merged_into).toBe(target);
});

describe('GET /v1/opportunities', () => {
  test('lists deals by name, without prospective and withdrawn ones', async () => {
    const answer = await org.get('/v1/opportunities');
    expect(answer.body.data.map(({ name }: Named) => name)).toEqual(['Anodes', 'zebra', 'Zinc renewal']);
    expect(answer.body.data[2]).toEqual({
      id: expect.stringMatching(/^opp_/),
      name: 'Zinc renewal',
      value: 10.25,
      currency: 'EUR',
      stage: 'proposal',
      crm_id: 'D-1',
      status: 'open',
      account: { id: expect.stringMatching(/^acc_/), name: 'Zinc Works', crm_id: 'A-1' },
      opened_at: expect.stringMatching(/Z$/),
      closed_date: null,
      converted: null,
    });
  });

  test.each([
    ['status=won', ['Anodes']],
    ['status=lost', ['zebra']],
    ['q=Z', ['Anodes', 'zebra', 'Zinc renewal']],
    ['q=zi', ['Anodes', 'zebra', 'Zinc renewal']],
    ['q=zinc.', ['Anodes', 'Zinc renewal']],
    ['q=zi&status=open', ['Zinc renewal']],
    ['q=D-3', ['zebra']],
    ['q=D-', ['Anodes', 'zebra', 'Zinc renewal']],
    ['q=D-4', []],
    ['account_id=nope', []],
  ])('%s', async (query, found) => {
    expect(await names(`/v1/opportunities?${query}`)).toEqual(found);
  });

  test('of one account, with every other filter', async () => {
    const [{ id }] = (await readAll<Named>(org, '/v1/accounts?q=A-1')) as [Named];
    expect(await names(`/v1/opportunities?account_id=${id}`)).toEqual(['Anodes', 'Zinc renewal']);
    expect(await names(`/v1/opportunities?account_id=${id}&status=won`)).toEqual(['Anodes']);
    expect(await names(`/v1/opportunities?account_id=${id}&q=zin`)).toEqual(['Anodes', 'Zinc renewal']);
    expect(await names(`/v1/opportunities?account_id=${id}&q=D-3`)).toEqual([]);
  });

  test('a bad parameter is 400 and names it', async () => {
    const answer = await org.get('/v1/opportunities?status=prospective&q=');
    expect(answer.body.error.details.map(({ field }: { field: string }) => field).sort()).toEqual([
      'q',
      'status',
    ]);
  });
});

test('GET /v1/opportunities/{opportunity_id} answers a deal, also a prospective one', async () => {
  const [deal] = (await readAll<Named>(org, '/v1/opportunities?q=D-1')) as [Named];
  expect((await org.get(`/v1/opportunities/${deal.id}`)).body.data).toEqual({
    ...deal,
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  });
  const [signal] = (await readAll<{ opportunity: Named }>(org, '/v1/signals?type=pre_intent')) as [
    { opportunity: Named },
  ];
  expect((await org.get(`/v1/opportunities/${signal.opportunity.id}`)).body.data).toMatchObject({
    status: 'prospective',
    crm_id: null,
    opened_at: null,
  });
});

test('another organization sees none of them, and 404 for their ids; so does an unknown one', async () => {
  const other = await service.organization();
  for (const [path, unknown] of [
    ['/v1/accounts', newId('acc')],
    ['/v1/opportunities', newId('opp')],
  ] as const) {
    const [first] = (await readAll<Named>(org, path)) as [Named];
    expect((await other.get(path)).body.data).toEqual([]);
    expect((await other.get(`${path}?q=Z`)).body.data).toEqual([]);
    for (const id of [first.id, unknown, 'nope']) {
      const answer = await other.get(`${path}/${id}`);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
  }
  const { rows } = await service.pool.query(
    `select id from accounts where org_id = $1 and crm_id = 'gone'
     union all select id from opportunities where org_id = $1 and crm_id = 'D-4'`,
    [org.orgId],
  );
  expect((await org.get(`/v1/accounts/${rows[0].id}`)).status).toBe(404);
  expect((await org.get(`/v1/opportunities/${rows[1].id}`)).status).toBe(404);
});

test('the scope read is enough, and ingest is not', async () => {
  const reader = await service.organization({ scopes: ['read'] });
  const loader = await service.organization({ scopes: ['ingest'] });
  for (const path of ['/v1/accounts', '/v1/opportunities']) {
    expect((await reader.get(path)).status).toBe(200);
    expect((await loader.get(path)).status).toBe(403);
  }
});
