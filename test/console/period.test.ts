import { expect, test } from 'vitest';
import { monthsOf } from '../../console/credit/months.ts';
import { lastTwelveMonths, quarters, toQuery } from '../../console/credit/period.ts';
import { isAscending, type PartnerScore, sortScores } from '../../console/partners/scores.ts';

test('both days of a period are in it, over the ends of months and years, and other filters are passed on', () => {
  expect(toQuery({ from: '2026-01-01', to: '2026-12-31', tier: 'sourced' })).toEqual({
    closed_after: '2025-12-31',
    closed_before: '2027-01-01',
    tier: 'sourced',
  });
  expect(toQuery({ to: '2024-02-28' })).toEqual({ closed_after: undefined, closed_before: '2024-02-29' });
});

test('a period from the first to the last day has no day before or after it', () => {
  expect(toQuery({ from: '0001-01-01', to: '9999-12-31' })).toEqual({
    closed_after: undefined,
    closed_before: undefined,
  });
  expect(toQuery({ from: '0001-01-02', to: '9999-12-30' })).toEqual({
    closed_after: '0001-01-01',
    closed_before: '9999-12-31',
  });
});

test('quarters go back from the one of today, from its first to its last day', () => {
  expect(quarters(new Date('2026-02-10T00:00:00Z'), 3)).toEqual([
    { name: 'Q1 2026', from: '2026-01-01', to: '2026-03-31' },
    { name: 'Q4 2025', from: '2025-10-01', to: '2025-12-31' },
    { name: 'Q3 2025', from: '2025-07-01', to: '2025-09-30' },
  ]);
  expect(lastTwelveMonths(new Date('2028-02-10T00:00:00Z'))).toMatchObject({
    from: '2027-03-01',
    to: '2028-02-29',
  });
});

test('the chart shows the latest months, however far the first one is away', () => {
  const amounts = { currency: 'EUR', deals: 1, credits: 1, net_value: 5, gross_value: 5, credited_value: 5 };
  const shown = (...months: string[]) => {
    const by_tier_and_month = months.map((month) => ({ tier: 'sourced' as const, month, ...amounts }));
    return monthsOf({ totals: [], by_tier: [], by_tier_and_month });
  };
  const long = shown('2026-01', '9999-12');
  expect(long).toHaveLength(24);
  expect([long[0], long.at(-1)]).toMatchObject([{ month: '9998-01' }, { month: '9999-12', sourced: 5 }]);
  expect(shown('0001-01', '0001-02').map(({ month }) => month)).toEqual(['0001-01', '0001-02']);
});

test('a month without credit has its place in the chart', () => {
  const amounts = { currency: 'EUR', deals: 1, credits: 1, net_value: 5, gross_value: 5, credited_value: 5 };
  const by_tier_and_month = [
    { tier: 'sourced' as const, month: '2025-12', ...amounts },
    { tier: 'co_sell' as const, month: '2026-02', ...amounts },
  ];
  const none = { sourced: 0, co_sell: 0, influenced: 0 };
  expect(monthsOf({ totals: [], by_tier: [], by_tier_and_month })).toEqual([
    { month: '2025-12', ...none, sourced: 5 },
    { month: '2026-01', ...none },
    { month: '2026-02', ...none, co_sell: 5 },
  ]);
  expect(monthsOf({ totals: [], by_tier: [], by_tier_and_month: [] })).toEqual([]);
  const few = monthsOf({ totals: [], by_tier: [], by_tier_and_month }, '2026-02-01', '2026-03-31');
  expect(few.map(({ month }) => month)).toEqual(['2026-02', '2026-03']);
});

test('partners without a number come last in either order, and names start with A', () => {
  const scores = [null, 20, 80].map((win_rate) => ({ win_rate }) as PartnerScore);
  const rates = (ascending: boolean) =>
    sortScores(scores, 'win_rate', ascending).map((score) => score.win_rate);
  expect(rates(false)).toEqual([80, 20, null]);
  expect(rates(true)).toEqual([20, 80, null]);
  expect([isAscending('name', undefined), isAscending('credited', undefined)]).toEqual([true, false]);
  expect([isAscending('name', 'ascending'), isAscending('credited', 'ascending')]).toEqual([false, true]);
});
