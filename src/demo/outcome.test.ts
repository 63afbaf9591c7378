import { describe, expect, it } from 'vitest';
import { factsOf } from '../../test/demo/facts.ts';
import { bestMatch } from '../../test/rules/best-match.ts';
import type { AccountRow, ActivityRow, OpportunityRow, PartnerAccountRow } from '../contract/ingest.ts';
import { defaultSettings } from '../contract/settings.ts';
import { accountKeys, partnerAccountKeys } from '../rules/matching/matching.ts';
import { evaluate } from '../rules/signals/evaluate.ts';
import type { Activity, PairFacts } from '../rules/signals/facts.ts';
import { preIntentWeight } from '../rules/signals/pre-intent.ts';
import { activityKindTable, type MatchKind, type SignalType, type Tier } from '../vocabulary.ts';
import { demoSize } from './dataset.ts';

const dayMs = 86_400_000;

const days = [
  [1, '2026-03-31T12:00:00Z'],
  [7, '2026-08-02T00:00:01Z'],
  [42, '2028-01-03T09:30:00Z'],
] as const;

describe.each(days)('what the demo of seed %i on %s comes to under the default settings', (seed, at) => {
  const now = new Date(at);
  const facts = factsOf({ size: demoSize, seed, now });
  const ownKeys = new Map(
    facts.accounts.map((row) => [
      row.crm_id,
      accountKeys({ ...keyed(row), extra_domains: row.extra_domains ?? [] }),
    ]),
  );
  const accountKeysOf = ({ crm_id }: AccountRow) => ownKeys.get(crm_id) ?? [];
  const partnerKeys = facts.partner_accounts.map((row) => [row, partnerAccountKeys(keyed(row))] as const);
  const accountByDomain = new Map(facts.accounts.map((row) => [row.domain, row.crm_id]));
  const accountOf = (row: ActivityRow) => row.account_crm_id ?? accountByDomain.get(row.domain);

  it('fires dozens of signals of each type', () => {
    const counts: Record<SignalType, number> = { overlap: 0, co_sell: 0, pre_intent: 0 };
    for (const pair of pairs()) {
      for (const { type } of evaluate(pair, defaultSettings, 1, now)) counts[type] += 1;
    }
    for (const [type, count] of Object.entries(counts)) {
      expect(count, type).toBeGreaterThan(30);
      expect(count, type).toBeLessThan(200);
    }
  });

  it('matches accounts in every way, and leaves some unmatched', () => {
    const counts: Partial<Record<MatchKind | 'none', number>> = {
      registry_number: 0,
      domain: 0,
      extra_domain: 0,
      name: 0,
      none: 0,
    };
    for (const [row, keys] of partnerKeys) {
      const matched = facts.accounts.flatMap((account) => bestMatch(accountKeysOf(account), keys) ?? []);
      expect(matched.length, row.name).toBeLessThan(2);
      const kind = matched[0]?.kind ?? 'none';
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    for (const [kind, count] of Object.entries(counts)) expect(count, kind).toBeGreaterThan(5);
  });

  it('has won deals for every tier, deals that two partners claim, and deals that nobody helped with', () => {
    const counts = { sourced: 0, pre_intent: 0, co_sell: 0, influenced: 0, contested: 0, alone: 0 };
    for (const opportunity of facts.opportunities.filter(({ status }) => status === 'won')) {
      const grounds = facts.partners.flatMap(({ external_id }) => {
        const evidence = facts.activities.filter(
          (row) => accountOf(row) === opportunity.account_crm_id && row.partner_external_id === external_id,
        );
        return strongestGround(opportunity, evidence) ?? [];
      });
      if (grounds.length === 0) counts.alone += 1;
      for (const ground of new Set(grounds)) counts[ground] += 1;
      if (grounds.filter((ground) => ground === 'sourced').length > 1) counts.contested += 1;
    }
    expect(counts.sourced).toBeGreaterThan(10);
    expect(counts.pre_intent).toBeGreaterThan(1);
    expect(counts.co_sell).toBeGreaterThan(5);
    expect(counts.influenced).toBeGreaterThan(5);
    expect(counts.contested).toBeGreaterThan(1);
    expect(counts.alone).toBeGreaterThan(5);
  });

  it('has credit in each of the last twelve months', () => {
    const credited = facts.opportunities.filter(
      (opportunity) =>
        opportunity.status === 'won' &&
        facts.partners.some(({ external_id }) =>
          strongestGround(
            opportunity,
            facts.activities.filter(
              (row) =>
                accountOf(row) === opportunity.account_crm_id && row.partner_external_id === external_id,
            ),
          ),
        ),
    );
    const months = new Set(credited.map(({ closed_date }) => closed_date?.slice(0, 7)));
    const passed = Array.from({ length: 12 }, (_, back) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
    );
    // A month that has just begun may have none yet.
    expect([...months]).toEqual(expect.arrayContaining(passed.slice(now.getUTCDate() < 7 ? 1 : 0)));
  });

  it('says no sentence three times on one account', () => {
    const times = new Map<string, number>();
    for (const row of facts.activities) {
      const said = `${accountOf(row)}: ${row.summary}`;
      times.set(said, (times.get(said) ?? 0) + 1);
    }
    expect([...times].filter(([, count]) => count > 2)).toEqual([]);
  });

  function* pairs(): Generator<PairFacts> {
    for (const account of facts.accounts) {
      for (const partner of facts.partners) {
        yield {
          partner: { ...partner, id: 'prt_1', tier: 1 },
          account: { id: 'acc_1', name: account.name },
          match: matchOf(account, partner.external_id),
          activities: facts.activities
            .filter(
              (row) => accountOf(row) === account.crm_id && row.partner_external_id === partner.external_id,
            )
            .map(activityOf),
          closed_opportunities: [],
          open_opportunities: facts.opportunities
            .filter((row) => row.account_crm_id === account.crm_id && row.status === 'open')
            .map((row) => ({
              ...row,
              id: `opp_${row.crm_id}` as const,
              currency: row.currency ?? null,
              opened_at: new Date(row.opened_at),
              closed_date: row.closed_date ?? null,
            })),
        };
      }
    }
  }

  function matchOf(account: AccountRow, partner: string): PairFacts['match'] {
    for (const [{ partner_external_id, name }, keys] of partnerKeys) {
      const match = partner_external_id === partner && bestMatch(accountKeysOf(account), keys);
      if (match)
        return {
          started_at: now,
          kind: match.kind,
          key: match.key,
          confidence: match.confidence,
          partner_account_name: name,
        };
    }
    return null;
  }
});

function keyed(fact: AccountRow | PartnerAccountRow) {
  return {
    name: fact.name,
    domain: fact.domain ?? null,
    country: fact.country ?? null,
    registry_number: fact.registry_number ?? null,
  };
}

function activityOf(row: ActivityRow): Activity {
  return {
    ...row,
    id: `act_${row.external_id}`,
    occurred_at: new Date(row.occurred_at),
    actor: row.actor ?? null,
    opportunity_id: row.opportunity_crm_id ? `opp_${row.opportunity_crm_id}` : null,
  };
}

/** The policy for history in its simplest form: by kind and day only. */
function strongestGround(opportunity: OpportunityRow, evidence: ActivityRow[]) {
  const opened = dayOf(opportunity.opened_at);
  const closed = dayOf(opportunity.closed_date ?? '');
  const within = (from: number, to: number, tier?: Tier) =>
    evidence.filter(({ kind, occurred_at }) => {
      const day = dayOf(occurred_at);
      return from <= day && day <= to && (tier === undefined || activityKindTable[kind].tier === tier);
    });
  if (within(opened - 180, opened, 'sourced').length > 0) return 'sourced';
  const before = within(0, opened).map(activityOf);
  if (preIntentWeight(before, defaultSettings, new Date(opportunity.opened_at)) >= 4) return 'pre_intent';
  if (within(opened, closed, 'co_sell').length > 0) return 'co_sell';
  return within(closed - 90, closed).length > 0 ? 'influenced' : undefined;
}

function dayOf(iso: string): number {
  return Math.floor(Date.parse(iso) / dayMs);
}
