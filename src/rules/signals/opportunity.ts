import type { Activity, OpenOpportunity } from './facts.ts';

/** The first of them stands for the account where nothing names another. */
export function latestOpenedFirst(open: OpenOpportunity[]): OpenOpportunity[] {
  return open.toSorted(
    (a, b) =>
      b.opened_at.getTime() - a.opened_at.getTime() ||
      (a.crm_id < b.crm_id ? 1 : a.crm_id > b.crm_id ? -1 : 0),
  );
}

/** The one that the activity names, if it is open; else the latest; none where nothing is open. */
export function opportunityOf(
  activity: Activity,
  latestFirst: OpenOpportunity[],
): OpenOpportunity | undefined {
  return latestFirst.find(({ id }) => id === activity.opportunity_id) ?? latestFirst[0];
}
