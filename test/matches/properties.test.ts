import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountId, newId, type OrganizationId, type PartnerId } from '../../src/contract/ids.ts';
import type { FactRow } from '../../src/contract/ingest.ts';
import { ingest } from '../../src/domain/ingest/ingest.ts';
import { decideMatch } from '../../src/domain/match-decisions.ts';
import { suggestStep } from '../../src/domain/match-suggestions.ts';
import { createOrganization } from '../../src/domain/organizations.ts';
import type { FactsTx, Tx } from '../../src/store/db/tx.ts';
import { listSuggestions } from '../../src/store/matching/match-suggestions.ts';
import { queueSuggestions } from '../../src/store/matching/suggestion-queue.ts';
import { type FactKind, suggestionsOfPair } from '../../src/vocabulary.ts';
import { startTestService, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/*
 * A world of three accounts and three rows of one partner, with few names and domains, so that much of it matches. People
 * decide, and then everything changes in random order: rows are renamed, withdrawn, restored and merged.
 */
const name = fc.constantFrom('Costbrook', 'Costbrook Wholesale', 'Ferngate', 'Ferngate Group');
const domain = fc.constantFrom('x.example', 'y.example', null);
const company = fc.record({ name, domain, country: fc.constant('GB') });
type Company = { name: string; domain: string | null; country: string };
const index = fc.nat({ max: 2 });

type Step =
  | { do: 'account' | 'row'; n: number; company: Company }
  | { do: 'withdraw account' | 'withdraw row'; n: number }
  | { do: 'merge'; n: number }
  | { do: 'withdraw partner' | 'partner' };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('account' as const), n: index, company }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('row' as const), n: index, company }) },
  fc.record({ do: fc.constant('withdraw account' as const), n: index }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('withdraw row' as const), n: index }) },
  // Each into the next: facts that a merge has moved stay there, even if a later merge has another target.
  fc.record({ do: fc.constant('merge' as const), n: fc.constantFrom(0, 1) }),
  fc.record({ do: fc.constantFrom('partner' as const, 'withdraw partner' as const) }),
);
const decision = fc.record({
  account: index,
  row: index,
  decision: fc.constantFrom('same' as const, 'different' as const),
});
const world = fc.record({
  accounts: fc.tuple(company, company, company),
  rows: fc.tuple(company, company, company),
  decisions: fc.array(decision, { minLength: 1, maxLength: 4 }),
  steps: fc.array(step, { minLength: 1, maxLength: 10 }),
});

// The running service would expire older signals.
const now = new Date();
const by = { key_id: 'key_01khry0x41e9tbm3v1x2c4d5f6', key_name: 'test', actor: null } as const;
const accountRow = (n: number, one: Company) => ({ crm_id: `a${n}`, extra_domains: [], ...one });
const listed = (n: number) => ({ partner_external_id: 'p', external_id: `l${n}` });
const partner = { external_id: 'p', name: 'Partner', type: 'gsi', tier: 2 } as const;

async function load<K extends FactKind>(
  tx: FactsTx,
  orgId: OrganizationId,
  kind: K,
  rows: Partial<FactRow<K>>[],
  form: 'full' | 'withdrawal' = 'full',
): Promise<void> {
  const given = rows.map((row, place) => ({ index: place, form, row }));
  await ingest(tx, orgId, kind, given as never, { now, backfill: false });
}

async function run(tx: FactsTx, orgId: OrganizationId, one: Step): Promise<void> {
  switch (one.do) {
    case 'account':
      return load(tx, orgId, 'accounts', [accountRow(one.n, one.company)]);
    case 'row':
      return load(tx, orgId, 'partner_accounts', [
        { ...listed(one.n), ...one.company, relationship: 'customer' },
      ]);
    case 'withdraw account':
      return load(tx, orgId, 'accounts', [{ crm_id: `a${one.n}`, deleted: true } as never], 'withdrawal');
    case 'withdraw row':
      return load(
        tx,
        orgId,
        'partner_accounts',
        [{ ...listed(one.n), deleted: true } as never],
        'withdrawal',
      );
    case 'merge':
      return load(tx, orgId, 'accounts', [
        { crm_id: `a${one.n}`, name: 'Gone', merged_into: `a${one.n + 1}` },
      ]);
    case 'partner':
      return load(tx, orgId, 'partners', [partner]);
    case 'withdraw partner':
      return load(tx, orgId, 'partners', [{ external_id: 'p', deleted: true } as never], 'withdrawal');
  }
}

