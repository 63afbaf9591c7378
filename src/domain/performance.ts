import { invalidField } from '../contract/error.ts';
import type { OrganizationId } from '../contract/ids.ts';
import {
  defaultPeriodDays,
  maxListedPartners,
  maxPeriodDays,
  type Performance,
  type PerformanceResults,
} from '../contract/performance.ts';
import { groupBy } from '../contract/values/group-by.ts';
import { dayNumber, dayStart, isoDay } from '../rules/day.ts';
import type { Reader } from '../store/db/tx.ts';
import {
  countFired,
  countOpportunitiesOfFired,
  type FiredRow,
  findWonDays,
  type Group,
  type OutcomeRow,
} from '../store/signals/signal-performance.ts';
import { dismissReasons, signalTypes } from '../vocabulary.ts';
import { convertDays } from './conversion.ts';

/** Both days are exclusive, as everywhere in the API. */
export async function readPerformance(
  db: Reader,
  orgId: OrganizationId,
  given: { fired_after?: string; fired_before?: string },
  now: Date,
): Promise<Performance> {
  const before = given.fired_before ? dayNumber(new Date(given.fired_before)) : dayNumber(now) + 1;
  const after = given.fired_after ? dayNumber(new Date(given.fired_after)) : before - 1 - defaultPeriodDays;
  if (before - after > maxPeriodDays + 1)
    throw invalidField(
      'fired_after',
      'invalid_value',
      `must be at most ${maxPeriodDays} days before fired_before`,
    );
  const period = { from: dayStart(after + 1), until: dayStart(Math.max(before, after + 1)) };

  const counted = await countFired(db, orgId, period, maxListedPartners);
  const partnerIds = counted.flatMap(({ partner_id }) => partner_id ?? []);
  const converted = await convertDays(db, orgId, await findWonDays(db, orgId, period));
  const outcomes = await countOpportunitiesOfFired(db, orgId, period, partnerIds, converted?.rates ?? []);

  const groupOf = (row: Partial<Group>) => `${row.type ?? ''} ${row.partner_id ?? ''}`;
  const counts = new Map(counted.map((row) => [groupOf(row), row]));
  const outcomesOf = groupBy(outcomes, groupOf);
  const results = (of: Partial<Group>): PerformanceResults =>
    resultsOf(counts.get(groupOf(of)), outcomesOf.get(groupOf(of)) ?? [], converted?.places ?? null);
  return {
    fired_after: isoDay(dayStart(after)),
    fired_before: isoDay(dayStart(before)),
    currency: converted?.currency ?? null,
    unconverted_deals: (converted?.unconverted ?? []).reduce((sum, { deals }) => sum + deals, 0),
    total: results({}),
    by_type: signalTypes.map((type) => ({ type, ...results({ type }) })),
    by_partner: counted.flatMap(({ partner_id, partner }) =>
      partner_id ? [{ partner, ...results({ partner_id }) }] : [],
    ),
  };
}

function resultsOf(
  row: FiredRow | undefined,
  outcomes: OutcomeRow[],
  places: number | null,
): PerformanceResults {
  const reasons = dismissReasons.map((reason) => [reason, row?.[reason] ?? 0] as const);
  const given = reasons.reduce((sum, [, count]) => sum + count, 0);
  const hours = row?.median_hours ?? null;
  const handled = outcomes.filter(({ has_handled }) => has_handled);
  const others = outcomes.filter(({ has_handled }) => !has_handled);
  return {
    fired: row?.fired ?? 0,
    active: row?.active ?? 0,
    taken_up: row?.taken_up ?? 0,
    handled: row?.handled ?? 0,
    dismissed: row?.dismissed ?? 0,
    dismissed_by_reason: {
      ...(Object.fromEntries(reasons) as Record<(typeof dismissReasons)[number], number>),
      no_reason: (row?.dismissed ?? 0) - given,
    },
    expired_untouched: row?.expired_untouched ?? 0,
    median_hours_to_first_action: hours === null ? null : Math.round(hours * 10) / 10,
    deals: { with_handled: outcomeOf(handled, places), without_handled: outcomeOf(others, places) },
  };
}

function outcomeOf(
  outcomes: OutcomeRow[],
  places: number | null,
): PerformanceResults['deals']['with_handled'] {
  const won = outcomes.filter(({ status }) => status === 'won');
  const lost = outcomes.filter(({ status }) => status === 'lost');
  const total = (rows: OutcomeRow[]) => rows.reduce((sum, row) => sum + row.deals, 0);
  const converted = won.reduce((sum, row) => sum + (row.converted ?? 0), 0);
  return {
    open: total(outcomes) - total(won) - total(lost),
    won: total(won),
    lost: total(lost),
    won_value: won
      .map(({ currency, value }) => ({ currency, value }))
      .sort((a, b) => b.value - a.value || (a.currency ?? '').localeCompare(b.currency ?? '')),
    converted_won_value: places === null ? null : Number(converted.toFixed(places)),
  };
}
