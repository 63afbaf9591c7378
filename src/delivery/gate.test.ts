import { expect, test } from 'vitest';
import { createGate } from './gate.ts';

/** Enters so often at once, and tells how many are in. */
function crowd(gate: ReturnType<typeof createGate>, key: string, count: number) {
  const inside: (() => void)[] = [];
  const entered = Array.from({ length: count }, () =>
    gate.enter(key).then((leave) => void inside.push(leave)),
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
  await gate.enter('a');
  expect(staying.inside.length).toBe(100);
  const waitedMs = performance.now() - startedMs;
  expect(waitedMs).toBeGreaterThan(190);
  expect(waitedMs).toBeLessThan(5_000);
});