type Account = { id: string; crm_id: string; merged_into: string | null; deleted: boolean };

async function read(tx: Tx, orgId: OrganizationId) {
  const rows = async <T>(text: string) => (await tx.query({ text, values: [orgId] })).rows as T[];
  const accounts = await rows<Account>(
    `select id, crm_id, merged_into, deleted_at is not null as deleted from accounts where org_id = $1`,
  );
  return {
    accounts,
    listed: await rows<{ external_id: string }>(
      `select external_id from partner_accounts where org_id = $1 and deleted_at is null`,
    ),
    matches: await rows<{ account_id: string; external_id: string; kind: string }>(
      `select account_id, external_id, kind from matches where org_id = $1 and ended_at is null`,
    ),
    overlaps: await rows<{ account_id: string }>(
      `select account_id from signals where org_id = $1 and type = 'overlap' and state = 'new'`,
    ),
    isPartnerThere: (await rows(`select from partners where org_id = $1 and deleted_at is null`)).length > 0,
    head(crmId: string): Account | undefined {
      let account = accounts.find((one) => one.crm_id === crmId);
      while (account?.merged_into) account = accounts.find(({ id }) => id === account?.merged_into);
      return account;
    },
  };
}

test('decisions hold whatever becomes of the facts', async () => {
  let confirmed = 0;
  let apart = 0;
  await fc.assert(
    fc.asyncProperty(world, (given) => {
      const orgId = newId('org');
      return service.db.facts(orgId, async (tx) => {
        await createOrganization(tx, orgId, { name: 'Decided', plan: 'standard' }, 'test');
        await load(tx, orgId, 'partners', [partner]);
        for (const [n, one] of given.accounts.entries())
          await run(tx, orgId, { do: 'account', n, company: one });
        for (const [n, one] of given.rows.entries()) await run(tx, orgId, { do: 'row', n, company: one });
        const before = await read(tx, orgId);
        const { rows: partners } = await tx.query<{ id: PartnerId }>({
          text: `select id from partners where org_id = $1`,
          values: [orgId],
        });
        for (const one of given.decisions) {
          await decideMatch(
            tx,
            orgId,
            {
              account_id: before.accounts.find(({ crm_id }) => crm_id === `a${one.account}`)?.id ?? '',
              partner_id: partners[0]?.id as PartnerId,
              partner_account_external_id: `l${one.row}`,
              decision: one.decision,
            },
            by,
          );
        }
        for (const one of given.steps) {
          await run(tx, orgId, one);
          const after = await read(tx, orgId);
          // The last decision on what is one account now.
          const last = new Map(
            given.decisions.map((made) => [
              `${after.head(`a${made.account}`)?.id} l${made.row}`,
              { ...made, head: after.head(`a${made.account}`) },
            ]),
          );
          for (const { head, row, decision } of last.values()) {
            const match = after.matches.find(({ account_id }) => account_id === head?.id);
            if (decision === 'different') {
              expect(match?.external_id).not.toBe(`l${row}`);
              apart++;
              continue;
            }
            const isThere =
              head &&
              !head.deleted &&
              after.isPartnerThere &&
              after.listed.some(({ external_id }) => external_id === `l${row}`);
            if (!isThere) continue;
            expect(match?.kind).toBe('confirmed');
            confirmed++;
          }
          // There is an overlap signal for every match, and for nothing else.
          const matched = new Set(after.matches.map(({ account_id }) => account_id));
          for (const { account_id } of after.overlaps) expect([...matched]).toContain(account_id);
        }
      });
    }),
    { numRuns: 30 },
  );
  expect(Math.min(confirmed, apart)).toBeGreaterThan(10);
});

