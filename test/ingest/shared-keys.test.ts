import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import { ingest } from '../../src/domain/ingest/ingest.ts';
import { createOrganization } from '../../src/domain/organizations.ts';
import { type Facts, loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { matchLists, type Row } from '../rules/match-lists.ts';
import { feed, send } from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const bare = { domain: null, country: 'US', registry_number: null };
const bancorp = { ...bare, name: 'First Bancorp' };

async function organizationWith(facts: Facts): Promise<TestOrganization> {
  const org = await service.organization();
  await loadFacts(org, { partners: [{}], ...facts });
  return org;
}

/** `a1 x name`: the account, the partner account and what matched. */
async function overlapsOf(org: TestOrganization): Promise<string[]> {
  type Overlap = {
    account: { crm_id: string };
    partner_account: { external_id: string };
    matched_by: string;
  };
  const [partner] = await readAll<{ id: string }>(org, '/v1/partners');
  const overlaps = await readAll<Overlap>(org, `/v1/partners/${partner?.id}/overlaps`);
  return overlaps
    .map((one) => `${one.account.crm_id} ${one.partner_account.external_id} ${one.matched_by}`)
    .sort();
}

const leaves = {
  account: (org: TestOrganization) => send(org, 'accounts', [{ crm_id: 'a2', deleted: true }]),
  'partner account': (org: TestOrganization) =>
    send(org, 'partner_accounts', [{ partner_external_id: 'p1', external_id: 'y', deleted: true }]),
};
const comes = {
  account: (org: TestOrganization) => loadFacts(org, { accounts: [{ ...bancorp, crm_id: 'a2' }] }),
  'partner account': (org: TestOrganization) =>
    loadFacts(org, { partner_accounts: [{ ...bancorp, external_id: 'y' }] }),
};
const isRenamed = {
  account: (org: TestOrganization) =>
    loadFacts(org, { accounts: [{ ...bare, crm_id: 'a2', name: 'Second Bancorp' }] }),
  'partner account': (org: TestOrganization) =>
    loadFacts(org, { partner_accounts: [{ ...bare, external_id: 'y', name: 'Second Bancorp' }] }),
};

test.each(['account', 'partner account'] as const)(
  'a name match ends when a second %s has the name, and is back when it leaves or is renamed',
  async (second) => {
    const org = await organizationWith({
      accounts: [bancorp],
      partner_accounts: [{ ...bancorp, external_id: 'x' }],
    });
    expect(await overlapsOf(org)).toEqual(['a1 x name']);
    for (const goes of [leaves, isRenamed]) {
      await comes[second](org);
      expect(await overlapsOf(org)).toEqual([]);
      expect(await feed(org, '?state=new')).toEqual([]);
      await goes[second](org);
      expect(await overlapsOf(org)).toEqual(['a1 x name']);
      expect(await feed(org)).toEqual(['overlap new: Partner p1 at a1 on Prospective: First Bancorp']);
    }
  },
);

test('a name match is back when the second account is merged into the first', async () => {
  const org = await organizationWith({
    accounts: [bancorp, bancorp],
    partner_accounts: [{ ...bancorp, external_id: 'x' }],
  });
  expect(await overlapsOf(org)).toEqual([]);
  await send(org, 'accounts', [{ crm_id: 'a2', merged_into: 'a1', deleted: true }]);
  expect(await overlapsOf(org)).toEqual(['a1 x name']);
});

test('duplicates in a CRM keep their overlap', async () => {
  const duplicate = { ...bancorp, domain: 'first-bancorp.example' };
  const org = await organizationWith({
    accounts: [duplicate, { ...duplicate, name: 'First Bancorp Inc.' }],
    partner_accounts: [{ ...bancorp, external_id: 'x' }],
  });
  expect(await overlapsOf(org)).toEqual(['a1 x name', 'a2 x name']);
});

test('a domain that a group shares goes to the company of the same country', async () => {
  const group = { domain: 'harbourmills.example', registry_number: null };
  const org = await organizationWith({
    accounts: [{ ...group, name: 'Harbour Mills Deutschland', country: 'DE' }],
    partner_accounts: [{ ...group, name: 'Harbour Mills', country: 'FR', external_id: 'x' }],
  });
  expect(await overlapsOf(org)).toEqual(['a1 x domain']);
  const french = { ...group, crm_id: 'a2', name: 'Harbour Mills France', country: 'FR' };
  await loadFacts(org, { accounts: [french] });
  expect(await overlapsOf(org)).toEqual(['a2 x domain']);
  await loadFacts(org, { accounts: [{ ...french, country: 'DE' }] });
  expect(await overlapsOf(org)).toEqual(['a1 x domain', 'a2 x domain']);
});

test('a domain of more companies than can be looked at matches none, until fewer have it', async () => {
  const crmIds = Array.from({ length: 101 }, (_, place) => `a${place}`);
  const shared = { name: 'Harbour Mills', domain: 'harbourmills.example' };
  const org = await organizationWith({
    accounts: crmIds.slice(1).map((crm_id) => ({ ...shared, crm_id })),
    partner_accounts: [{ ...shared, external_id: 'x' }],
  });
  expect(await overlapsOf(org)).toHaveLength(100);
  await loadFacts(org, { accounts: [{ ...shared, crm_id: 'a0' }] });
  expect(await overlapsOf(org)).toEqual([]);
  await send(org, 'accounts', [{ crm_id: 'a50', deleted: true }]);
  expect(await overlapsOf(org)).toHaveLength(100);
});

const company = fc.record({
  name: fc.constantFrom('Acme Inc', 'Acme Corp', 'Ac Me', 'Acme Tools', 'Tools Acme', 'Zenit'),
  domain: fc.constantFrom('x.example', 'y.example', null),
  country: fc.constantFrom('US', 'DE', null),
  registry_number: fc.constantFrom('HRB 4711', 'HRB 4712', null),
});
/** A row of either list in one of its versions, or its withdrawal. */
const step = fc.record({
  isAccount: fc.boolean(),
  place: fc.nat({ max: 3 }),
  company: fc.option(company, { freq: 4 }),
});

test('whatever came, changed and left, the matches are those of the facts that are there now', async () => {
  const now = new Date('2026-06-15T12:00:00Z');
  let matches = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
      async (batches) => {
        const id = newId('org');
        const held = await service.db.facts(id, async (tx) => {
          await createOrganization(tx, id, { name: 'History', plan: 'standard' }, 'test');
          const load = (kind: 'partners' | 'accounts' | 'partner_accounts', rows: object[]) =>
            ingest(tx, id, kind, rows as never, { now, backfill: true });
          await load('partners', [
            { index: 0, form: 'full', row: { external_id: 'p1', name: 'P', type: 'gsi', tier: 2 } },
          ]);
          for (const batch of batches) {
            for (const isAccount of [true, false]) {
              const rows = batch
                .filter((one) => one.isAccount === isAccount)
                .map(({ place, company }, index) => ({
                  index,
                  form: company ? 'full' : 'withdrawal',
                  row: {
                    ...(isAccount
                      ? { crm_id: `a${place}` }
                      : { partner_external_id: 'p1', external_id: `x${place}`, relationship: 'customer' }),
                    ...(company ?? { deleted: true }),
                  },
                }));
              if (rows.length > 0) await load(isAccount ? 'accounts' : 'partner_accounts', rows);
            }
          }
          const { rows } = await tx.query({
            text: `select a.crm_id, m.external_id, m.kind, m.key from matches m
           join accounts a on a.org_id = m.org_id and a.id = m.account_id
           where m.org_id = $1 and m.ended_at is null order by a.crm_id`,
            values: [id],
          });
          return rows;
        });
        const present = (isAccount: boolean): Row[] => {
          const rows = new Map<string, Row>();
          for (const one of batches.flat().filter((entry) => entry.isAccount === isAccount)) {
            const id = `${isAccount ? 'a' : 'x'}${one.place}`;
            if (one.company) rows.set(id, { id, ...one.company });
            else rows.delete(id);
          }
          return [...rows.values()];
        };
        const expected = [...matchLists(present(true), present(false)).values()]
          .map(({ account_id, external_id, kind, key }) => ({ crm_id: account_id, external_id, kind, key }))
          .sort((one, other) => (one.crm_id < other.crm_id ? -1 : 1));
        matches += expected.length;
        expect(held).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
  expect(matches).toBeGreaterThan(20);
});
