import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retrySteps } from '../vocabulary.ts';
import { nextDelay } from './backoff.ts';

test('the steps are those of the contract, about 52 hours in all, then nothing', () => {
  expect(retrySteps.map((_, i) => nextDelay(i + 1, null, 0.5))).toEqual([
    5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 72_000,
  ]);
  expect(retrySteps.reduce((a, b) => a + b) / 3600).toBeCloseTo(51.7, 1);
  expect(nextDelay(11, null, 0.5)).toBeNull();
  expect(nextDelay(11, 60, 0.5)).toBeNull();
});

test('each is spread by a fifth either way', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, random) => {
        const step = retrySteps[attempt - 1] as number;
        const delay = nextDelay(attempt, null, random) as number;
        expect(delay).toBeGreaterThanOrEqual(0.8 * step - 1e-9);
        expect(delay).toBeLessThanOrEqual(1.2 * step + 1e-9);
      },
    ),
  );
});

test('Retry-After makes it later, up to the next step, and never sooner', () => {
  expect(nextDelay(1, 20, 0.5)).toBe(20);
  expect(nextDelay(1, 3600, 0.5)).toBe(30);
  expect(nextDelay(1, 1, 0.5)).toBe(5);
  expect(nextDelay(10, 1e9, 0.5)).toBe(72_000);
});
