import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedEnv, startTestService, type TestService } from '../harness.ts';
import { type ServiceProcess, spawnService } from '../process.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { hangingUrl } from './dead-receivers.ts';
import { queue, type Subscription, subscribe } from './queue.ts';

let receiver: Receiver;
let api: TestService;
let worker: ServiceProcess;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ps-fair-'));
  receiver = await startReceiver();
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile };
  api = await startTestService({ ...env, ROLE: 'api', LOG_LEVEL: 'warn' });
  worker = await spawnService({ ...sharedEnv(api.databaseUrl), ...env, ROLE: 'worker', DATA_DIR: dir });
});
afterAll(async () => {
  worker.child.kill('SIGKILL'); // it would wait for its attempts that hang
  await worker.ended;
  await api.close();
  await receiver.close();
  await rm(dir, { recursive: true, force: true });
});

test('a thousand webhooks that hang, of five organizations with a backlog, delay no other organization', async () => {
  const other = await api.organization();
  const theirs = await subscribe(other, receiver.url);
  const before = await arrivals(theirs, Date.now() + 2_000);

  const hanging = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const [org, url] = [await api.organization(), await hangingUrl()];
      return Promise.all(Array.from({ length: 200 }, () => subscribe(org, url)));
    }),
  );
  await queue(api.pool, 20, hanging.flat());
  await wakeUp();
  // For longer than an attempt that hangs takes, so that all slots are used more than once.
  const untilMs = Date.now() + 18_000;
  const [beside, reads] = await Promise.all([arrivals(theirs, untilMs), readTimes(untilMs)]);
  const report = `before ${summary(before)}; beside ${summary(beside)}; reads ${summary(reads)}`;
  process.stdout.write(`${report}\n`);
  // Where they waited for attempts that hang, the median was above two seconds and the worst above ten.
  expect(median(beside), report).toBeLessThan(10 * median(before) + 500);
  expect(beside.at(-1), report).toBeLessThan(5 * (before.at(-1) ?? Number.NaN) + 5_000);
  expect(reads.at(-1), report).toBeLessThan(5_000);

  /** Milliseconds, ascending. */
  async function readTimes(untilMs: number): Promise<number[]> {
    const times: number[] = [];
    while (Date.now() < untilMs) {
      const begunMs = Date.now();
      expect((await other.get('/v1/signals')).status).toBe(200);
      times.push(Date.now() - begunMs);
      await delay(250); // below the limit of the plan
    }
    return times.sort((a, b) => a - b);
  }
});

/** Milliseconds from the commit of an event to its arrival, one event after the other, ascending. */
async function arrivals(subscription: Subscription, untilMs: number): Promise<number[]> {
  const times: number[] = [];
  while (Date.now() < untilMs) {
    const [id] = await queue(api.pool, 1, [subscription]);
    const committedMs = Date.now();
    await wakeUp();
    const arrived = () => receiver.received.find(({ headers }) => headers['webhook-id'] === id);
    await expect.poll(arrived, { interval: 5 }).toBeDefined();
    times.push((arrived()?.at ?? Number.NaN) - committedMs);
  }
  return times.sort((a, b) => a - b);
}

/** As the service gives one after each commit. */
function wakeUp() {
  return api.pool.query(`select pg_notify('partner_signals_deliveries', '')`);
}

function median(ascending: number[]): number {
  return ascending[Math.floor(ascending.length / 2)] ?? Number.NaN;
}

function summary(ascending: number[]): string {
  const p99 = ascending[Math.floor(ascending.length * 0.99)];
  return `p50 ${median(ascending)}, p99 ${p99}, worst ${ascending.at(-1)} ms of ${ascending.length}`;
}
