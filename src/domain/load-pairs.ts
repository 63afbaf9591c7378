import type { OrganizationId, SignalId } from '../contract/ids.ts';
import type { Settings } from '../contract/settings.ts';
import { groupBy } from '../contract/values/group-by.ts';
import { evidenceSince } from '../rules/signals/evaluate.ts';
import type { ExistingSignal, PairFacts } from '../rules/signals/facts.ts';
import type { Tx } from '../store/db/tx.ts';
import { findProspective } from '../store/facts/crm-facts.ts';
import {
  findClosedOpportunities,
  findOpenOpportunities,
  findPairActivities,
  findPairMatches,
  findPairNames,
  lockPairSignals,
  type Pair,
} from '../store/signals/pairs.ts';
import type { PairSignal } from '../store/signals/signal-columns.ts';

export type PairState = {
  pair: Pair;
  facts: PairFacts;
  existing: ExistingSignal[];
  rows: Map<SignalId, PairSignal>;
};

/** Loads everything that the rules need, as of this transaction. The signals stay locked until its end. */
export async function loadPairs(
  tx: Tx,
  orgId: OrganizationId,
  pairs: Pair[],
  settings: Settings,
  now: Date,
): Promise<PairState[]> {
  const accountIds = [...new Set(pairs.map((pair) => pair.account_id))];
  // The locks come first: clients cannot change what is read after them.
  const [locked, names, found, opportunities, prospects] = await Promise.all([
    lockPairSignals(tx, orgId, pairs, evidenceSince(settings, now)),
    findPairNames(tx, orgId, pairs),
    findPairMatches(tx, orgId, pairs),
    findOpenOpportunities(tx, orgId, accountIds),
    findProspective(tx, orgId, accountIds),
  ]);
  const signals = groupBy(locked, pairKey);
  // An active signal may rest on evidence from any day since it fired.
  const spans = pairs.map((pair) => {
    const active = (signals.get(pairKey(pair)) ?? []).filter((signal) => signal.ended_at === null);
    const oldest = Math.min(now.getTime(), ...active.map((signal) => signal.fired_at.getTime()));
    return { ...pair, since: evidenceSince(settings, new Date(oldest)) };
  });
  const worked = locked.filter(({ state }) => state === 'in_progress').map((row) => row.opportunity_id);
  const [done, ended] = await Promise.all([
    findPairActivities(tx, orgId, spans),
    worked.length > 0 ? findClosedOpportunities(tx, orgId, [...new Set(worked)]) : [],
  ]);
  const matches = groupBy(found, pairKey);
  const activities = groupBy(done, pairKey);
  const open = groupBy(opportunities, (row) => row.account_id);
  const closed = groupBy(ended, (row) => row.account_id);
  const prospective = new Set(prospects.map((row) => row.id));

  return names.map((name): PairState => {
    const { account_id, partner_id, alive } = name;
    const pair = { account_id, partner_id };
    const rows = signals.get(pairKey(pair)) ?? [];
    const own = open.get(account_id) ?? [];
    return {
      pair,
      facts: {
        partner: {
          id: partner_id,
          name: name.partner_name,
          type: name.partner_type,
          tier: name.partner_tier,
        },
        account: { id: account_id, name: name.account_name },
        match: (alive && matches.get(pairKey(pair))?.[0]) || null,
        activities: alive ? (activities.get(pairKey(pair)) ?? []) : [],
        open_opportunities: alive ? own : [],
        closed_opportunities: closed.get(account_id) ?? [],
      },
      existing: rows.map((row) => ({
        ...row,
        opportunity: prospective.has(row.opportunity_id) ? 'prospective' : row.opportunity_id,
        activity_ids: row.reasons.flatMap((reason) => reason.activity_ids),
      })),
      rows: new Map(rows.map((row) => [row.id, row])),
    };
  });
}

export function pairKey({ account_id, partner_id }: Pair): string {
  return `${account_id} ${partner_id}`;
}