test('no suggestion ever fires a signal, is decided, or is one of too many', async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const { pool, db } = service;
      const orgId = newId('org');
      const make = (run: (tx: FactsTx) => Promise<unknown>) => db.facts(orgId, run);
      await make((tx) => createOrganization(tx, orgId, { name: 'Suggested', plan: 'standard' }, 'test'));
      await make(async (tx) => {
        await load(tx, orgId, 'partners', [partner]);
        for (const [n, one] of given.accounts.entries())
          await run(tx, orgId, { do: 'account', n, company: one });
        for (const [n, one] of given.rows.entries()) await run(tx, orgId, { do: 'row', n, company: one });
      });
      for (const one of [null, ...given.steps]) {
        if (one) await make((tx) => run(tx, orgId, one));
        const before = await everythingDecided(orgId);
        while ((await db.write(orgId, (tx) => suggestStep(tx, orgId, now))) !== null);
        expect(await everythingDecided(orgId)).toEqual(before);
        const suggestions = await listSuggestions(pool, orgId, {}, 100, null);
        seen += suggestions.length;
        const matches = (
          await pool.query(`select account_id from matches where org_id = $1 and ended_at is null`, [orgId])
        ).rows;
        for (const { account } of suggestions) {
          expect(matches).not.toContainEqual({ account_id: account.id });
          const ofPair = suggestions.filter((other) => other.account.id === account.id);
          expect(ofPair.length).toBeLessThanOrEqual(suggestionsOfPair);
        }
      }
    }),
    { numRuns: 15 },
  );
  expect(seen).toBeGreaterThan(10);
});

test('suggestions follow from the facts, whatever was computed before and in whichever order', {
  timeout: 240_000,
}, async () => {
  const { pool, db } = service;
  let seen = 0;
  // More rows than an account gets suggestions.
  const rows = fc.array(company, { minLength: 3, maxLength: 6 });
  const steps = fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(world, rows, steps, async (given, rows, steps) => {
      const orgId = newId('org');
      const make = (run: (tx: FactsTx) => Promise<unknown>) => db.facts(orgId, run);
      const compute = async () => {
        for (let step = 0; (await db.write(orgId, (tx) => suggestStep(tx, orgId, now))) !== null; step++)
          expect(step).toBeLessThan(10);
        const suggestions = await listSuggestions(pool, orgId, {}, 100, null);
        return suggestions
          .map((one) => `${one.account.crm_id} ~ ${one.partner_account.external_id}: ${one.score}`)
          .sort();
      };
      await make((tx) => createOrganization(tx, orgId, { name: 'Ordered', plan: 'standard' }, 'test'));
      await make(async (tx) => {
        await load(tx, orgId, 'partners', [partner]);
        for (const [n, one] of given.accounts.entries())
          await run(tx, orgId, { do: 'account', n, company: one });
        for (const [n, one] of rows.entries()) await run(tx, orgId, { do: 'row', n, company: one });
      });
      for (const [one, isComputed] of steps) {
        if (isComputed) await compute();
        await make((tx) => run(tx, orgId, one));
      }
      const computed = await compute();
      seen += computed.length;
      const ids = async <T>(columns: string, table: string) =>
        (await pool.query(`select ${columns} from ${table} where org_id = $1`, [orgId])).rows as T[];
      const accountIds = (await ids<{ id: AccountId }>('id', 'accounts')).map(({ id }) => id);
      const companies = await ids<{ partner_id: PartnerId; external_id: string }>(
        'partner_id, external_id',
        'partner_accounts',
      );
      const again = async (accounts: AccountId[], listed: typeof companies) => {
        await make((tx) => queueSuggestions(tx, orgId, accounts, listed, now));
        expect(await compute()).toEqual(computed);
      };
      await again(accountIds, []);
      await again([], companies);
      for (const one of companies) await again([], [one]);
    }),
    { numRuns: 30 },
  );
  expect(seen).toBeGreaterThan(10);
});

/** Everything that people and receivers can see of the results of rules. */
async function everythingDecided(orgId: OrganizationId): Promise<unknown[][]> {
  const read = async (table: string) =>
    (await service.pool.query(`select * from ${table} x where org_id = $1 order by x::text`, [orgId])).rows;
  return Promise.all(['signals', 'signal_changes', 'matches', 'events', 'attribution_records'].map(read));
}
