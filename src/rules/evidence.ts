import { type ActivityKind, type Tier, tierByKind, tiers } from '../contract/activity.ts';
import type { ActivityId } from '../contract/ids.ts';
import type { Activity, Rank } from './facts.ts';

/** The kinds that support a co-sell signal: all but those that merely influence. */
export type CoSellKind = {
  [K in ActivityKind]: (typeof tierByKind)[K] extends 'influenced' ? never : K;
}[ActivityKind];

export function provesCoSell(activity: Activity): activity is Activity & { kind: CoSellKind } {
  return tierByKind[activity.kind] !== 'influenced';
}

/** A total order, so that neither a sum of weights nor the newest activity depends on the order of the facts. */
export function newestFirst<A extends Activity>(activities: A[]): A[] {
  return activities.toSorted(
    (a, b) =>
      b.occurred_at.getTime() - a.occurred_at.getTime() ||
      (a.external_id < b.external_id ? 1 : a.external_id > b.external_id ? -1 : 0),
  );
}

export function highestRank(activities: Activity[]): Rank {
  const strongest = tiers.find((tier) => activities.some(({ kind }) => tierByKind[kind] === tier));
  return strongest ? rankByTier[strongest] : 0;
}

export function idsOf(activities: Activity[]): ActivityId[] {
  return activities.map((activity) => activity.id);
}

const rankByTier: Record<Tier, Rank> = { sourced: 3, co_sell: 2, influenced: 1 };
