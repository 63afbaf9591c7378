import type { Settings } from '../../contract/settings.ts';
import { currencyPlaces, type Tier } from '../../vocabulary.ts';
import { rounded, toDecimal, toNumber } from '../decimal.ts';

type Split = Settings['attribution']['split'];

/**
 * Splits the value of a won deal among the partners, in the given order; a partner without a tier gets nothing. Shares are
 * whole minor units of the currency (or finer if the value is) and add up to the value exactly. What rounding down leaves
 * over goes to the largest remainders, then by external ID.
 */
export function shareValue(
  { value, currency }: { value: number; currency: string | null },
  partners: { external_id: string; tier: Tier | null }[],
  { method, weights }: Split,
): number[] {
  if (method === 'full') return partners.map(({ tier }) => (tier === null ? 0 : value));
  const weightOf = (tier: Tier | null) => (tier === null ? 0 : method === 'equal' ? 1 : weights[tier]);
  const given = partners.map(({ tier }) => toDecimal(weightOf(tier)));
  const finest = Math.max(0, ...given.map(({ scale }) => scale));
  let parts = given.map((weight) => rounded(weight, finest).units);
  // If all weights are zero, split equally.
  if (parts.every((part) => part === 0n)) parts = partners.map(({ tier }) => (tier === null ? 0n : 1n));
  const whole = parts.reduce((sum, part) => sum + part, 0n);
  if (whole === 0n) return partners.map(() => 0);

  const exact = toDecimal(value);
  const { units, scale } = rounded(exact, Math.max(currencyPlaces(currency), exact.scale));
  const shares = parts.map((part) => (units * part) / whole);
  const left = units - shares.reduce((sum, share) => sum + share, 0n);
  const remainder = (index: number) => (units * (parts[index] ?? 0n)) % whole;
  const inTurn = [...partners.keys()].sort((a, b) => {
    const [more, less] = [remainder(a), remainder(b)];
    if (more !== less) return more > less ? -1 : 1;
    return (partners[a]?.external_id ?? '') < (partners[b]?.external_id ?? '') ? -1 : 1;
  });
  for (const index of inTurn.slice(0, Number(left))) shares[index] = (shares[index] ?? 0n) + 1n;
  return shares.map((share) => toNumber({ units: share, scale }));
}
