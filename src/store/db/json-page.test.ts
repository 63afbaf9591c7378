import { describe, expect, test } from 'vitest';
import { emptyJsonPage, firstOfJsonPage, splitJsonPage } from './json-page.ts';

const rows = ['{"id":"a, b"}', '{"id":"c\\n"}', '{"id":"d"}'];
const joined = (count: number) => ({ json: rows.slice(0, count).join(',\n'), count });

describe('the first of several rows', () => {
  test.each([1, 2])('are an array between brackets, %d of one more, with the last of them', (limit) => {
    const [first, last] = firstOfJsonPage(joined(limit + 1), limit);
    expect(JSON.parse(`[${first}]`)).toEqual(rows.slice(0, limit).map((row) => JSON.parse(row)));
    expect(last).toBe(rows[limit - 1]);
  });

  test('are all where there are no more, and nothing follows', () => {
    expect(firstOfJsonPage(joined(2), 2)).toEqual([rows.slice(0, 2).join(',\n'), null]);
    expect(firstOfJsonPage(joined(1), 2)).toEqual([rows[0], null]);
    expect(firstOfJsonPage(emptyJsonPage, 2)).toEqual(['', null]);
  });
});

test('rows come apart as they were', () => {
  expect(splitJsonPage(joined(3))).toEqual(rows);
  expect(splitJsonPage(emptyJsonPage)).toEqual([]);
});
