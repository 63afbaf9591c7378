import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
import type { BaseLogger } from 'pino';
import { type LimitStore, windowState } from './limit.ts';

type RedisStoreOptions = { url: string; log: Pick<BaseLogger, 'debug'> };

/**
 * Exact across every process that shares the server: one script reads and writes all windows of a bucket, by the server's
 * clock. `take` rejects immediately while there is no connection, and after a second if the server does not respond.
 */
export function createRedisStore({ url, log }: RedisStoreOptions): LimitStore {
  const redis = connect(url);
  let trouble = 'no connection yet';
  let dropping = false;
  redis.on('connect', () => {
    trouble = 'connection lost';
  });
  redis.on('close', () => {
    dropping = false;
  });
  redis.on('error', (error: Error) => {
    trouble = describe(error);
    log.debug({ reason: trouble }, 'redis connection failed');
  });
  // Without this, requests in the first milliseconds after a start would fall back although Redis is about to connect.
  const firstAttempt = Promise.race([
    redis.connect().catch(() => {}),
    delay(ANSWER_MS, undefined, { ref: false }),
  ]);

  async function run(keys: string[], args: number[]): Promise<number[]> {
    try {
      return (await redis.evalsha(SCRIPT_SHA, keys.length, ...keys, ...args)) as number[];
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return (await redis.eval(SCRIPT, keys.length, ...keys, ...args)) as number[];
    }
  }

  return {
    async take(bucket, windows, cost) {
      await firstAttempt;
      if (redis.status !== 'ready') throw new Error(`Redis is unreachable: ${trouble}`);
      // The braces put all keys of one bucket into one slot of a cluster.
      const keys = windows.map(({ name }) => `partner-signals:limit:{${bucket}}:${name}`);
      const args = [cost, ...windows.flatMap(({ limit, seconds }) => [limit, seconds])];
      try {
        const [allowed, seconds = 0, micros = 0, ...used] = await run(keys, args);
        const now = seconds + micros / 1e6;
        return {
          allowed: allowed === 1,
          now,
          windows: windows.map((window, i) => windowState(window, used[i] ?? 0, now)),
        };
      } catch (error) {
        const reason = isOfCommand(error) ? describe(error) : trouble;
        // The connection to a server that vanished silently would stay open for many minutes.
        if (reason === TIMED_OUT && !dropping) {
          dropping = true;
          redis.disconnect(true);
        }
        // Not as `cause`: the client's errors contain the arguments of the command.
        throw new Error(`Redis failed: ${reason}`);
      }
    },

    async close() {
      await redis.quit().catch(() => redis.disconnect());
    },
  };
}

const ANSWER_MS = 1_000;
const TIMED_OUT = 'Command timed out';

/**
 * KEYS: one per window. ARGV: cost, then limit and seconds of each window. Returns allowed, the time, then the count of each
 * window. A value is `reset:used`. `reset` identifies its window, because the key may expire late.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1])
local cost = tonumber(ARGV[1])
local allowed = 1
local resets, used = {}, {}
for i, key in ipairs(KEYS) do
  local limit, seconds = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  resets[i] = (math.floor(now / seconds) + 1) * seconds
  local reset, count = string.match(redis.call('GET', key) or '', '^(%d+):(%d+)$')
  used[i] = tonumber(reset) == resets[i] and tonumber(count) or 0
  if used[i] >= limit then allowed = 0 end
end
if allowed == 1 and cost > 0 then
  for i, key in ipairs(KEYS) do
    used[i] = used[i] + cost
    redis.call('SET', key, string.format('%d:%d', resets[i], used[i]), 'EX', resets[i] - now + 1)
  end
end
return { allowed, now, tonumber(time[2]), unpack(used) }
`;
const SCRIPT_SHA = createHash('sha1').update(SCRIPT).digest('hex');

/** The only function that sees the URL: its password must not reach an error or a log. */
function connect(url: string): Redis {
  const options: RedisOptions = {
    lazyConnect: true,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    disconnectTimeout: ANSWER_MS / 2,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
    keepAlive: 30_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000) * (0.75 + Math.random() / 2),
    // After a failover the old primary refuses writes, and only a new connection reaches the new one.
    reconnectOnError: (error) => error.message.includes('READONLY'),
  };
  try {
    if (!/^rediss?:\/\//.test(url)) throw new TypeError();
    return new Redis(url, options);
  } catch {
    throw new Error(
      'The Redis URL is not valid: it has the form redis://user:password@host:port/database, or rediss: for TLS',
    );
  }
}

/** Not a lost connection, which has its own event with the cause. */
function isOfCommand(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ReplyError' || error.message === TIMED_OUT);
}

/** The code of a connection error and the first word of a refused AUTH: the rest can repeat parts of the URL. */
function describe(error: unknown): string {
  const { code, command, message } = error as Error & { code?: string; command?: { name: string } };
  if (code) return code;
  if (command?.name === 'auth') return `AUTH refused: ${message.split(' ')[0]}`;
  return message;
}
