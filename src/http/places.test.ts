import { expect, test } from 'vitest';
import { createPlaces } from './places.ts';

test('so many of an organization have a place, its others wait in their order, and other organizations do not', async () => {
  const enter = createPlaces(2);
  const inside: string[] = [];
  const leave = new Map<string, () => void>();
  const come = async (orgId: string, name: string) => {
    const left = await enter(orgId);
    inside.push(name);
    leave.set(name, left);
  };
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => come(name.charAt(0), name));
  await new Promise(setImmediate);
  expect(inside).toEqual(['a1', 'a2', 'b1']);
  leave.get('a2')?.();
  await all[2];
  expect(inside).toEqual(['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a1', 'a3', 'b1']) leave.get(name)?.();
  await all[3];
  expect(inside.at(-1)).toBe('a4');
  leave.get('a4')?.();
  await come('a', 'a5');
  expect(inside.at(-1)).toBe('a5');
});
