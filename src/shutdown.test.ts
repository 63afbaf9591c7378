import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from './http/server/log.ts';
import { type Opened, shutDown, shutdownMs } from './shutdown.ts';

const logs: string[] = [];
const log = createLogger('info', { write: (line) => void logs.push(line) });

beforeEach(() => {
  logs.length = 0;
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('work ends before what it needs, and what hangs is named and cut off in the documented time', async () => {
  const ended: string[] = [];
  const step = (name: string, end: () => Promise<unknown>) => ({
    name,
    end: () => end().then(() => ended.push(name)),
  });
  const now = () => Promise.resolve();
  const opened: Opened = {
    database: [step('server', now)],
    pools: [step('pool', () => new Promise(() => {}))],
    shared: [step('limits', () => Promise.reject(new Error('broken')))],
    work: [step('requests', now), step('deliveries', () => new Promise(() => {}))],
  };
  const shutdown = shutDown(opened, log, 3_000);
  await vi.advanceTimersByTimeAsync(3_000 + shutdownMs);
  expect(await shutdown).toBe(false);
  expect(ended).toEqual(['requests', 'server']);
  expect(logs.map((line) => JSON.parse(line)).map(({ step, msg }) => `${step}: ${msg}`)).toEqual([
    'deliveries: a step of the shutdown did not end in time and was cut off',
    'limits: a step of the shutdown failed',
    'pool: a step of the shutdown did not end in time and was cut off',
  ]);
});

test('what ends in time is not said', async () => {
  const end = async () => {};
  const opened = { work: [{ name: 'requests', end }], shared: [], pools: [], database: [] };
  expect(await shutDown(opened, log, 0)).toBe(true);
  expect(logs).toEqual([]);
});
