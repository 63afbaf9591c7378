import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../../src/contract/error.ts';
import { decodeCursor, encodeCursor } from '../../src/store/db/cursor.ts';
import { createKeyring } from '../../src/store/keys/keyring.ts';

const key = (id: string, fill: number) => ({ id, secret: Buffer.alloc(32, fill) });
const keyring = createKeyring([key('k1', 1)]);

const scopes = fc.record({
  orgId: fc.string(),
  route: fc.string(),
  filters: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer())),
});
const positions = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 3 });

function refused(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch (error) {
    return error instanceof ApiError && error.code === 'invalid_cursor';
  }
}

test('a cursor comes back as the position that it was made of', () => {
  fc.assert(
    fc.property(scopes, positions, (scope, position) => {
      expect(decodeCursor(keyring, scope, encodeCursor(keyring, scope, position))).toEqual(position);
    }),
  );
});

test('the order in which filters are given does not matter', () => {
  const scope = { orgId: 'org_a', route: '/v1/partners', filters: { type: 'gsi', tier: 1 } };
  const cursor = encodeCursor(keyring, scope, ['a', 'b']);
  expect(decodeCursor(keyring, { ...scope, filters: { tier: 1, type: 'gsi' } }, cursor)).toEqual(['a', 'b']);
});

test('a cursor of another organization, route or filters is refused', () => {
  fc.assert(
    fc.property(scopes, scopes, positions, (scope, other, position) => {
      fc.pre(JSON.stringify(scope) !== JSON.stringify(other));
      const cursor = encodeCursor(keyring, scope, position);
      for (const swapped of [
        { ...scope, orgId: other.orgId },
        { ...scope, route: other.route },
        { ...scope, filters: other.filters },
      ]) {
        const same =
          JSON.stringify([swapped.orgId, swapped.route, Object.entries(swapped.filters).sort()]) ===
          JSON.stringify([scope.orgId, scope.route, Object.entries(scope.filters).sort()]);
        expect(refused(() => decodeCursor(keyring, swapped, cursor))).toBe(!same);
      }
    }),
  );
});

test('every truncated, lengthened or altered cursor is refused', () => {
  fc.assert(
    fc.property(
      scopes,
      positions,
      fc.nat(),
      fc.constantFrom(...'ABCxyz019-_=+/ ~'),
      (scope, position, at, char) => {
        const cursor = encodeCursor(keyring, scope, position);
        const index = at % cursor.length;
        const variants = [
          cursor.slice(0, index),
          cursor + char,
          cursor.slice(0, index) + char + cursor.slice(index + 1),
        ];
        for (const variant of variants.filter((text) => text !== cursor)) {
          expect(
            refused(() => decodeCursor(keyring, scope, variant)),
            variant,
          ).toBe(true);
        }
      },
    ),
  );
});

test('arbitrary text is refused, never anything worse', () => {
  fc.assert(
    fc.property(
      scopes,
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.string().map((text) => `cur_${text}`),
      ),
      (scope, text) => {
        expect(refused(() => decodeCursor(keyring, scope, text))).toBe(true);
      },
    ),
  );
});

test('a cursor outlives the rotation of the key that signed it, not its removal', () => {
  const scope = { orgId: 'org_a', route: '/v1/partners', filters: {} };
  const cursor = encodeCursor(keyring, scope, ['x']);
  expect(decodeCursor(createKeyring([key('k2', 2), key('k1', 1)]), scope, cursor)).toEqual(['x']);
  expect(refused(() => decodeCursor(createKeyring([key('k2', 2)]), scope, cursor))).toBe(true);
});

test('what is sealed opens only in its own place, and with its own key', () => {
  const sealed = keyring.seal('secret', 'here');
  expect(keyring.open(sealed, 'here')).toBe('secret');
  expect(() => keyring.open(sealed, 'there')).toThrow();
  expect(() => createKeyring([key('k1', 9)]).open(sealed, 'here')).toThrow();
  expect(() => createKeyring([key('k2', 1)]).open(sealed, 'here')).toThrow('k1');
  expect(sealed.toString('latin1')).not.toContain('secret');
});
