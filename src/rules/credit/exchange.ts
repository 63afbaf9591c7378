import { currencyPlaces } from '../../vocabulary.ts';
import { daysBefore } from '../day.ts';
import { type Decimal, divide, multiply, rounded, toDecimal, toNumber } from '../decimal.ts';

/** One unit of `base` is worth `rate` of `quote`. */
export type Rate = { date: string; base: string; quote: string; rate: string };
/** The value of one unit of a currency in another, and the day of the rate. */
export type Conversion = { rate: number; date: string };

/** Banks publish no rates on weekends and holidays. An older rate is too far from the day. */
export const maxRateAgeDays = 7;
/** Significant digits of a derived rate; a JSON number can represent this many. */
const digits = 12;

/**
 * Finds the rate between two currencies for a day: the newest on or before it that is not too old. If there is no direct
 * rate, it crosses through a third currency with a rate to both on the same day.
 */
export function rateFinder(rates: Rate[]): (from: string, to: string, day: string) => Conversion | null {
  const byDate = new Map<string, Map<string, Decimal>>();
  const bases = [...new Set(rates.map(({ base }) => base))].sort();
  for (const { date, base, quote, rate } of rates) {
    const onDate = byDate.get(date) ?? new Map<string, Decimal>();
    byDate.set(date, onDate.set(`${base} ${quote}`, toDecimal(rate)));
  }

  function onDate(table: Map<string, Decimal>, from: string, to: string): Decimal | undefined {
    const direct = table.get(`${from} ${to}`);
    if (direct) return direct;
    const inverse = table.get(`${to} ${from}`);
    if (inverse) return divide(toDecimal(1), inverse, digits);
    for (const base of bases) {
      const [own, other] = [table.get(`${base} ${from}`), table.get(`${base} ${to}`)];
      if (own && other) return divide(other, own, digits);
    }
    return undefined;
  }

  return (from, to, day) => {
    if (from === to) return { rate: 1, date: day };
    for (let age = 0; age <= maxRateAgeDays; age++) {
      const date = daysBefore(day, age);
      const rate = onDate(byDate.get(date) ?? new Map(), from, to);
      if (rate) return { rate: toNumber(rate), date };
    }
    return null;
  };
}

/** Converts and rounds to the minor unit of the currency. */
export function convertValue(value: number, { rate }: Conversion, currency: string): number {
  return toNumber(rounded(multiply(toDecimal(value), toDecimal(rate)), currencyPlaces(currency)));
}
