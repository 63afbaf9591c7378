import { expect, test } from 'vitest';
import { createGate } from './gate.ts';

/** Enters so often at once, and tells how many are in. */
function crowd(gate: ReturnType<typeof createGate>, key: string, count: number, party = 'p') {
  const inside: (() => void)[] = [];
  const entered = Array.from({ length: count }, () =>
    gate.enter(key, party).then((leave) => void inside.push(leave)),
  );
  return { inside, entered: Promise.all(entered) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('so many are let in for each key, and one more for each that leaves', async () => {
  const gate = createGate({ places: 3, slowMs: 60_000 });
  const [one, other] = [crowd(gate, 'a', 5), crowd(gate, 'b', 2)];
  await turn();
  expect([one.inside.length, other.inside.length]).toEqual([3, 2]);
  one.inside[0]?.();
  one.inside[0]?.(); // twice is once
  await turn();
  expect(one.inside.length).toBe(4);
  one.inside[1]?.();
  await one.entered;
  for (const leave of [...one.inside, ...other.inside]) leave();
  const again = crowd(gate, 'a', 4);
  await turn();
  expect(again.inside.length).toBe(3);
  for (const leave of again.inside) leave();
  await again.entered;
  for (const leave of again.inside) leave();
});

test('whoever stays long keeps the others waiting for a moment only', async () => {
  const gate = createGate({ places: 10, slowMs: 20 });
  const startedMs = performance.now();
  const staying = crowd(gate, 'a', 100);
  await gate.enter('a', 'p');
  expect(staying.inside.length).toBe(100);
  const waitedMs = performance.now() - startedMs;
  expect(waitedMs).toBeGreaterThan(190);
  expect(waitedMs).toBeLessThan(5_000);
});

test('parties that wait go in turns: a crowd holds up its own', async () => {
  const gate = createGate({ places: 1, slowMs: 60_000 });
  const leave = await gate.enter('a', 'p');
  const order: string[] = [];
  const crowded = ['p', 'p', 'p', 'p', 'q', 'r', 'q'].map((party) =>
    gate.enter('a', party).then((done) => {
      order.push(party);
      done();
    }),
  );
  leave();
  await Promise.all(crowded);
  expect(order.join('')).toBe('pqrpqpp');
});
