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
      {
        crm_id: 'D-1',
        account_crm_id: 'A-1',
        name: 'Zinc renewal',
        value: 10.25,
        currency: 'EUR',
        owner: { name: 'Ada Lind', email: 'ada@us.example' },
      },
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
    owner: null,
    overlaps: [],
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
  const [opportunity] = (await readAll<Named>(org, '/v1/opportunities?q=D-1')) as [Named];
  expect((await org.get(`/v1/opportunities/${opportunity.id}`)).body.data).toEqual({
    ...opportunity,
    owner: { name: 'Ada Lind', email: 'ada@us.example' },
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

test('GET /v1/accounts/{account_id} shows its owner and every partner that shares it', async () => {
  const shared = await service.organization();
  await loadFacts(shared, {
    partners: [{ external_id: 'p1' }, { external_id: 'p2', name: 'Second' }],
    accounts: [{ crm_id: 'a1', domain: 'one.example', owner: { name: 'Ada Lind' } }],
    partner_accounts: [
      { partner_external_id: 'p1', external_id: 'x1', name: 'One', domain: null },
      { partner_external_id: 'p2', external_id: 'x2', name: 'One Ltd', domain: 'one.example' },
    ],
  });
  const [{ id }] = (await readAll<Named>(shared, '/v1/accounts')) as [Named];
  const { data } = (await shared.get(`/v1/accounts/${id}`)).body;
  expect(data.owner).toEqual({ name: 'Ada Lind', email: null });
  expect(data.overlaps).toEqual([
    {
      partner: { id: expect.stringMatching(/^prt_/), name: 'Second', type: expect.any(String) },
      partner_account: { external_id: 'x2', name: 'One Ltd', relationship: expect.any(String) },
      matched_by: 'domain',
      key: 'domain:one.example',
      confidence: 0.95,
      matched_at: expect.stringMatching(/Z$/),
    },
  ]);
});

test('GET /v1/accounts/{account_id}/activities pages through what all partners did, newest first', async () => {
  const busy = await service.organization();
  const days = ['2026-01-03', '2026-01-05', '2026-01-04', '2026-01-05'];
  await loadFacts(busy, {
    partners: [{ external_id: 'p1' }, { external_id: 'p2' }],
    accounts: [{ crm_id: 'a1' }, { crm_id: 'a2' }],
    activities: [
      ...days.map((day, index) => ({
        partner_external_id: index % 2 ? 'p1' : 'p2',
        account_crm_id: 'a1',
        occurred_at: `${day}T10:00:00Z`,
      })),
      { partner_external_id: 'p1', account_crm_id: 'a2' },
    ],
  });
  const [{ id }] = (await readAll<Named>(busy, '/v1/accounts?q=a1')) as [Named];
  const path = `/v1/accounts/${id}/activities?limit=3`;
  const first = (await busy.get(path)).body;
  expect(first.has_more).toBe(true);
  const rest = (await busy.get(`${path}&cursor=${first.next_cursor}`)).body;
  const seen = [...first.data, ...rest.data];
  expect(new Set(seen.map((activity) => activity.id)).size).toBe(4);
  expect(seen.map((activity) => activity.occurred_at.slice(0, 10))).toEqual([...days].sort().reverse());
  expect(new Set(seen.map(({ partner }) => partner.id)).size).toBe(2);
  expect((await busy.get(`/v1/accounts/${newId('acc')}/activities`)).status).toBe(404);
  expect((await org.get(path)).status).toBe(404);
  expect((await busy.get(`${path}&cursor=nope`)).body.error.code).toBe('invalid_cursor');
});

test('q of partners finds the beginning of a name, whatever the case and accents', async () => {
  const other = await service.organization();
  await loadFacts(other, {
    partners: ['Zéphyr Cloud', 'Zephyrine', 'Azure Zephyr'].map((name) => ({ name })),
  });
  const found = async (query: string) =>
    (await readAll<Named>(other, `/v1/partners?${query}`)).map(({ name }) => name);
  expect(await found('q=ZEPHYR')).toEqual(['Zéphyr Cloud', 'Zephyrine']);
  expect(await found('q=zephyrine')).toEqual(['Zephyrine']);
  expect(await found('q=zephyr&tier=4&type=gsi')).toEqual([]);
  expect((await other.get('/v1/partners?q=')).body.error.details[0].field).toBe('q');
  expect((await org.get('/v1/partners?q=zephyr')).body.data).toEqual([]);
});

test('q of signals finds them by the account, with every other filter and order', async () => {
  const other = await service.organization();
  await loadFacts(other, {
    partners: [{}],
    accounts: ['Harbour Mills', 'Harbour Line', 'Mills Harbour'].map((name, index) => ({
      crm_id: `H-${index}`,
      name,
      domain: `harbour${index}.example`,
    })),
    opportunities: [0, 1, 2].map((index) => ({ crm_id: `o${index}`, account_crm_id: `H-${index}` })),
    activities: [0, 1, 2].map((index) => ({ account_crm_id: `H-${index}`, opportunity_crm_id: `o${index}` })),
  });
  const found = async (query: string) =>
    (await readAll<{ account: Named }>(other, `/v1/signals?${query}`))
      .map(({ account }) => account.name)
      .sort();
  const all = ['Harbour Line', 'Harbour Mills', 'Mills Harbour'];
  expect(await found('q=harbour%20m')).toEqual(['Harbour Mills']);
  expect(await found('q=mills')).toEqual(['Mills Harbour']);
  expect(await found('q=harbour')).toEqual(all);
  expect(await found('q=H-&sort=priority&type=co_sell&min_priority=0')).toEqual(all);
  expect(await found('q=H-1&state=new')).toEqual(['Harbour Line']);
  expect(await found('q=H-&state=handled')).toEqual([]);
  expect((await other.get('/v1/signals?q=')).body.error.details[0].field).toBe('q');
  expect((await org.get('/v1/signals?q=harbour')).body.data).toEqual([]);
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
