import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  AccountId,
  DecisionId,
  OrganizationId,
  PartnerId,
  SuggestionId,
} from '../../src/contract/ids.ts';
import type { Tx } from '../../src/store/db/tx.ts';
import {
  type DecisionFilters,
  findConfirmedMatches,
  findDecidedAccounts,
  findDecisions,
  listDecisions,
} from '../../src/store/matching/match-decisions.ts';
import {
  deleteOtherSuggestionsOfAccounts,
  findCandidatesOfAccounts,
  findCandidatesOfPartnerAccounts,
  findMatchedCompanies,
  findOtherSuggestionsOfPartnerAccounts,
  listSuggestions,
  type SuggestionFilters,
  trimSuggestions,
  upsertSuggestions,
} from '../../src/store/matching/match-suggestions.ts';
import {
  replaceAccountBlocks,
  replacePartnerAccountBlocks,
} from '../../src/store/matching/suggestion-blocks.ts';
import { takeQueuedSuggestions } from '../../src/store/matching/suggestion-queue.ts';
import { createDatabase } from '../harness.ts';
import { type ExplainingSession, explainingSession } from './explain.ts';
import { big, fill, id, newcomer, sqlId } from './large-store.ts';

/** Accounts, and companies of partners: half of them of the first partner. */
const size = 30_000;
const partners = 2_000;
/** What a page of 25 asks for. */
const rows = 26;
const busyPartner = id('prt', 0) as PartnerId;
const partnerOf = (i: number) => id('prt', i % 2 === 0 ? 0 : i % partners) as PartnerId;
const account = (i: number) => id('acc', i) as AccountId;
const company = (i: number) => ({ partner_id: partnerOf(i), external_id: `l${i}` });
/** As many as a step looks at, all over the list. */
const step = (count: number) => Array.from({ length: count }, (_, i) => (i * 7_919) % size);

let session: ExplainingSession;

beforeAll(async () => {
  const databaseUrl = await createDatabase();
  await fill(databaseUrl, async (client) => {
    for (const org of [big, newcomer]) {
      // The planner never hears of the newcomer.
      for (const statement of statementsOf(org)) await client.query(statement);
      if (org === big) await client.query('analyze');
    }
  });
  session = await explainingSession(databaseUrl, { plan_cache_mode: 'force_generic_plan' });
});
afterAll(() => session.end());

