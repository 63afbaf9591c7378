import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { type Logger, pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withFallback } from '../../src/http/admission/limits/fallback.ts';
import type { Decision, LimitStore, Window } from '../../src/http/admission/limits/limit.ts';
import { createMemoryStore } from '../../src/http/admission/limits/memory.ts';
import { createRedisStore } from '../../src/http/admission/limits/redis.ts';
import { type RunningRedis, skipRedis, startRedis } from '../redis.ts';

const PASSWORD = 'correct-horse-battery';

/** So long that the window does not end during the test. */
const windows: readonly Window[] = [{ name: 'minute', limit: 60, seconds: 1_000_000_000 }];

describe.skipIf(skipRedis)('when Redis fails', () => {
  it('counts requests in flight in the process, exactly, and shares again once Redis is back', async () => {
    const server = await running();
    const { store, lines } = guarded(server.url);
    await store.take('warm', windows, 1);

    process.kill(server.pid, 'SIGSTOP');
    const inFlight = Array.from({ length: 90 }, () => store.take('lost', windows, 1));
    await server.stop();
    expect(allowedOf(await Promise.all(inFlight))).toBe(60);
    expect((await store.take('lost', windows, 1)).allowed).toBe(false);
    expect(lines().map(({ level, reason }) => [level, reason])).toEqual([
      ['warn', expect.stringContaining('Redis failed')],
    ]);

    const again = await running({ port: server.port });
    await backAgain(store, lines);
    const peer = opened(createRedisStore({ url: again.url, log: pino({ level: 'silent' }) }));
    await store.take('found', windows, 1);
    expect((await peer.take('found', windows, 0)).windows[0]?.remaining).toBe(59);
    expect(lines().map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('lets nobody but the first requests wait for a server that hangs', async () => {
    const server = await running();
    const { store, lines } = guarded(server.url);
    await store.take('warm', windows, 1);

    process.kill(server.pid, 'SIGSTOP');
    const started = performance.now();
    await Promise.all([1, 2, 3].map(() => store.take('hung', windows, 1)));
    expect(performance.now() - started).toBeLessThan(5_000);
    const resumed = performance.now();
    const decisions = [];
    for (let i = 0; i < 90; i++) decisions.push(await store.take('hung', windows, 1));
    expect(performance.now() - resumed).toBeLessThan(5_000);
    expect(allowedOf(decisions)).toBe(57);

    process.kill(server.pid, 'SIGCONT');
    await backAgain(store, lines);
    expect(lines().map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('reconnects when a connection goes silent', async () => {
    const server = await running();
    const line = await silenceableLine(server.port);
    const { store, lines } = guarded(`redis://127.0.0.1:${line.port}`);
    await store.take('warm', windows, 1);

    line.silence();
    expect((await store.take('silent', windows, 1)).allowed).toBe(true);
    expect(lines().map(({ level }) => level)).toEqual(['warn']);
    await backAgain(store, lines);
  });

  it('warns once, however often it is asked, while Redis answers but cannot write', async () => {
    const server = await running({ args: ['--maxmemory', '1'] });
    const { store, lines } = guarded(server.url);
    const admin = new Redis(server.url);
    onTestFinished(() => admin.disconnect());
    const failures = async () => Number(/rejected_calls=(\d+)/.exec(await statsOfSet(admin))?.[1] ?? 0);

    await vi.waitFor(async () => {
      expect((await store.take('full', windows, 1)).allowed).toBe(true);
      expect(await failures()).toBeGreaterThanOrEqual(3);
    }, 60_000);
    expect(lines().map(({ level }) => level)).toEqual(['warn']);

    await admin.config('SET', 'maxmemory', '0');
    await backAgain(store, lines);
  });

  it('starts without Redis, and shares as soon as it is there', async () => {
    const server = await running();
    await server.stop();
    const { store, lines } = guarded(server.url);
    const decisions = await Promise.all(Array.from({ length: 90 }, () => store.take('early', windows, 1)));
    expect(allowedOf(decisions)).toBe(60);
    await running({ port: server.port });
    await backAgain(store, lines);
  });
});

describe.skipIf(skipRedis)('the password of a Redis URL', () => {
  const withPassword = ({ port }: RunningRedis) => `redis://:${PASSWORD}@127.0.0.1:${port}`;

  it.each([
    { where: 'refused by the server', args: ['--requirepass', 'another'], message: /WRONGPASS/ },
    {
      where: 'repeated in the answer of the server',
      args: ['--rename-command', 'AUTH', ''],
      message: /AUTH refused/,
    },
    { where: 'of a server that is gone', args: undefined, message: /ECONNREFUSED/ },
  ])('is in no error and no log line when $where', async ({ args, message }) => {
    const server = await running(args ? { args } : {});
    if (!args) await server.stop();
    const { log, text } = recorder();
    const store = opened(createRedisStore({ url: withPassword(server), log }));
    const started = performance.now();
    const error = await store.take('secret', windows, 1).catch((reason: unknown) => reason);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD);
    expect(text()).toContain('redis connection failed');
    expect(text()).not.toContain(PASSWORD);
  });

  it.each(['redis://:%PASSWORD@127.0.0.1:99999', '%PASSWORD@127.0.0.1', 'http://:%PASSWORD@127.0.0.1'])(
    'is in no error when the URL is not valid: %s',
    (pattern) => {
      const open = () =>
        createRedisStore({ url: pattern.replace('%PASSWORD', PASSWORD), log: recorder().log });
      expect(open).toThrow('The Redis URL is not valid');
      expect(open).not.toThrow(PASSWORD);
    },
  );

  it('opens a server that asks for it', async () => {
    const server = await running({ args: ['--requirepass', PASSWORD] });
    const store = opened(createRedisStore({ url: withPassword(server), log: recorder().log }));
    expect((await store.take('opened', windows, 1)).allowed).toBe(true);
  });
});

/** Sends requests until the store has recovered, because only a request triggers a probe. */
async function backAgain(store: LimitStore, lines: () => Line[]): Promise<void> {
  await vi.waitFor(async () => {
    await store.take('probing', windows, 0);
    expect(lines().at(-1)?.level).toBe('info');
  }, 60_000);
}

/** A relay whose connections can go silent without closing, like those of a lost host. */
async function silenceableLine(target: number): Promise<{ port: number; silence(): void }> {
  const open = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) open.add(socket.on('error', () => socket.destroy()));
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  onTestFinished(() => {
    relay.close();
    for (const socket of open) socket.destroy();
  });
  return {
    port: (relay.address() as AddressInfo).port,
    silence() {
      for (const socket of open) socket.unpipe().pause();
    },
  };
}

async function statsOfSet(admin: Redis): Promise<string> {
  const stats = await admin.info('commandstats');
  return stats.split('\r\n').find((line) => line.startsWith('cmdstat_set:')) ?? '';
}

async function running(options: { port?: number; args?: string[] } = {}): Promise<RunningRedis> {
  const server = await startRedis(options);
  onTestFinished(() => server.stop());
  return server;
}

function guarded(url: string): { store: LimitStore; lines: () => Line[] } {
  const { log, lines } = recorder('info');
  const local = createMemoryStore({ now: Date.now });
  return { store: opened(withFallback(createRedisStore({ url, log }), local, log)), lines };
}

function opened(store: LimitStore): LimitStore {
  onTestFinished(() => store.close());
  return store;
}

type Line = { level: string; reason?: string };

function recorder(level = 'trace'): { log: Logger; lines: () => Line[]; text: () => string } {
  const written: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const log = pino({ level, formatters: { level: (label) => ({ level: label }) } }, sink);
  return { log, lines: () => written.map((line): Line => JSON.parse(line)), text: () => written.join('') };
}

function allowedOf(decisions: Decision[]): number {
  return decisions.filter(({ allowed }) => allowed).length;
}
