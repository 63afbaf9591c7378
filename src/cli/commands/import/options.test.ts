import { expect, test } from 'vitest';
import { readAssignments } from './options.ts';

test('an option for a field that there is not is refused with those that there are', () => {
  expect(readAssignments('partners', '--set', ['type=gsi', 'name=a=b'])).toEqual({
    type: 'gsi',
    name: 'a=b',
  });
  expect(() => readAssignments('partners', '--set', ['typ=gsi'])).toThrow(/no field "typ".*type/);
  expect(() => readAssignments('partners', '--set', ['type'])).toThrow(/field=/);
});
