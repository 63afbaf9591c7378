import type { Activity, OpenOpportunity } from './facts.ts';

/** The first one represents the account if an activity does not refer to another. */
export function latestOpenedFirst(open: OpenOpportunity[]): OpenOpportunity[] {
  return open.toSorted(
    (a, b) =>
      b.opened_at.getTime() - a.opened_at.getTime() ||
      (a.crm_id < b.crm_id ? 1 : a.crm_id > b.crm_id ? -1 : 0),
  );
}

/** The opportunity that the activity refers to if it is open, or else the latest open one. */
export function opportunityOf(
  activity: Activity,
  latestFirst: OpenOpportunity[],
): OpenOpportunity | undefined {
  return latestFirst.find(({ id }) => id === activity.opportunity_id) ?? latestFirst[0];
}
