import type { ActivityId } from '../../contract/ids.ts';
import { activityKindTable, type CoSellKind, type Tier, tiers } from '../../vocabulary.ts';
import type { Activity, Rank } from './facts.ts';

export function provesCoSell(activity: Activity): activity is Activity & { kind: CoSellKind } {
  return activityKindTable[activity.kind].tier !== 'influenced';
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
  const strongest = tiers.find((tier) =>
    activities.some(({ kind }) => activityKindTable[kind].tier === tier),
  );
  return strongest ? rankByTier[strongest] : 0;
}

export function idsOf(activities: Activity[]): ActivityId[] {
  return activities.map((activity) => activity.id);
}

const rankByTier: Record<Tier, Rank> = { sourced: 3, co_sell: 2, influenced: 1 };
