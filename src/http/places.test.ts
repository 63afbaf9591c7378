import { expect, test } from 'vitest';
import { createPlaces } from './places.ts';

test('so many of an organization work at a time, its others in their order, and other organizations beside them', async () => {
  const inPlace = createPlaces(2);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (orgId: string, name: string) =>
    inPlace(orgId, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const all = [work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('a', 'a4'), work('b', 'b1')];
  await new Promise(setImmediate);
  expect(started).toEqual(['a1', 'a2', 'b1']);
  ends.get('a2')?.();
  await all[1];
  await new Promise(setImmediate);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a1', 'a3', 'b1']) ends.get(name)?.();
  await Promise.all([all[0], all[2], all[4]]);
  await new Promise(setImmediate);
  ends.get('a4')?.();
  await all[3];
  expect(started.at(-1)).toBe('a4');
});

test('work that fails gives its place back', async () => {
  const inPlace = createPlaces(1);
  await expect(inPlace('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await inPlace('a', async () => 'next')).toBe('next');
});
