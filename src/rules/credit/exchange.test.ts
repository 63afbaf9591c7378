import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Decimal, divide, multiply, rounded, toDecimal, toNumber } from '../decimal.ts';
import { convertValue, type Rate, rateFinder } from './exchange.ts';

const euro = (date: string, quote: string, rate: string): Rate => ({ date, base: 'EUR', quote, rate });
const friday = '2026-02-27';
const rates = [
  euro(friday, 'USD', '1.25'),
  euro(friday, 'SEK', '11'),
  euro('2026-02-26', 'USD', '1.2'),
  euro('2026-02-26', 'GBP', '0.8'),
  { date: '2026-02-20', base: 'USD', quote: 'CHF', rate: '0.9' },
];
const find = rateFinder(rates);

test.each<[string, string, string, string, number | null, string?]>([
  ['the rate of the day', 'EUR', 'USD', friday, 1.25, friday],
  ['the inverse of it', 'USD', 'EUR', friday, 0.8, friday],
  ['crossed through the base', 'USD', 'SEK', friday, 8.8, friday],
  ['of the day before, not of a later one', 'EUR', 'USD', '2026-02-26', 1.2, '2026-02-26'],
  ['the last one before a weekend', 'EUR', 'USD', '2026-03-01', 1.25, friday],
  ['seven days old', 'EUR', 'USD', '2026-03-06', 1.25, friday],
  ['not eight days old', 'EUR', 'USD', '2026-03-07', null],
  ['not of a later day', 'EUR', 'USD', '2026-02-25', null],
  [
    'crossed only by rates of one day, the last that has both',
    'USD',
    'GBP',
    friday,
    0.666666666667,
    '2026-02-26',
  ],
  ['through any base', 'USD', 'CHF', friday, 0.9, '2026-02-20'],
  ['not through two others', 'EUR', 'CHF', friday, null],
  ['nothing for a currency without any', 'EUR', 'NOK', friday, null],
  ['the same currency needs none', 'EUR', 'EUR', '1999-01-01', 1, '1999-01-01'],
])('%s', (_, from, to, day, rate, date) => {
  expect(find(from, to, day)).toEqual(rate === null ? null : { rate, date });
});

test('the order of the rates does not matter', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(rates, { minLength: rates.length }), (shuffled) => {
      for (const to of ['USD', 'SEK', 'GBP'])
        expect(rateFinder(shuffled)('USD', to, friday)).toEqual(find('USD', to, friday));
    }),
  );
});

test.each([
  [10.05, 1.1, 'EUR', 11.06],
  [1.005, 1, 'EUR', 1.01],
  [2.675, 1, 'USD', 2.68],
  [1234.5, 1, 'JPY', 1235],
  [1.0005, 1, 'KWD', 1.001],
  [0, 1.25, 'EUR', 0],
])('%d at %d in %s is %d, rounded half up in decimals', (value, rate, currency, expected) => {
  expect(convertValue(value, { rate, date: friday }, currency)).toBe(expected);
});

describe('decimals', () => {
  const amount = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 18n }), fc.integer({ min: 0, max: 8 }));
  const decimal = amount.map(([units, scale]): Decimal => ({ units, scale }));

  test('a number is what it is written as', () => {
    for (const [value, units, scale] of [
      [0.1, 1n, 1],
      [1e-7, 1n, 7],
      [1e21, 10n ** 21n, 0],
      ['12.50', 1250n, 2],
      [-1.5, -15n, 1],
    ] as const)
      expect(toDecimal(value)).toEqual({ units, scale });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e15, noNaN: true }), (value) => {
        expect(toNumber(toDecimal(value))).toBe(value);
      }),
    );
  });

  test('a quotient times the divisor is the dividend, to the digits asked for', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const back = toNumber(multiply(divide(a, b, 12), b)) / toNumber(a);
        expect(Math.abs(back - 1)).toBeLessThan(1e-11);
        expect(String(divide(a, b, 12).units).length).toBeLessThanOrEqual(13);
      }),
    );
  });

  test('rounding is off by at most half a unit', () => {
    fc.assert(
      fc.property(decimal, fc.integer({ min: 0, max: 8 }), (a, places) => {
        const scale = Math.max(a.scale, places);
        const difference = rounded(rounded(a, places), scale).units - rounded(a, scale).units;
        const unit = 10n ** BigInt(scale - places);
        expect(2n * (difference < 0n ? -difference : difference) <= unit).toBe(true);
      }),
    );
  });
});
