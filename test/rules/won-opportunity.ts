import type {
  OpportunityActivity,
  OpportunityPartner,
  WonOpportunity,
} from '../../src/rules/credit/attribution.ts';
import { dayNumber, dayStart, isoDay } from '../../src/rules/day.ts';
import type { Tier } from '../../src/vocabulary.ts';

/** Days count from the opening of the deal. */
const opening = new Date('2026-03-01T12:00:00Z');
export const on = (day: number, time = '12:00:00Z') =>
  new Date(`${isoDay(dayStart(dayNumber(opening) + day))}T${time}`);

export function wonOpportunity(closed: number, created: number): WonOpportunity {
  return { opened_at: opening, closed_date: isoDay(on(closed)), organization_created_at: on(created) };
}

export function partnerOf(
  name: string,
  pinned_tier: Tier | null,
  activities: OpportunityActivity[],
): OpportunityPartner {
  return { partner_id: `prt_${name}`, external_id: name, pinned_tier, activities };
}