/** Every third is matched, the others have suggestions; every fifth has been decided on. One block in seven holds nearly all. */
function statementsOf(org: OrganizationId): string[] {
  const partner = (i = 'i') => sqlId('prt', `case when ${i} % 2 = 0 then 0 else ${i} % ${partners} end`);
  const all = `from generate_series(0, ${size - 1}) i`;
  const kinds: [string, string][] = [
    ['keys', `array['name:DE:company' || i]`],
    ['blocks', `array['word:company' || i / 4, 'start:DE:' || i % 7]`],
  ];
  return [
    `insert into partners (org_id, id, external_id, name, name_key, type, tier)
     select '${org}', ${sqlId('prt', 'i')}, 'p' || i, 'Partner', 'partner', 'gsi', 1 from generate_series(0, ${partners - 1}) i`,
    `insert into accounts (org_id, id, crm_id, name, name_key, created_at, updated_at)
     select '${org}', ${sqlId('acc', 'i')}, 'a' || i, 'Company ' || i, 'company', now(), now() ${all}`,
    `insert into partner_accounts (org_id, partner_id, external_id, name, relationship)
     select '${org}', ${partner()}, 'l' || i, 'Company ' || i, 'customer' ${all}`,
    ...kinds.flatMap(([table, keys]) => [
      `insert into account_${table} (org_id, account_id, key${table === 'keys' ? ', kind' : ''})
       select '${org}', ${sqlId('acc', 'i')}, key ${table === 'keys' ? `, 'name'` : ''} ${all}, unnest(${keys}) as key`,
      `insert into partner_account_${table} (org_id, partner_id, external_id, key)
       select '${org}', ${partner()}, 'l' || i, key ${all}, unnest(${keys}) as key`,
    ]),
    `insert into matches (org_id, partner_id, account_id, external_id, kind, key, confidence, started_at)
     select '${org}', ${partner()}, ${sqlId('acc', 'i')}, 'l' || i, 'name', 'name:DE:company' || i, 0.7, now() ${all} where i % 3 = 0`,
    `insert into match_suggestions (org_id, id, account_id, partner_id, external_id, score, rank, reasons, suggested_at)
     select '${org}', ${sqlId('sug', '4 * i + n')}, ${sqlId('acc', 'i')}, ${partner('(i + n)')}, 'l' || i + n, i % 1000 / 1000.0, i % 1000, '{}', now()
     ${all}, generate_series(0, 3) n where i % 3 <> 0`,
    `insert into match_decisions (org_id, id, account_id, partner_id, external_id, decision, decided_by, decided_at)
     select '${org}', ${sqlId('mdc', 'i')}, ${sqlId('acc', 'i')}, ${partner('(i + 1)')}, 'l' || i + 1,
       case when i % 2 = 0 then 'same' else 'different' end, '{}', now() ${all} where i % 5 = 0`,
    `insert into match_aliases (org_id, partner_id, key, decision_id)
     select '${org}', ${partner('(i + 1)')}, 'name:DE:company' || i + 1, ${sqlId('mdc', 'i')} ${all} where i % 5 = 0`,
    `insert into suggestion_queue (org_id, id, ids, size, due_at)
     select '${org}', gen_random_uuid(), array(select ${sqlId('acc', 'n')} from generate_series(i, i + 99) n), 100, now() ${all} where i % 100 = 0`,
  ];
}

