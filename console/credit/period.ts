import type { AttributionSummaryQuery } from '../../src/client/types.ts';
import { dateRange } from '../../src/vocabulary.ts';

/** Both days are included. */
export type Period = { from?: string | undefined; to?: string | undefined };
/** The filters in the URL of the page. */
export type AttributionSearch = Period & Pick<AttributionSummaryQuery, 'partner_id' | 'tier'>;

/** The API excludes both days. Nothing precedes the first possible day or follows the last. */
export function toQuery<T extends Period>({ from, to, ...filters }: T) {
  return {
    ...filters,
    closed_after: from && from > dateRange.first ? addDays(from, -1) : undefined,
    closed_before: to && to < dateRange.last ? addDays(to, 1) : undefined,
  };
}

export type NamedPeriod = { name: string; from: string; to: string };

/** The quarter of `now` and those before it, newest first. */
export function quarters(now: Date, count: number): NamedPeriod[] {
  return Array.from({ length: count }, (_, index) => {
    const start = new Date(Date.UTC(now.getUTCFullYear(), 3 * Math.floor(now.getUTCMonth() / 3) - 3 * index));
    const end = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 3, 0));
    return {
      name: `Q${start.getUTCMonth() / 3 + 1} ${start.getUTCFullYear()}`,
      from: dayOf(start),
      to: dayOf(end),
    };
  });
}

/** This month and the eleven before it. */
export function lastTwelveMonths(now: Date): NamedPeriod {
  return {
    name: 'Last 12 months',
    from: dayOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11))),
    to: dayOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0))),
  };
}

function addDays(day: string, days: number): string {
  return dayOf(new Date(Date.parse(day) + days * 86_400_000));
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
