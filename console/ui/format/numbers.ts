import type { Tier } from '../../../src/vocabulary.ts';

/** The credit of a month by tier. */
export type MonthOfTiers = { month: string } & Record<Tier, number>;

export const formatNumber = new Intl.NumberFormat('en').format;

/** `48,000 (no currency)` if the CRM sent none: a bare number would read as the reader's own currency. */
export function formatMoney(value: number, currency: string | null): string {
  if (currency === null) return `${formatNumber(value)} (no currency)`;
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    trailingZeroDisplay: 'stripIfInteger',
  }).format(value);
}

/** `€1.2M`, for narrow places. */
export function formatCompactMoney(value: number, currency: string | null): string {
  return new Intl.NumberFormat('en', {
    notation: 'compact',
    maximumFractionDigits: 1,
    ...(currency && { style: 'currency', currency }),
  }).format(value);
}

/** Without the minor unit, for totals: nobody compares partners by the cent. */
export function formatWholeMoney(value: number, currency: string | null): string {
  return formatMoney(Math.round(value), currency);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
