import { describe, expect, test } from 'vitest';
import { createInFlight } from './in-flight.ts';

const inFlight = () => createInFlight({ organization: 100, process: 250, small: 5 });

describe('what is in flight', () => {
  test('of an organization never passes its bound, and what was refused takes no room', () => {
    const { reserve } = inFlight();
    reserve('a', 60).hold();
    expect(() => reserve('a', 41)).toThrow(expect.objectContaining({ status: 429 }));
    reserve('a', 40).hold();
    expect(() => reserve('a', 1)).toThrow(
      expect.objectContaining({ status: 429, headers: { 'Retry-After': '5' } }),
    );
    reserve('b', 100).hold();
  });

  test('of all together never passes that of the process, except for who has next to nothing in flight', () => {
    const { reserve } = inFlight();
    for (const org of ['a', 'b']) reserve(org, 100).hold();
    expect(() => reserve('c', 60)).toThrow(
      expect.objectContaining({ status: 503, headers: { 'Retry-After': '5' } }),
    );
    reserve('c', 50).hold();
    reserve('d', 3).hold();
    expect(() => reserve('d', 3)).toThrow(expect.objectContaining({ status: 503 }));
  });

  test('is free again when the last who holds it lets go, however often anybody does', () => {
    const { reserve } = inFlight();
    const room = reserve('a', 100);
    const [connection, handler] = [room.hold(), room.hold()];
    connection();
    connection();
    expect(() => reserve('a', 1)).toThrow(expect.objectContaining({ status: 429 }));
    handler();
    handler();
    reserve('a', 100).hold()();
    reserve('a', 100);
  });
});
