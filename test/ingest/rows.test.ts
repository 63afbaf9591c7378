import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { ingest } from '../../src/domain/ingest/ingest.ts';
import { type FactKind, factKinds } from '../../src/vocabulary.ts';
import { daysAgo, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { counts, everythingOf, feed, send } from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Row = Record<string, unknown>;

/** One row of each kind with every field; what they refer to is what `organizationWithFacts` holds. */
const rows: Record<FactKind, Row> = {
  partners: { external_id: 'x', name: 'Lantern Quay', type: 'gsi', tier: 1, domain: 'lantern.example' },
  accounts: {
    crm_id: 'x',
    name: 'Amberwick Foods GmbH',
    domain: 'https://www.amberwick.example/about',
    extra_domains: ['amberwick-group.example', 'amberwick.test'],
    country: 'DE',
    registry_number: 'HRB 4711',
  },
  opportunities: {
    crm_id: 'x',
    account_crm_id: 'a1',
    name: 'Network renewal',
    value: 12_345.67,
    currency: 'EUR',
    stage: 'proposal',
    status: 'won',
    opened_at: '2026-01-31T12:00:00.123456+02:00',
    closed_date: '2026-02-28',
  },
  partner_accounts: {
    partner_external_id: 'p1',
    external_id: 'x',
    name: 'Amberwick',
    domain: 'amberwick.example',
    country: 'DE',
    registry_number: 'HRB4711',
    relationship: 'prospect',
  },
  activities: {
    external_id: 'x',
    partner_external_id: 'p1',
    account_crm_id: 'a1',
    opportunity_crm_id: 'o1',
    kind: 'referral',
    occurred_at: '2026-01-31T12:00:00Z',
    recorded_at: '2026-02-01T08:00:00+02:00',
    summary: 'Sent us a lead: “großer Kunde” 🙂',
    actor: 'Partner manager',
    source: 'crm',
  },
  exchange_rates: { date: '2026-01-30', base: 'EUR', quote: 'USD', rate: 1.0823 },
};
const other: Record<FactKind, Row> = {
  partners: { tier: 4 },
  accounts: { extra_domains: [] },
  opportunities: { value: 12_345.68 },
  partner_accounts: { relationship: 'customer' },
  activities: { summary: 'Another summary' },
  exchange_rates: { rate: 1.0824 },
};

async function organizationWithFacts(): Promise<TestOrganization> {
  const org = await service.organization();
  await loadFacts(org, { partners: [{}], accounts: [{}, {}], opportunities: [{}] });
  return org;
}

describe.each(factKinds)('%s', (kind) => {
  const row = rows[kind];
  const changed = { ...row, ...other[kind] };

  test('a row is created, then unchanged, then updated, and a batch that is sent again changes nothing', async () => {
    const org = await organizationWithFacts();
    expect(counts(await send(org, kind, [row]))).toEqual({ received: 1, created: 1 });
    const before = await everythingOf(service.pool, org.orgId);
    expect(counts(await send(org, kind, [row]))).toEqual({ received: 1, unchanged: 1 });
    expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
    expect(counts(await send(org, kind, [changed]))).toEqual({ received: 1, updated: 1 });
    expect(await everythingOf(service.pool, org.orgId)).not.toEqual(before);
  });

  test('rows of one batch with the same key count one by one, and the last one stands', async () => {
    const org = await organizationWithFacts();
    const withdrawn = { ...row, deleted: true };
    const batch = [row, changed, changed, withdrawn, withdrawn, row, { ...row, deleted: false }];
    expect(counts(await send(org, kind, batch))).toEqual({
      received: 7,
      created: 1,
      updated: 3,
      unchanged: 3,
    });
    expect(counts(await send(org, kind, [row]))).toEqual({ received: 1, unchanged: 1 });
  });

  test('an older version changes nothing; an equal, a newer and an undated one do', async () => {
    const org = await organizationWithFacts();
    const version = async (source_updated_at: string | null, content: Row) =>
      counts(await send(org, kind, [{ ...content, source_updated_at }]));
    const [updated, unchanged] = [
      { received: 1, updated: 1 },
      { received: 1, unchanged: 1 },
    ];
    await version('2026-01-02T00:00:00Z', row);
    expect(await version('2026-01-01T23:59:59.999Z', changed)).toEqual(unchanged);
    expect(await version('2026-01-02T00:00:00Z', changed)).toEqual(updated);
    expect(await version('2026-01-03T00:00:00Z', row)).toEqual(updated);
    expect(await version(null, changed)).toEqual(updated);
    expect(await version('2026-01-02T12:00:00Z', row)).toEqual(unchanged);
    // The same content in a newer version is no change, but its version is stored.
    expect(await version('2026-01-05T00:00:00Z', changed)).toEqual(unchanged);
    expect(await version('2026-01-04T00:00:00Z', row)).toEqual(unchanged);
    expect(counts(await send(org, kind, [changed]))).toEqual(unchanged);
  });

  test('a withdrawal counts once, needs only the key, bows to a newer version, and a full row ends it', async () => {
    const org = await organizationWithFacts();
    const { external_id, crm_id, partner_external_id, date, base, quote } = row;
    const key =
      kind === 'partner_accounts'
        ? { partner_external_id, external_id }
        : { external_id, crm_id, date, base, quote };
    const spoilt = Object.fromEntries(Object.keys(other[kind]).map((field) => [field, { bad: true }]));
    const withdraw = async (more: Row = {}) =>
      counts(await send(org, kind, [{ ...key, deleted: true, ...more }]));
    const [updated, unchanged] = [
      { received: 1, updated: 1 },
      { received: 1, unchanged: 1 },
    ];
    expect(await withdraw()).toEqual(unchanged);
    await send(org, kind, [{ ...row, source_updated_at: '2026-01-02T00:00:00Z' }]);
    expect(await withdraw({ source_updated_at: '2026-01-01T00:00:00Z' })).toEqual(unchanged);
    expect(await withdraw({ source_updated_at: '2026-01-03T00:00:00Z', ...spoilt })).toEqual(updated);
    const gone = await everythingOf(service.pool, org.orgId);
    expect(await withdraw()).toEqual(unchanged);
    const late = { ...row, source_updated_at: '2026-01-02T12:00:00Z' };
    expect(counts(await send(org, kind, [late]))).toEqual(unchanged);
    expect(await everythingOf(service.pool, org.orgId)).toEqual(gone);
    expect(counts(await send(org, kind, [row]))).toEqual(updated);
    expect(counts(await send(org, kind, [row]))).toEqual(unchanged);
  });
});

test('a whole world that is sent again fires nothing and writes nothing', async () => {
  const org = await service.organization();
  const at = daysAgo(3);
  const facts = {
    partners: [{}, {}],
    accounts: [{}, {}],
    opportunities: [{ opened_at: at }],
    partner_accounts: [{ external_id: 'pa1' }, { external_id: 'pa2', partner_external_id: 'p2' }],
    activities: [
      { external_id: 'v1', occurred_at: at },
      { external_id: 'v2', occurred_at: at, account_crm_id: 'a2', kind: 'referral' as const },
      { external_id: 'v3', occurred_at: at, account_crm_id: 'a2', kind: 'referral' as const },
    ],
  };
  await loadFacts(org, facts);
  expect((await feed(org)).map((line) => line.split(' ', 1)[0])).toEqual([
    'co_sell',
    'overlap',
    'overlap',
    'pre_intent',
  ]);
  const before = await everythingOf(service.pool, org.orgId);
  expect(before.events).toHaveLength(4);
  await loadFacts(org, facts);
  expect(await everythingOf(service.pool, org.orgId)).toEqual(before);
});

test('a time is kept to the millisecond, whatever its offset, and a number as it is written', async () => {
  const org = await organizationWithFacts();
  const values = [0, 1e-7, 0.1, 123_456_789.123_456, 1e15];
  const opportunities = values.map((value, i) => ({ ...rows.opportunities, crm_id: `v${i}`, value }));
  await send(org, 'opportunities', opportunities);
  expect(counts(await send(org, 'opportunities', opportunities))).toEqual({ received: 5, unchanged: 5 });
  const { rows: held } = await service.pool.query(
    `select value, opened_at from opportunities where org_id = $1 and crm_id like 'v%' order by crm_id`,
    [org.orgId],
  );
  expect(held.map(({ value }) => value)).toEqual(values);
  expect(held[0].opened_at.toISOString()).toBe('2026-01-31T10:00:00.123Z');
});

describe('the time of recording', () => {
  let org: TestOrganization;
  let recorded: () => Promise<{ recorded_at: Date; source_recorded_at: Date | null }>;
  beforeAll(async () => {
    org = await organizationWithFacts();
    await loadFacts(org, { partners: [{}, {}] });
    recorded = async () => {
      const { rows } = await service.pool.query(
        `select recorded_at, source_recorded_at from activities where org_id = $1`,
        [org.orgId],
      );
      return rows[0];
    };
  });
  const base = { ...rows.activities, opportunity_crm_id: null };

  test('is the moment of ingest, whatever the source says, which is kept apart', async () => {
    const start = new Date();
    await send(org, 'activities', [base]);
    const { recorded_at, source_recorded_at } = await recorded();
    expect(recorded_at.getTime()).toBeGreaterThanOrEqual(start.getTime());
    expect(recorded_at.getTime()).toBeLessThanOrEqual(Date.now());
    expect(source_recorded_at?.toISOString()).toBe('2026-02-01T06:00:00.000Z');
  });

  test.each([
    ['nothing', {}],
    ['the summary, the actor or the source', { summary: 'New', actor: null, source: 'other' }],
    ['the deal that is named', { opportunity_crm_id: 'o1' }],
    ['what the source says of it', { recorded_at: null }],
  ])('stays where %s changes', async (_, change) => {
    await send(org, 'activities', [base]);
    const before = await recorded();
    await send(org, 'activities', [{ ...base, ...change }]);
    expect((await recorded()).recorded_at).toEqual(before.recorded_at);
  });

  test.each([
    ['kind', { kind: 'introduction' }],
    ['partner', { partner_external_id: 'p2' }],
    ['account', { account_crm_id: 'a2' }],
    ['time', { occurred_at: '2026-01-31T12:00:01Z' }],
  ])('starts over when the %s changes', async (_, change) => {
    await send(org, 'activities', [base]);
    const before = await recorded();
    await send(org, 'activities', [{ ...base, ...change }]);
    expect((await recorded()).recorded_at.getTime()).toBeGreaterThan(before.recorded_at.getTime());
  });
});

test('an activity may lie five minutes ahead of now, and not a millisecond more', async () => {
  const org = await organizationWithFacts();
  const now = new Date('2026-06-01T12:00:00Z');
  const at = (external_id: string, occurred_at: string) => ({
    index: 0,
    form: 'full' as const,
    row: { ...rows.activities, external_id, occurred_at } as never,
  });
  const batch = [at('just', '2026-06-01T12:05:00.000Z'), at('over', '2026-06-01T12:05:00.001Z')];
  const result = await service.db.facts(org.orgId as OrganizationId, (tx) =>
    ingest(tx, org.orgId as OrganizationId, 'activities', batch, { now, backfill: false }),
  );
  expect(result).toMatchObject({
    created: 1,
    rejected: 1,
    errors: [{ field: 'occurred_at', code: 'out_of_range' }],
  });
});

test('texts come back as they were sent, whatever is in them', async () => {
  const texts = ['NULL', '{a,b}', 'say "hi"', 'C:\\temp\\', 'one\ntwo\tthree', "'; --", 'Ærø 🏝'];
  const org = await service.organization();
  await loadFacts(org, {
    partners: [{}],
    accounts: [{}],
    partner_accounts: texts.map((text) => ({ external_id: text, name: text, domain: null })),
    activities: texts.map((text) => ({ external_id: text, summary: text, actor: text })),
  });
  const held = (select: string) => service.pool.query(select, [org.orgId]).then(({ rows }) => rows);
  const sorted = [...texts].sort().map((text) => ({ external_id: text, name: text, domain: null }));
  expect(
    await held(
      'select external_id, name, domain from partner_accounts where org_id = $1 order by external_id',
    ),
  ).toEqual(sorted);
  expect(
    await held(
      'select external_id, summary, actor, opportunity_id from activities where org_id = $1 order by external_id',
    ),
  ).toEqual(
    sorted.map(({ name }) => ({ external_id: name, summary: name, actor: name, opportunity_id: null })),
  );
});
