import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currencyPlaces, type Tier, tiers } from '../../vocabulary.ts';
import { rounded, toDecimal } from '../decimal.ts';
import { shareValue } from './share.ts';

const weights = { sourced: 3, co_sell: 2, influenced: 1 };
const equal = { method: 'equal', weights } as const;
const byTier = { method: 'tiers', weights } as const;
const full = { method: 'full', weights } as const;
const of = (...given: (Tier | null)[]) => given.map((tier, index) => ({ external_id: `p${index}`, tier }));

test.each<
  [
    string,
    number,
    string | null,
    Parameters<typeof shareValue>[1],
    Parameters<typeof shareValue>[2],
    number[],
  ]
>([
  ['full: the whole value to each', 100, 'EUR', of('sourced', 'influenced'), full, [100, 100]],
  ['full: nothing without a tier', 100, 'EUR', of('sourced', null), full, [100, 0]],
  [
    'equal: a third each, the cent left over to the first',
    100,
    'EUR',
    of('sourced', 'co_sell', 'influenced'),
    equal,
    [33.34, 33.33, 33.33],
  ],
  [
    'equal: two cents left over to the first two',
    0.05,
    'EUR',
    of('sourced', 'co_sell', 'influenced'),
    equal,
    [0.02, 0.02, 0.01],
  ],
  ['by tier: three to one', 100, 'EUR', of('sourced', 'influenced'), byTier, [75, 25]],
  [
    'by tier: the largest remainder first',
    0.1,
    'EUR',
    of('influenced', 'co_sell', 'influenced'),
    byTier,
    [0.03, 0.05, 0.02],
  ],
  ['by tier: one alone gets everything', 99.99, 'EUR', of('influenced'), byTier, [99.99]],
  ['by tier: nothing without a tier', 10, 'EUR', of(null, 'influenced'), byTier, [0, 10]],
  ['nobody: nothing', 10, 'EUR', of(null, null), equal, [0, 0]],
  ['no partner at all', 10, 'EUR', [], equal, []],
  ['yen have no cents', 100, 'JPY', of('sourced', 'co_sell', 'influenced'), equal, [34, 33, 33]],
  [
    'dinars have a thousand fils',
    1,
    'KWD',
    of('sourced', 'co_sell', 'influenced'),
    equal,
    [0.334, 0.333, 0.333],
  ],
  ['without a currency, hundredths', 1, null, of('sourced', 'co_sell'), equal, [0.5, 0.5]],
  [
    'a value finer than its currency is split as fine',
    0.001,
    'EUR',
    of('sourced', 'co_sell'),
    equal,
    [0.001, 0],
  ],
  ['nothing to split', 0, 'EUR', of('sourced', 'co_sell'), equal, [0, 0]],
  [
    'weights of zero for all of them: equal',
    9,
    'EUR',
    of('influenced', 'influenced', 'influenced'),
    { method: 'tiers', weights: { ...weights, influenced: 0 } },
    [3, 3, 3],
  ],
  [
    'a weight of zero beside another: nothing',
    9,
    'EUR',
    of('sourced', 'influenced'),
    { method: 'tiers', weights: { ...weights, influenced: 0 } },
    [9, 0],
  ],
  [
    'weights can be fractions',
    3,
    'EUR',
    of('sourced', 'influenced'),
    { method: 'tiers', weights: { ...weights, sourced: 0.5, influenced: 0.25 } },
    [2, 1],
  ],
])('%s', (_, value, currency, partners, split, shares) => {
  expect(shareValue({ value, currency }, partners, split)).toEqual(shares);
});

describe('whatever the deal, the partners and the weights', () => {
  const partner = fc.record({
    external_id: fc.string({ minLength: 1, maxLength: 3 }),
    tier: fc.constantFrom<(Tier | null)[]>(...tiers, null),
  });
  const partners = fc.uniqueArray(partner, { maxLength: 12, selector: ({ external_id }) => external_id });
  const opportunity = fc.record({
    value: fc.oneof(
      fc.integer({ min: 0, max: 10 ** 11 }).map((cents) => cents / 100),
      fc.double({ min: 1e-6, max: 1e15, noNaN: true }),
    ),
    currency: fc.constantFrom('EUR', 'JPY', 'KWD', null),
  });
  const weight = fc.integer({ min: 0, max: 1_000_000 }).map((thousandths) => thousandths / 1000);
  const split = fc.record({
    method: fc.constantFrom('equal' as const, 'tiers' as const),
    weights: fc.record({ sourced: weight, co_sell: weight, influenced: weight }),
  });

  test('the shares add up to the deal, to the last unit', () => {
    fc.assert(
      fc.property(opportunity, partners, split, (won, all, policy) => {
        fc.pre(all.some(({ tier }) => tier !== null));
        const exact = toDecimal(won.value);
        const scale = Math.max(exact.scale, currencyPlaces(won.currency));
        const shares = shareValue(won, all, policy);
        // Beyond 15 digits, a number cannot represent the last unit of a share.
        fc.pre(rounded(exact, scale).units < 10n ** 15n);
        const sum = shares.reduce((sum, share) => sum + rounded(toDecimal(share), scale).units, 0n);
        expect(sum).toBe(rounded(exact, scale).units);
        for (const [index, { tier }] of all.entries()) if (tier === null) expect(shares[index]).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });

  test('the order of the partners does not matter', () => {
    const shuffled = partners.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(opportunity, shuffled, split, (won, [all, other], policy) => {
        const byId = (given: typeof all) => {
          const shares = shareValue(won, given, policy);
          return new Map(given.map(({ external_id }, index) => [external_id, shares[index]]));
        };
        for (const [id, share] of byId(all)) expect(byId(other).get(id)).toBe(share);
      }),
    );
  });

  test('a greater weight never gets less, and nobody is off by a unit or more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), partners, split, (cents, all, policy) => {
        const shares = shareValue({ value: cents / 100, currency: 'EUR' }, all, policy);
        const weightOf = (tier: Tier | null) =>
          tier === null ? 0 : policy.method === 'equal' ? 1 : policy.weights[tier];
        const whole = all.reduce((sum, { tier }) => sum + weightOf(tier), 0);
        fc.pre(whole > 0);
        for (const [index, { tier }] of all.entries())
          expect(Math.abs((shares[index] ?? 0) * 100 - (cents * weightOf(tier)) / whole)).toBeLessThan(
            1.000001,
          );
      }),
    );
  });
});
