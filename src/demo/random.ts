/** A sequence of numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** The sequence of one row, derived only from its index, so that no row depends on the rows before it. */
export function randomOf(seed: number, stream: number, index: number): Random {
  let state = scramble(scramble(scramble(seed) ^ stream) ^ index);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return (scramble(state) >>> 0) / 2 ** 32;
  };
}

export function pickOne<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** A whole number from `from` to `to`, both inclusive; `from` if the range is empty. */
export function between(random: Random, from: number, to: number): number {
  return from + Math.floor(random() * Math.max(1, to - from + 1));
}

/** Flipping one bit of `value` flips about half of the bits of the result; no two values give the same result. */
function scramble(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
