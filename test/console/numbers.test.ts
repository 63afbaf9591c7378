import { expect, test } from 'vitest';
import { formatMoney, plural } from '../../console/ui/format/numbers.ts';

test.each([
  [48_000, 'EUR', '€48,000'],
  [48_000.5, 'EUR', '€48,000.50'],
  [1_250_000, 'USD', '$1,250,000'],
  [1_250_000, 'JPY', '¥1,250,000'],
  [140_000, 'NOK', 'NOK\u00a0140,000'],
  [48_000, 'XYZ', 'XYZ\u00a048,000'],
  [48_000, null, '48,000 (no currency)'],
  [0, null, '0 (no currency)'],
])('%d in %s reads “%s”', (value, currency, text) => {
  expect(formatMoney(value, currency)).toBe(text);
});

test.each([
  [0, '0 deals'],
  [1, '1 deal'],
  [1_200, '1,200 deals'],
])('%d reads “%s”', (count, text) => {
  expect(plural(count, 'deal')).toBe(text);
});
