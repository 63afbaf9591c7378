import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('one organization: one after the other, in order, also past a failure', async () => {
  const turns = createTurns();
  const log: string[] = [];
  const work = (name: string, fails = false) =>
    turns('org', async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([work('a'), work('b', true), work('c')]);
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('another organization does not wait', async () => {
  const turns = createTurns();
  let release = () => {};
  const stuck = turns(
    'one',
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  await expect(turns('two', async () => 'free')).resolves.toBe('free');
  release();
  await stuck;
});

test('it is busy while work runs, and for a moment after', async () => {
  const turns = createTurns();
  expect(turns.isBusy()).toBe(false);
  const work = turns('org', () => delay(5));
  expect(turns.isBusy()).toBe(true);
  await work;
  expect(turns.isBusy()).toBe(true);
  await expect.poll(() => turns.isBusy(), { timeout: 5_000 }).toBe(false);
});
