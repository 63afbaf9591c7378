import type { AttributionSummary } from '../../src/client/types.ts';
import { tiers } from '../../src/vocabulary.ts';
import type { MonthOfTiers } from '../ui/format/numbers.ts';

type Totals = Pick<AttributionSummary, 'totals' | 'by_tier' | 'by_tier_and_month'>;
const mostMonths = 24;

/** The totals in one currency: the converted ones, or those of the only currency; none if there are several. */
export function inOneCurrency(summary: AttributionSummary): { currency: string; totals: Totals } | undefined {
  if (summary.converted) return { currency: summary.converted.currency, totals: summary.converted };
  const [only, ...others] = summary.totals;
  return only?.currency && others.length === 0 ? { currency: only.currency, totals: summary } : undefined;
}

/** Every month from the first to the last, including those without credit; only the latest if there are many. */
export function monthsOf({ by_tier_and_month }: Totals, from?: string, to?: string): MonthOfTiers[] {
  const given = by_tier_and_month.map(({ month }) => month).sort();
  const [first, last] = [from?.slice(0, 7) ?? given[0], to?.slice(0, 7) ?? given.at(-1)];
  if (!first || !last) return [];
  const months: MonthOfTiers[] = [];
  for (let month = last; month >= first && months.length < mostMonths; month = before(month)) {
    const credited = (tier: (typeof tiers)[number]) =>
      by_tier_and_month.find((row) => row.month === month && row.tier === tier)?.credited_value ?? 0;
    const [sourced, co_sell, influenced] = tiers.map(credited) as [number, number, number];
    months.unshift({ month, sourced, co_sell, influenced });
  }
  return months;
}

function before(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const [ofYear, previous] = number > 1 ? [year, number - 1] : [year - 1, 12];
  return `${String(ofYear).padStart(4, '0')}-${String(previous).padStart(2, '0')}`;
}
