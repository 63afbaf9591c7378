import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readAhead } from './prefetch.ts';

test('steps come in their order, and at most two are read while one is worked on', async () => {
  const read: number[][] = [];
  const seen: { step: number[]; read: number }[] = [];
  const steps = readAhead([1, 2, 3, 4, 5, 6, 7, 8, 9], 2, async (step) => {
    read.push(step);
    await delay(step[0] === 1 ? 10 : 0);
    return step;
  });
  for await (const step of steps) seen.push({ step, read: read.length });
  expect(seen).toEqual([
    { step: [1, 2], read: 3 },
    { step: [3, 4], read: 4 },
    { step: [5, 6], read: 5 },
    { step: [7, 8], read: 5 },
    { step: [9], read: 5 },
  ]);
});

test('nothing is read for no items', async () => {
  const found: unknown[] = [];
  for await (const step of readAhead([], 2, () => Promise.reject(new Error('read')))) found.push(step);
  expect(found).toEqual([]);
});

test('a failure is thrown at its step, and a caller that stops early waits for reads in progress', async () => {
  let reading = 0;
  const read = async ([item]: number[]) => {
    reading++;
    await delay(item === 1 ? 0 : 20);
    reading--;
    if (item === 2) throw new Error('the second');
    return item;
  };
  const found: unknown[] = [];
  const all = async () => {
    for await (const item of readAhead([1, 2, 3], 1, read)) found.push(item);
  };
  await expect(all()).rejects.toThrow('the second');
  expect(found).toEqual([1]);
  expect(reading).toBe(0);

  for await (const item of readAhead([1, 4, 5], 1, read)) if (item === 1) break;
  expect(reading).toBe(0);
});
