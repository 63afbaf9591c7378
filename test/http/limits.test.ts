import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Decision,
  type LimitStore,
  type Window,
  windowsOf,
} from '../../src/http/admission/limits/limit.ts';
import { createMemoryStore } from '../../src/http/admission/limits/memory.ts';
import { createRedisStore } from '../../src/http/admission/limits/redis.ts';
import { type RunningRedis, skipRedis, startRedis } from '../redis.ts';

type Subject = { store: LimitStore; tick(): void };

const log = pino({ level: 'silent' });

/** So long that no such window ends before 2033. */
const AGES = 1_000_000_000;
const minute = (limit: number, seconds = AGES): Window => ({ name: 'minute', limit, seconds });
const day = (limit: number, seconds = AGES): Window => ({ name: 'day', limit, seconds });

describe('in memory', () => {
  let clock = Date.UTC(2027, 0, 15, 12);
  const store = createMemoryStore({ now: () => clock });
  conforms(() => ({
    store,
    tick: () => {
      clock += 90;
    },
  }));

  it('starts a window on the whole minute and the whole day of UTC, and not a millisecond before', async () => {
    const windows = [minute(1, 60), day(2, 86_400)];
    const allowed = async (time: string) => {
      clock = Date.parse(time);
      return (await store.take('boundary', windows, 1)).allowed;
    };
    expect(await allowed('2027-01-15T23:58:59.999Z')).toBe(true);
    expect(await allowed('2027-01-15T23:59:00.000Z')).toBe(true);
    expect(await allowed('2027-01-15T23:59:59.999Z')).toBe(false);
    expect(await allowed('2027-01-16T00:00:00.000Z')).toBe(true);
  });

  it('holds no more after many minutes of new addresses than after one', async () => {
    const fresh = createMemoryStore({ now: () => clock });
    const oneMinute = async () => {
      clock += 60_000;
      for (let i = 0; i < 50_000; i++) await fresh.take(`address:${clock}:${i}`, [minute(60, 60)], 1);
      return heapUsed();
    };
    const empty = heapUsed();
    const after = [];
    for (let i = 0; i < 5; i++) after.push(await oneMinute());
    const [first = 0, last = 0] = [after.at(0), after.at(-1)];
    expect(last - empty).toBeLessThan(2 * (first - empty));
    await fresh.close();
  });
});

describe.skipIf(skipRedis)('in Redis', () => {
  let server: RunningRedis;
  let store: LimitStore;
  let admin: Redis;
  beforeAll(async () => {
    server = await startRedis();
    store = createRedisStore({ url: server.url, log });
    admin = new Redis(server.url);
  });
  afterAll(async () => {
    admin?.disconnect();
    await store?.close();
    await server?.stop();
  });
  conforms(() => ({ store, tick: () => {} }));

  it('is exact for two stores that share a server', async () => {
    const other = createRedisStore({ url: server.url, log });
    onTestFinished(() => other.close());
    const takes = Array.from({ length: 90 }, (_, i) =>
      (i % 2 ? store : other).take('shared', [minute(60)], 1),
    );
    expect(allowedOf(await Promise.all(takes))).toBe(60);
    expect(remaining(await other.take('shared', [minute(60)], 0))).toEqual([0]);
  });

  it("counts by the server's clock", async () => {
    const before = await admin.time();
    const { now } = await store.take('clock', [minute(1)], 0);
    const after = await admin.time();
    expect(now).toBeGreaterThanOrEqual(unix(before));
    expect(now).toBeLessThanOrEqual(unix(after));
  });

  it('keeps no key longer than a moment after its window', async () => {
    const { now, windows } = await store.take('expiry', windowsOf('standard'), 1);
    for (const { name, reset } of windows) {
      const [key = ''] = await admin.keys(`*{expiry}*${name}`);
      const expiresAt = unix(await admin.time()) + (await admin.pttl(key)) / 1000;
      expect(expiresAt).toBeGreaterThan(Math.max(now, reset));
      expect(expiresAt).toBeLessThan(reset + 2);
    }
  });

  it('writes nothing for a look or a refusal', async () => {
    await store.take('silent', windowsOf('standard'), 0);
    await store.take('silent', [minute(5), day(0)], 1);
    expect(await admin.keys('*silent*')).toEqual([]);
  });

  it('goes on after SCRIPT FLUSH with the same counts, and after FLUSHALL with new ones', async () => {
    await store.take('flushed', [minute(2)], 1);
    await admin.script('FLUSH');
    const two = await Promise.all([1, 2, 3].map(() => store.take('flushed', [minute(2)], 1)));
    expect(allowedOf(two)).toBe(1);
    await admin.flushall();
    expect(remaining(await store.take('flushed', [minute(2)], 1))).toEqual([1]);
  });
});

