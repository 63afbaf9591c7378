import { expect, test } from 'vitest';
import { relative } from '../../console/ui/format/relative.ts';

const now = new Date(2026, 10, 15, 8, 14);

test.each([
  [new Date(2026, 10, 15, 8, 13, 50), 'just now'],
  [new Date(2026, 10, 15, 7, 0), '1 hour ago'],
  [new Date(2026, 10, 14, 20, 0), '12 hours ago'],
  [new Date(2026, 10, 14, 8, 0), 'yesterday'],
  [new Date(2026, 10, 13, 16, 52), '2 days ago'],
  [new Date(2026, 10, 17, 23, 0), 'in 2 days'],
  [new Date(2026, 9, 1), 'last month'],
])('%s is said as “%s”', (then, words) => {
  expect(relative(then, now)).toBe(words);
});
