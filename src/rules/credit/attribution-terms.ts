import type { Settings } from '../../contract/settings.ts';
import { activityKindTable, type Tier } from '../../vocabulary.ts';
import { dayNumber } from '../day.ts';
import type { OpportunityActivity, WonOpportunity } from './attribution-facts.ts';

/** A deal and the policy, in days; the first and last day count in full. */
export type Terms = {
  opened_at: Date;
  openedDay: number;
  closedDay: number;
  /** Activities recorded later prove nothing. Unlimited for history that was loaded when the organization started. */
  lastDayToRecord: number;
  /** Activities recorded later cannot source the deal. */
  lastDayToSource: number;
  settings: Settings;
};

export function termsOf(opportunity: WonOpportunity, settings: Settings): Terms {
  const openedDay = dayNumber(opportunity.opened_at);
  const closedDay = dayNumber(new Date(opportunity.closed_date));
  const createdDay = dayNumber(opportunity.organization_created_at);
  const lastDayToRecord = closedDay > createdDay ? closedDay : Number.POSITIVE_INFINITY;
  const lockDay = openedDay + settings.attribution.sourced.lock_days;
  return {
    opened_at: opportunity.opened_at,
    openedDay,
    closedDay,
    lastDayToRecord,
    lastDayToSource: openedDay > createdDay ? Math.min(lockDay, lastDayToRecord) : lastDayToRecord,
    settings,
  };
}

/** The highest tier that the time of an activity allows. No activity here is later than the close. */
export function tierByTime({ kind, occurred_at }: OpportunityActivity, terms: Terms): Tier | null {
  const { sourced, influenced } = terms.settings.attribution;
  const beforeOpening = terms.openedDay - dayNumber(occurred_at);
  const tier = activityKindTable[kind].tier;
  if (tier === 'sourced' && beforeOpening >= 0 && beforeOpening <= sourced.lookback_days) return tier;
  if (tier === 'co_sell' && beforeOpening <= 0) return tier;
  return terms.closedDay - dayNumber(occurred_at) <= influenced.window_days ? 'influenced' : null;
}

export function recordedInTimeToSource(activity: OpportunityActivity, terms: Terms): boolean {
  return dayNumber(activity.recorded_at) <= terms.lastDayToSource;
}
