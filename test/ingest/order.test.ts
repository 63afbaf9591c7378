import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/contract/ids.ts';
import type { FactRow } from '../../src/contract/ingest.ts';
import { ingest } from '../../src/domain/ingest/ingest.ts';
import { createOrganization } from '../../src/domain/organizations.ts';
import type { Tx } from '../../src/store/db/tx.ts';
import type { ActivityKind, FactKind } from '../../src/vocabulary.ts';
import { startTestService, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const now = new Date('2026-06-15T12:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();

/** A row with its key, and the facts that must come before it. */
type Fact = { [K in FactKind]: { kind: K; row: FactRow<K>; name: string; needs: string[] } }[FactKind];

const domain = fc.constantFrom('x.example', 'y.example', null);
const version = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z');
const index = (count: number) => fc.nat({ max: count - 1 });

/**
 * Small worlds with many interactions: few accounts and domains, and deals and activities in several versions, of which the
 * newest counts.
 */
const world = fc
  .record({
    accounts: fc.tuple(domain, domain, domain),
    merged: fc.option(fc.constantFrom('a0', 'a1')),
    listed: fc.array(fc.record({ partner: index(2), domain }), { minLength: 1, maxLength: 4 }),
    opportunities: fc.array(
      fc.record({
        opportunity: index(4),
        version,
        status: fc.constantFrom('open' as const, 'open' as const, 'won' as const, 'lost' as const),
        opened: fc.nat({ max: 40 }),
      }),
      { maxLength: 6 },
    ),
    activities: fc.array(
      fc.record({
        activity: index(8),
        version,
        partner: fc.constantFrom(0, 0, 1),
        account: fc.constantFrom(0, 1, 2, 2, 2),
        opportunity: fc.option(index(4), { freq: 1 }),
        kind: fc.constantFrom<ActivityKind>('referral', 'joint_meeting', 'exec_intro', 'content_touch'),
        age: fc.oneof({ weight: 2, arbitrary: fc.nat({ max: 3 }) }, fc.nat({ max: 35 })),
      }),
      { minLength: 5, maxLength: 12 },
    ),
  })
  .map(({ accounts, merged, listed, opportunities, activities }): Fact[] => {
    const facts: Fact[] = [];
    const add = <K extends FactKind>(kind: K, name: string, row: FactRow<K>, needs: string[] = []) =>
      facts.push({ kind, row, name, needs } as Fact);
    for (const p of [0, 1])
      add('partners', `p${p}`, { external_id: `p${p}`, name: `Partner ${p}`, type: 'gsi', tier: 2 });
    for (const [a, value] of accounts.entries())
      add('accounts', `a${a}`, { crm_id: `a${a}`, name: `Account ${a}`, domain: value });
    if (merged !== null)
      add('accounts', 'a2', { crm_id: 'a2', name: 'Account 2', domain: null, merged_into: merged }, [merged]);
    for (const [i, entry] of listed.entries())
      add(
        'partner_accounts',
        `l${i}`,
        {
          partner_external_id: `p${entry.partner}`,
          external_id: `l${i}`,
          name: `Listed ${i}`,
          domain: entry.domain,
          relationship: 'customer',
        },
        [`p${entry.partner}`],
      );
    // A deal stays on the account of its number, and so do the activities that name it.
    const known = new Set<string>();
    for (const { opportunity, version, status, opened } of unique(
      opportunities,
      (entry) => `${entry.opportunity} ${entry.version}`,
    )) {
      known.add(`o${opportunity}`);
      add(
        'opportunities',
        `o${opportunity}`,
        {
          crm_id: `o${opportunity}`,
          account_crm_id: `a${opportunity % 3}`,
          name: `Deal ${opportunity}`,
          value: 1,
          stage: 'proposal',
          status,
          opened_at: daysAgo(opened),
          closed_date: status === 'won' ? daysAgo(0).slice(0, 10) : null,
          source_updated_at: version,
        },
        [`a${opportunity % 3}`],
      );
    }
    for (const entry of unique(activities, (one) => `${one.activity} ${one.version}`)) {
      const named =
        entry.opportunity !== null && known.has(`o${entry.opportunity}`) ? entry.opportunity : null;
      const account = `a${named === null ? entry.account : named % 3}`;
      add(
        'activities',
        `v${entry.activity}`,
        {
          external_id: `v${entry.activity}`,
          partner_external_id: `p${entry.partner}`,
          account_crm_id: account,
          opportunity_crm_id: named === null ? null : `o${named}`,
          kind: entry.kind,
          occurred_at: daysAgo(entry.age),
          summary: 'Something',
          source_updated_at: entry.version,
        },
        [`p${entry.partner}`, account, ...(named === null ? [] : [`o${named}`])],
      );
    }
    return facts;
  });

function unique<T>(items: T[], key: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}

/** Random numbers that decide what comes next, and where a batch ends. */
const choices = fc.array(fc.nat(), { minLength: 80, maxLength: 80 });

/** The facts in a random valid order, in batches of one kind. */
function batchesOf(facts: Fact[], choices: number[]): Fact[][] {
  const waiting = [...facts];
  const loaded = new Set<string>();
  const batches: Fact[][] = [];
  for (const choice of choices) {
    const ready = waiting.filter(({ needs }) => needs.every((name) => loaded.has(name)));
    const next = ready[choice % ready.length];
    if (!next) break;
    waiting.splice(waiting.indexOf(next), 1);
    loaded.add(next.name);
    const last = batches.at(-1);
    if (last?.[0]?.kind === next.kind && choice % 3 > 0) last.push(next);
    else batches.push([next]);
  }
  return batches;
}

/** The active signals after these batches, in a new organization. */
function signalsAfter(batches: Fact[][]): Promise<string[]> {
  const id = newId('org');
  return service.db.facts(id, async (tx) => {
    await createOrganization(tx, id, { name: 'Ordered', plan: 'standard' }, 'test');
    for (const batch of batches) {
      const rows = batch.map(({ row }, index) => ({ index, form: 'full', row }));
      const kind = batch[0]?.kind ?? 'partners';
      const { errors } = await ingest(tx, id, kind, rows as never, { now, backfill: false });
      expect(errors).toEqual([]);
    }
    return activeSignals(tx, id);
  });
}

async function activeSignals(tx: Tx, orgId: string): Promise<string[]> {
  const { rows } = await tx.query({
    text: `select s.type, p.external_id, a.crm_id, coalesce(o.crm_id, 'prospective') as deal, s.expires_at
     from signals s
     join partners p on p.org_id = s.org_id and p.id = s.partner_id
     join accounts a on a.org_id = s.org_id and a.id = s.account_id
     join opportunities o on o.org_id = s.org_id and o.id = s.opportunity_id
     where s.org_id = $1 and s.state in ('new', 'in_progress')`,
    values: [orgId],
  });
  return rows
    .map((row) => Object.values({ ...row, expires_at: row.expires_at.toISOString() }).join(' '))
    .sort();
}

test('the same facts in any order and in any batches end in the same active signals', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(world, choices, choices, async (facts, one, two) => {
      const signals = await signalsAfter(batchesOf(facts, one));
      for (const line of signals) seen.add(line.split(' ', 1)[0] ?? '');
      expect(await signalsAfter(batchesOf(facts, two))).toEqual(signals);
    }),
    { numRuns: 30 },
  );
  expect([...seen].sort()).toEqual(['co_sell', 'overlap', 'pre_intent']);
});
