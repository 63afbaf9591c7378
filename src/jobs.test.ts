import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPace } from './jobs.ts';

test('what can wait has a small share of the time while there is a load, and all of it otherwise', async () => {
  let isLoading = true;
  const pace = createPace(() => isLoading);
  const step = () => delay(20).then(() => 'done');
  expect(await pace(step)).toBe('done');
  expect(await pace(step)).toBeNull();
  isLoading = false;
  expect(await pace(step)).toBe('done');
  expect(await pace(step)).toBe('done');
  isLoading = true;
  expect(await pace(step)).toBeNull();
  await delay(1_500);
  expect(await pace(step)).toBe('done');
});

test('a step that fails rests like any other, and passes its failure on', async () => {
  const pace = createPace(() => true);
  await expect(pace(() => delay(20).then(() => Promise.reject(new Error('failed'))))).rejects.toThrow(
    'failed',
  );
  expect(await pace(async () => 'done')).toBeNull();
});
