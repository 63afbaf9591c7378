import { afterEach, expect, test, vi } from 'vitest';
import { encodeUuid, isId, newId } from './ids.ts';

// The first is from the test vectors of the TypeID specification, the second from RFC 9562; the others are the limits.
test.each([
  ['01890a5d-ac96-774b-bcce-b302099a8057', '01h455vb4pex5vsknk084sn02q'],
  ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '01fwhe4ydgfk1shh6w1g60eecf'],
  ['00000000-0000-7000-8000-000000000000', '0000000000e008000000000000'],
  ['ffffffff-ffff-7fff-bfff-ffffffffffff', '7zzzzzzzzzfzzvzzzzzzzzzzzz'],
])('the UUID %s is written as %s', (uuid, text) => {
  const bits = BigInt(`0x${uuid.replaceAll('-', '')}`);
  const part = (from: bigint, length: bigint) => Number((bits >> from) & (2n ** length - 1n));
  expect(encodeUuid(part(80n, 48n), part(64n, 12n) * 2 ** 22 + part(40n, 22n), part(0n, 40n))).toBe(text);
});

afterEach(() => void vi.useRealTimers());

test('ids are valid, differ, and sort in the order in which they are made', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const ids = [0, 0, 0, 1, -1, -5_000, 0, 60_000, 0].map((step) => {
    vi.setSystemTime(Date.now() + step);
    return newId('sig');
  });
  for (const id of ids) expect(isId('sig', id), id).toBe(true);
  expect([...new Set(ids)].sort()).toEqual(ids);
});

test('ids follow a clock that was far ahead', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const ahead = newId('sig');
  vi.setSystemTime(Date.now() - 60_000);
  expect(newId('sig') < ahead).toBe(true);
});