describe.skipIf(skipRedis)('on a node of a Redis cluster', () => {
  it('finds all windows of a bucket in one slot', async () => {
    const server = await startRedis({ args: ['--cluster-enabled', 'yes'] });
    onTestFinished(() => server.stop());
    const admin = new Redis(server.url);
    onTestFinished(() => admin.disconnect());
    await admin.cluster('ADDSLOTS', ...Array.from({ length: 16_384 }, (_, slot) => slot));
    await vi.waitFor(async () => expect(await admin.cluster('INFO')).toContain('cluster_state:ok'), 60_000);

    const store = createRedisStore({ url: server.url, log });
    onTestFinished(() => store.close());
    for (const bucket of ['org:a', 'org:b', 'ip:2001:db8:0:0::/64']) {
      expect(remaining(await store.take(bucket, [minute(9), day(9)], 1))).toEqual([8, 8]);
    }
  });
});

/** What every store guarantees. Each test has its own bucket. */
function conforms(subject: () => Subject): void {
  let buckets = 0;
  const open = () => {
    const bucket = `conformance:${++buckets}`;
    const { store, tick } = subject();
    return {
      tick,
      take: (...windows: Window[]) => store.take(bucket, windows, 1),
      look: (...windows: Window[]) => store.take(bucket, windows, 0),
      takeOther: (...windows: Window[]) => store.take(`${bucket}:other`, windows, 1),
    };
  };

  it('allows exactly 60 of 90 concurrent requests', async () => {
    const { take, look } = open();
    const decisions = await Promise.all(Array.from({ length: 90 }, () => take(minute(60), day(10_000))));
    expect(allowedOf(decisions)).toBe(60);
    expect(remaining(await look(minute(60), day(10_000)))).toEqual([0, 9_940]);
  });

  it('counts a request in both windows and tells the state after it', async () => {
    const { store } = subject();
    const { allowed, now, windows } = await store.take('plan', windowsOf('standard'), 1);
    expect(allowed).toBe(true);
    expect(windows).toEqual([
      { name: 'minute', limit: 60, seconds: 60, remaining: 59, reset: Math.floor(now / 60) * 60 + 60 },
      {
        name: 'day',
        limit: 10_000,
        seconds: 86_400,
        remaining: 9_999,
        reset: Math.floor(now / 86_400) * 86_400 + 86_400,
      },
    ]);
  });

  it('takes nothing from the day for a request that the minute refuses', async () => {
    const { take } = open();
    const decisions = [];
    for (let i = 0; i < 5; i++) decisions.push(await take(minute(2), day(10)));
    expect(allowedOf(decisions)).toBe(2);
    expect(decisions.map(remaining).at(-1)).toEqual([0, 8]);
  });

  it('refuses by the day while the minute is free, and takes nothing from the minute', async () => {
    const { take } = open();
    const decisions = [];
    for (let i = 0; i < 5; i++) decisions.push(await take(minute(10), day(3)));
    expect(allowedOf(decisions)).toBe(3);
    expect(decisions.map(remaining).at(-1)).toEqual([7, 0]);
  });

  it('changes nothing by looking, and says whether a request would be allowed', async () => {
    const { take, look } = open();
    const before = [await look(minute(1)), await look(minute(1))];
    expect(before.map(remaining)).toEqual([[1], [1]]);
    expect(allowedOf(before)).toBe(2);
    expect((await take(minute(1))).allowed).toBe(true);
    expect((await look(minute(1))).allowed).toBe(false);
  });

  it('counts each bucket apart', async () => {
    const { take, takeOther } = open();
    await take(minute(1));
    expect((await take(minute(1))).allowed).toBe(false);
    expect((await takeOther(minute(1))).allowed).toBe(true);
  });

  it('keeps what is used when the limit changes in the middle of a window', async () => {
    const { take } = open();
    for (let i = 0; i < 5; i++) await take(minute(10));
    const lowered = await take(minute(3));
    expect([lowered.allowed, remaining(lowered)]).toEqual([false, [0]]);
    const raised = await take(minute(8));
    expect([raised.allowed, remaining(raised)]).toEqual([true, [2]]);
  });

  it('grants the full limit once in every window, and the longer window counts on', async () => {
    const { take, look, tick } = open();
    const windows = [minute(5, 1), day(1_000)];
    const byReset = new Map<number, { asked: number; allowed: number }>();
    while (byReset.size < 3) {
      for (const decision of await Promise.all(Array.from({ length: 10 }, () => take(...windows)))) {
        const reset = decision.windows[0]?.reset ?? 0;
        expect(reset - decision.now).toBeGreaterThan(0);
        expect(reset - decision.now).toBeLessThanOrEqual(1);
        const seen = byReset.get(reset) ?? { asked: 0, allowed: 0 };
        byReset.set(reset, { asked: seen.asked + 1, allowed: seen.allowed + Number(decision.allowed) });
      }
      tick();
    }
    const seen = [...byReset.values()];
    expect(seen.map(({ allowed }) => allowed)).toEqual(seen.map(({ asked }) => Math.min(5, asked)));
    const total = seen.reduce((sum, { allowed }) => sum + allowed, 0);
    expect(remaining(await look(...windows))[1]).toBe(1_000 - total);
  });
}

function allowedOf(decisions: Decision[]): number {
  return decisions.filter(({ allowed }) => allowed).length;
}

function remaining(decision: Decision): number[] {
  return decision.windows.map((window) => window.remaining);
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

function unix([seconds = 0, micros = 0]: (string | number)[]): number {
  return Number(seconds) + Number(micros) / 1e6;
}