describe.each([
  ['that the planner knows', big],
  ['that came after its last look', newcomer],
])('of an organization %s', (_, org) => {
  async function expectReads(
    name: string,
    run: (tx: Tx) => Promise<unknown>,
    bounds: Record<string, number>,
  ) {
    const plans = await session.explain(run);
    expect(plans, name).not.toEqual([]);
    for (const { read, scanned, blocks } of plans) {
      const message = `${name} read ${JSON.stringify(read)} in ${blocks} blocks`;
      expect.soft(scanned, message).toEqual([]);
      for (const [table, count] of Object.entries(read))
        expect.soft(count, `${message}, of ${table}`).toBeLessThanOrEqual(bounds[table] ?? 0);
    }
  }

  test('a page of suggestions reads a few times itself', async () => {
    const choices: SuggestionFilters[] = [
      {},
      { partner_id: busyPartner },
      { partner_id: partnerOf(7) },
      { account_id: account(4) },
      { min_score: 0.9 },
      { partner_id: busyPartner, min_score: 0.5 },
      { partner_id: partnerOf(7), account_id: account(4), min_score: 0.001 },
    ];
    const each = 4 * rows;
    const bounds = {
      ...{ match_suggestions: each, accounts: each, partners: each, partner_accounts: each },
      ...{ match_decisions: each, matches: each },
    };
    for (const filters of choices)
      for (const after of [null, ['500', id('sug', 2_000)]])
        await expectReads(
          JSON.stringify({ ...filters, after }),
          (tx) => listSuggestions(tx, org, filters, rows, after),
          bounds,
        );
  });

  test('a page of decisions reads a few times itself', async () => {
    const choices: DecisionFilters[] = [
      {},
      { decision: 'same' },
      { partner_id: busyPartner },
      { partner_id: partnerOf(6), decision: 'different' },
      { account_id: account(10) },
    ];
    const bounds = { match_decisions: 4 * rows, accounts: rows, partners: rows, partner_accounts: rows };
    for (const filters of choices)
      for (const after of [null, [id('mdc', 15_000)]])
        await expectReads(
          JSON.stringify({ ...filters, after }),
          (tx) => listDecisions(tx, org, filters, rows, after),
          bounds,
        );
    await expectReads('findDecisions', (tx) => findDecisions(tx, org, [id('mdc', 10) as DecisionId]), bounds);
  });

  test('a background step reads in proportion to the records that it takes', async () => {
    const few = step(100);
    const many = step(1_000);
    const ids = few.map(account);
    const refs = many.map(company);
    const keysOf = (i: number) => ({
      keys: [`name:DE:company${i}`],
      blocks: [`word:company${Math.floor(i / 4)}`, `start:DE:${i % 7}`],
    });
    const accountKeys = (kind: 'keys' | 'blocks') =>
      few.flatMap((i) => keysOf(i)[kind].map((key) => ({ account_id: account(i), key })));
    const companyKeys = (kind: 'keys' | 'blocks') =>
      many.flatMap((i) => keysOf(i)[kind].map((key) => ({ ...company(i), key })));
    const suggestions = many.map((i) => ({
      ...{ id: id('sug', 4 * i) as SuggestionId, account_id: account(i), ...company(i) },
      ...{ score: 0.5, rank: 500, reasons: [] },
    }));
    const statements: [string, (tx: Tx) => Promise<unknown>, Record<string, number>][] = [
      ['takeQueuedSuggestions', (tx) => takeQueuedSuggestions(tx, org), { suggestion_queue: 2 * 5 }],
      [
        'replaceAccountBlocks',
        (tx) => replaceAccountBlocks(tx, org, ids, accountKeys('keys')),
        { account_blocks: 200 },
      ],
      [
        'replacePartnerAccountBlocks',
        (tx) => replacePartnerAccountBlocks(tx, org, refs, companyKeys('keys')),
        { partner_account_blocks: 2_000 },
      ],
      [
        // Of a block that nearly all hold, a bounded number for each of a few partners.
        'findCandidatesOfAccounts',
        (tx) => findCandidatesOfAccounts(tx, org, accountKeys('keys'), accountKeys('blocks')),
        {
          ...{ partners: 20, partner_account_keys: 100, partner_account_blocks: 100 * (510 + 4) },
          ...{ matches: 100 * 2 * 20, match_decisions: 100 * 20 },
        },
      ],
      ['findMatchedCompanies', (tx) => findMatchedCompanies(tx, org, refs), { matches: 1_000 }],
      [
        'findCandidatesOfPartnerAccounts',
        (tx) => findCandidatesOfPartnerAccounts(tx, org, companyKeys('keys'), companyKeys('blocks')),
        {
          ...{ account_keys: 1_000, account_blocks: 1_000 * (51 + 4) },
          ...{ matches: 10_000, match_decisions: 10_000 },
        },
      ],
      [
        'keepSuggestionsOfAccounts',
        (tx) => deleteOtherSuggestionsOfAccounts(tx, org, ids, []),
        { match_suggestions: 400, match_decisions: 400, matches: 400 },
      ],
      [
        'findOtherSuggestionsOfPartnerAccounts',
        (tx) => findOtherSuggestionsOfPartnerAccounts(tx, org, refs, []),
        { match_suggestions: 4_000 },
      ],
      [
        'upsertSuggestions',
        (tx) => upsertSuggestions(tx, org, suggestions, new Date()),
        { match_suggestions: 4_000 },
      ],
      ['trimSuggestions', (tx) => trimSuggestions(tx, org, suggestions), { match_suggestions: 5_000 }],
      [
        'findConfirmedMatches',
        (tx) => findConfirmedMatches(tx, org, ids),
        {
          ...{ match_decisions: 300, accounts: 100, partners: 100, partner_accounts: 100 },
          ...{ match_aliases: 100, partner_account_keys: 100 },
        },
      ],
      [
        'findDecidedAccounts',
        (tx) => findDecidedAccounts(tx, org, refs, companyKeys('keys')),
        { match_decisions: 4_000, partner_account_keys: 1_000, match_aliases: 2_000 },
      ],
    ];
    for (const [name, run, bounds] of statements) await expectReads(name, run, bounds);
  });
});
