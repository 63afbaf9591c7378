import { expect, test } from 'vitest';
import { densityScore } from './density.ts';

test.each([
  [0, 0, 0],
  [0, 7, 0],
  [1, 3, 33.3],
  [2, 3, 66.7],
  [1, 8, 12.5],
  [1, 1000, 0.1],
  [7, 7, 100],
])('%i co-sold of %i shared score %d', (coSold, shared, score) => {
  expect(densityScore(coSold, shared)).toBe(score);
});
