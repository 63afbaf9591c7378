import fc from 'fast-check';
import { expect } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { type FactRow, formOf } from '../../src/contract/ingest.ts';
import { ingest } from '../../src/domain/ingest/ingest.ts';
import type { FactsTx } from '../../src/store/db/tx.ts';
import type { ActivityKind, FactKind } from '../../src/vocabulary.ts';

const now = new Date('2024-06-15T12:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();

/** A row with its key, the facts that must come before it, and those that must not come after it. */
export type Fact = {
  kind: FactKind;
  row: Record<string, unknown>;
  name: string;
  needs: string[];
  after: string[];
};

const version = fc.constantFrom('2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z', '2024-01-03T00:00:00Z');
const withdrawn = { deleted: true, source_updated_at: '2024-01-04T00:00:00Z' };
const returned = { source_updated_at: '2024-01-05T00:00:00Z' };
const index = (count: number) => fc.nat({ max: count - 1 });
const rarely = fc.integer({ min: 0, max: 4 }).map((n) => n === 0);

/**
 * Small worlds in which partners compete: few accounts, of which one may be merged into another; deals and activities in
 * several versions, of which the newest counts; and withdrawn facts.
 */
export const world = fc
  .record({
    merged: fc.boolean(),
    partners: fc.array(fc.constantFrom('stays', 'stays', 'stays', 'goes', 'returns'), {
      minLength: 3,
      maxLength: 3,
    }),
    opportunities: fc.array(
      fc.record({
        opportunity: index(3),
        version,
        status: fc.constantFrom('open', 'won', 'won', 'won', 'won', 'lost'),
        opened: fc.integer({ min: 1, max: 40 }),
        closed: fc.constantFrom(0, 0, 0, 0, 5),
      }),
      { minLength: 3, maxLength: 6 },
    ),
    activities: fc.array(
      fc.record({
        activity: index(16),
        version,
        partner: index(3),
        account: index(3),
        opportunity: fc.option(index(3)),
        kind: fc.constantFrom<ActivityKind>(
          'deal_registration',
          'referral',
          'introduction',
          'joint_meeting',
          'joint_meeting',
          'joint_meeting',
          'content_touch',
        ),
        age: fc.nat({ max: 45 }),
      }),
      { minLength: 12, maxLength: 24 },
    ),
    withdrawnOpportunities: fc.tuple(rarely, rarely, rarely),
    withdrawnActivities: fc.tuple(rarely, rarely, rarely),
  })
  .map(
    ({
      merged,
      partners,
      opportunities,
      activities,
      withdrawnOpportunities,
      withdrawnActivities,
    }): Fact[] => {
      const facts: Fact[] = [];
      const add = <K extends FactKind>(kind: K, name: string, row: FactRow<K>, needs: string[] = []) =>
        facts.push({ kind, row, name, needs, after: [] });
      // A row that refers to a withdrawn fact is refused, so a withdrawal comes after all rows that refer to it.
      const withdraw = (kind: FactKind, key: string, name: string) =>
        facts.push({
          kind,
          row: { [key]: name, ...withdrawn },
          name: `${name} gone`,
          needs: [name],
          after: facts.filter(({ needs }) => needs.includes(name)).map((fact) => fact.name),
        });

      for (const a of [0, 1, 2]) add('accounts', `a${a}`, { crm_id: `a${a}`, name: `Account ${a}` });
      if (merged)
        add('accounts', 'merge', { crm_id: 'a2', name: 'Account 2', merged_into: 'a0' }, ['a0', 'a2']);

      // A deal stays on the account of its number, and so do the activities that name it.
      const known = new Set<number>();
      for (const { opportunity, version, status, opened, closed } of versionsOf(
        opportunities,
        ({ opportunity }) => opportunity,
      )) {
        known.add(opportunity);
        add(
          'opportunities',
          `o${opportunity}`,
          {
            crm_id: `o${opportunity}`,
            account_crm_id: `a${opportunity}`,
            name: `Opportunity o${opportunity}`,
            value: 100 * (opportunity + 1),
            currency: 'EUR',
            stage: 'proposal',
            status: status as 'open' | 'won' | 'lost',
            opened_at: daysAgo(opened + closed),
            closed_date: status === 'won' ? daysAgo(closed).slice(0, 10) : null,
            source_updated_at: version,
          },
          [`a${opportunity}`],
        );
      }
      for (const entry of versionsOf(activities, ({ activity }) => activity)) {
        const named = entry.opportunity !== null && known.has(entry.opportunity) ? entry.opportunity : null;
        const account = `a${named ?? entry.account}`;
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

      for (const [v, gone] of withdrawnActivities.entries())
        if (gone && facts.some(({ name }) => name === `v${v}`))
          withdraw('activities', 'external_id', `v${v}`);
      for (const [o, gone] of withdrawnOpportunities.entries())
        if (gone && known.has(o)) withdraw('opportunities', 'crm_id', `o${o}`);
      for (const [p, fate] of partners.entries()) {
        const row = { external_id: `p${p}`, name: `Partner p${p}`, type: 'gsi', tier: 2 } as const;
        add('partners', `p${p}`, row);
        if (fate !== 'stays') withdraw('partners', 'external_id', `p${p}`);
        if (fate === 'returns') add('partners', `p${p} back`, { ...row, ...returned }, [`p${p} gone`]);
      }
      return facts;
    },
  );

/** One row per version. */
function versionsOf<T extends { version: string }>(items: T[], key: (item: T) => number): T[] {
  return [...new Map(items.map((item) => [`${key(item)} ${item.version}`, item])).values()];
}

/** Random numbers that decide what comes next, and where a batch ends. */
export const choices = fc.array(fc.nat(), { minLength: 80, maxLength: 80 });

/** The facts in a random valid order, in batches of one kind. */
export function batchesOf(facts: Fact[], choices: number[]): Fact[][] {
  const waiting = [...facts];
  const loaded = new Set<string>();
  const batches: Fact[][] = [];
  for (const choice of choices) {
    const missing = new Set(waiting.map(({ name }) => name));
    const ready = waiting.filter(
      ({ needs, after }) =>
        needs.every((name) => loaded.has(name)) && !after.some((name) => missing.has(name)),
    );
    const next = ready[choice % ready.length];
    if (!next) break;
    waiting.splice(waiting.indexOf(next), 1);
    loaded.add(next.name);
    const last = batches.at(-1);
    if (last?.[0]?.kind === next.kind && choice % 3 > 0) last.push(next);
    else batches.push([next]);
  }
  expect(waiting).toEqual([]);
  return batches;
}

export async function ingestBatch(tx: FactsTx, orgId: OrganizationId, batch: Fact[]): Promise<void> {
  const rows = batch.map(({ row }, index) => ({ index, form: formOf(row), row }));
  const kind = batch[0]?.kind ?? 'partners';
  const { errors } = await ingest(tx, orgId, kind, rows as never, { now, backfill: false });
  expect(errors).toEqual([]);
}
