import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FactKind } from '../../src/vocabulary.ts';
import { daysAgo, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { counts, everythingOf, post, type Result } from './requests.ts';

let service: TestService;
let org: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

beforeEach(async () => {
  org = await service.organization();
  await loadFacts(org, {
    partners: [{ domain: 'p1.example' }, {}],
    accounts: [{ country: 'NO', extra_domains: ['more.example'] }, {}],
    opportunities: [{ currency: 'EUR', value: 1234.5 }, { account_crm_id: 'a2' }],
    partner_accounts: [{ external_id: 'x', country: 'NO' }],
    activities: [{ external_id: 'v', opportunity_crm_id: 'o1', actor: 'Ada' }],
  });
});

async function merge(kind: FactKind, rows: unknown[]): Promise<Result> {
  const answer = await post(org, kind, rows, { query: '?merge=true' });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data as Result;
}

async function rowOf(table: string, key: string) {
  const column = { accounts: 'crm_id', opportunities: 'crm_id' }[table] ?? 'external_id';
  const { rows } = await service.pool.query(`select * from ${table} where org_id = $1 and ${column} = $2`, [
    org.orgId,
    key,
  ]);
  return rows[0];
}

test('closing a deal is one small row, and credits the partner', async () => {
  const before = await rowOf('opportunities', 'o1');
  const closed_date = daysAgo(0).slice(0, 10);
  expect(counts(await merge('opportunities', [{ crm_id: 'o1', status: 'won', closed_date }]))).toEqual({
    received: 1,
    updated: 1,
  });
  expect(await rowOf('opportunities', 'o1')).toEqual({
    ...before,
    status: 'won',
    closed_date,
    updated_at: expect.any(Date),
  });
  expect(await readAll(org, '/v1/attribution')).toMatchObject([{ opportunity: { value: 1234.5 } }]);
});

test.each<[FactKind, string, object, object]>([
  ['partners', 'p1', { external_id: 'p1', tier: 1 }, { tier: 1 }],
  ['partners', 'p1', { external_id: 'p1', domain: null }, { domain: null }],
  ['accounts', 'a1', { crm_id: 'a1', name: 'Other' }, { name: 'Other', name_key: 'other' }],
  [
    'accounts',
    'a1',
    { crm_id: 'a1', country: null, extra_domains: null },
    { country: null, extra_domains: [] },
  ],
  ['opportunities', 'o1', { crm_id: 'o1', currency: null }, { currency: null }],
  ['opportunities', 'o1', { crm_id: 'o1', stage: 'late' }, { stage: 'late' }],
  [
    'partner_accounts',
    'x',
    { partner_external_id: 'p1', external_id: 'x', relationship: 'prospect' },
    { relationship: 'prospect' },
  ],
  ['activities', 'v', { external_id: 'v', summary: 'Another text' }, { summary: 'Another text', version: 2 }],
  [
    'activities',
    'v',
    { external_id: 'v', actor: null, opportunity_crm_id: null },
    { actor: null, opportunity_id: null, version: 2 },
  ],
])('of %s %s, what %j leaves out keeps its value, and null clears it', async (kind, key, row, changes) => {
  const before = await rowOf(kind, key);
  expect(counts(await merge(kind, [row]))).toEqual({ received: 1, updated: 1 });
  const after = await rowOf(kind, key);
  expect(after).toEqual({
    ...before,
    ...changes,
    ...('updated_at' in before ? { updated_at: expect.any(Date) } : {}),
  });
});

test('what refers to other records can change too, by key or by domain', async () => {
  const other = await rowOf('accounts', 'a2');
  await merge('activities', [{ external_id: 'v', account_crm_id: 'a2', opportunity_crm_id: 'o2' }]);
  expect(await rowOf('activities', 'v')).toMatchObject({ account_id: other.id, actor: 'Ada' });
  await merge('activities', [{ external_id: 'v', domain: 'a1.example', opportunity_crm_id: null }]);
  expect((await rowOf('activities', 'v')).account_id).toBe((await rowOf('accounts', 'a1')).id);
  await merge('opportunities', [{ crm_id: 'o1', account_crm_id: 'a2' }]);
  expect((await rowOf('opportunities', 'o1')).account_id).toBe(other.id);
});

test('the rows of a batch build on each other', async () => {
  const rows = [
    { crm_id: 'o1', stage: 'one' },
    { crm_id: 'o1', value: 7 },
    { crm_id: 'o1', deleted: true },
  ];
  expect(counts(await merge('opportunities', rows))).toEqual({ received: 3, updated: 3 });
  expect(await rowOf('opportunities', 'o1')).toMatchObject({
    stage: 'one',
    value: 7,
    deleted_at: expect.any(Date),
  });
});

test('a row that says nothing new changes nothing', async () => {
  const before = await everythingOf(service.pool, org.orgId);
  const rows: [FactKind, object][] = [
    ['partners', { external_id: 'p1' }],
    ['accounts', { crm_id: 'a1' }],
    ['opportunities', { crm_id: 'o1', value: 1234.5 }],
    ['partner_accounts', { partner_external_id: 'p1', external_id: 'x' }],
    ['activities', { external_id: 'v' }],
  ];
  for (const [kind, row] of rows)
    expect(counts(await merge(kind, [row]))).toEqual({ received: 1, unchanged: 1 });
  expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
});

test('an older version than the stored one changes nothing', async () => {
  await merge('opportunities', [{ crm_id: 'o1', stage: 'new', source_updated_at: daysAgo(1) }]);
  expect(
    counts(await merge('opportunities', [{ crm_id: 'o1', stage: 'old', source_updated_at: daysAgo(2) }])),
  ).toEqual({
    received: 1,
    unchanged: 1,
  });
  expect((await rowOf('opportunities', 'o1')).stage).toBe('new');
});

describe('refused, and nothing is changed:', () => {
  test.each<[string, FactKind, object, string, string]>([
    ['an unknown field', 'opportunities', { crm_id: 'o1', stages: 'x' }, 'stages', 'unknown'],
    [
      'null in a field that a record must have',
      'opportunities',
      { crm_id: 'o1', stage: null },
      'stage',
      'invalid_type',
    ],
    ['a row without its key', 'opportunities', { stage: 'x' }, 'crm_id', 'required'],
    ['won without a closing', 'opportunities', { crm_id: 'o1', status: 'won' }, 'closed_date', 'required'],
    [
      'a new record without all its fields',
      'opportunities',
      { crm_id: 'o9', stage: 'x' },
      'account_crm_id',
      'required',
    ],
    [
      'an account that is not loaded',
      'opportunities',
      { crm_id: 'o1', account_crm_id: 'a9' },
      'account_crm_id',
      'unknown_reference',
    ],
    [
      'a deal of another account',
      'activities',
      { external_id: 'v', opportunity_crm_id: 'o2' },
      'opportunity_crm_id',
      'mismatch',
    ],
    [
      'another account than that of the deal',
      'activities',
      { external_id: 'v', account_crm_id: 'a2' },
      'opportunity_crm_id',
      'mismatch',
    ],
    [
      'no account at all',
      'activities',
      { external_id: 'v', account_crm_id: null },
      'account_crm_id',
      'required',
    ],
    [
      'an account out of its merge',
      'accounts',
      { crm_id: 'a1', merged_into: null },
      'merged_into',
      'invalid_type',
    ],
  ])('%s', async (_, kind, row, field, code) => {
    const before = await everythingOf(service.pool, org.orgId);
    expect(await merge(kind, [row])).toMatchObject({ rejected: 1, errors: [{ index: 0, field, code }] });
    expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
  });

  test('a row over a withdrawn record, unless it is whole', async () => {
    await merge('partners', [{ external_id: 'p2', deleted: true }]);
    expect((await merge('partners', [{ external_id: 'p2', tier: 1 }])).errors).toMatchObject([
      { field: 'name' },
    ]);
    const whole = { external_id: 'p2', name: 'Back', type: 'gsi', tier: 1 };
    expect(counts(await merge('partners', [whole]))).toEqual({ received: 1, updated: 1 });
  });
});

test('a stream merges, too; without merge an incomplete row is refused as ever', async () => {
  const headers = { 'content-type': 'application/x-ndjson' };
  const raw = `${JSON.stringify({ crm_id: 'o1', stage: 'streamed' })}\n`;
  const merged = await org.call('POST', '/ingest/v1/opportunities?merge=true', { raw, headers });
  expect(merged.body.data).toMatchObject({ updated: 1, rejected: 0 });
  const plain = await org.call('POST', '/ingest/v1/opportunities', { raw, headers });
  expect(plain.body.data).toMatchObject({ updated: 0, rejected: 1 });
});
