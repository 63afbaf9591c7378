import { expect, test } from 'vitest';
import { createOriginLimit } from './origin-limit.ts';

/** Starts so many requests; `inside` are the functions that end those that have started. */
function crowd(limit: ReturnType<typeof createOriginLimit>, key: string, count: number, party = 'p') {
  const inside: (() => void)[] = [];
  const entered = Array.from({ length: count }, () =>
    limit.start(key, party).then((leave) => void inside.push(leave)),
  );
  return { inside, entered: Promise.all(entered) };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

test('each origin has its limit, and a request that ends lets the next one start', async () => {
  const limit = createOriginLimit({ maxInFlight: 3, slowMs: 60_000 });
  const [one, other] = [crowd(limit, 'a', 5), crowd(limit, 'b', 2)];
  await tick();
  expect([one.inside.length, other.inside.length]).toEqual([3, 2]);
  one.inside[0]?.();
  one.inside[0]?.(); // twice is once
  await tick();
  expect(one.inside.length).toBe(4);
  one.inside[1]?.();
  await one.entered;
  for (const leave of [...one.inside, ...other.inside]) leave();
  const again = crowd(limit, 'a', 4);
  await tick();
  expect(again.inside.length).toBe(3);
  for (const leave of again.inside) leave();
  await again.entered;
  for (const leave of again.inside) leave();
});

test('a request that hangs holds up the others for a moment only', async () => {
  const limit = createOriginLimit({ maxInFlight: 10, slowMs: 20 });
  const startedMs = performance.now();
  const staying = crowd(limit, 'a', 100);
  await limit.start('a', 'p');
  expect(staying.inside.length).toBe(100);
  const waitedMs = performance.now() - startedMs;
  expect(waitedMs).toBeGreaterThan(190);
  expect(waitedMs).toBeLessThan(5_000);
});

test('parties that wait take turns: one with many requests holds up only its own', async () => {
  const limit = createOriginLimit({ maxInFlight: 1, slowMs: 60_000 });
  const leave = await limit.start('a', 'p');
  const order: string[] = [];
  const crowded = ['p', 'p', 'p', 'p', 'q', 'r', 'q'].map((party) =>
    limit.start('a', party).then((done) => {
      order.push(party);
      done();
    }),
  );
  leave();
  await Promise.all(crowded);
  expect(order.join('')).toBe('pqrpqpp');
});
