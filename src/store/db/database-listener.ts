import { setTimeout as delay } from 'node:timers/promises';
import type { QueryConfig } from 'pg';
import type { Logger } from 'pino';
import type { Pool } from './connection.ts';
import type { Reader } from './tx.ts';

const channels = { deliveries: 'partner_signals_deliveries', keys: 'partner_signals_keys' } as const;
export type Topic = keyof typeof channels;

const beatMs = 200;
/** Without a response for this long, notifications may have been missed. */
const freshMs = 500;

export async function notifyListeners(db: Reader, topic: Topic): Promise<void> {
  await db.query({ name: `notify_${topic}`, text: `select pg_notify('${channels[topic]}', '')` });
}

export type DatabaseListener = {
  /** Calls back on every notification, and whenever some may have been missed. */
  on(topic: Topic, heard: () => void): void;
  /**
   * Whether every notification committed more than half a second ago has arrived. The server sends pending notifications
   * before it responds, so a response proves this for the time of the query.
   */
  isUpToDate(): boolean;
  close(): Promise<void>;
};

/** Listens on a separate connection, and reopens it whenever it breaks or goes silent. */
export function startDatabaseListener(pool: Pool, log: Logger): DatabaseListener {
  const stop = new AbortController();
  const rest = (ms: number) => delay(ms, undefined, { signal: stop.signal }).catch(() => {});
  const listeners: [Topic, () => void][] = [];
  let askedAt = Number.NEGATIVE_INFINITY;

  const tell = (channel: string | null) => {
    for (const [topic, heard] of listeners) if (channel === null || channels[topic] === channel) heard();
  };

  async function attend(): Promise<void> {
    const client = await pool.connect();
    try {
      client.on('notification', ({ channel }) => tell(channel));
      for (const channel of Object.values(channels)) await client.query(`listen ${channel}`);
      tell(null);
      while (!stop.signal.aborted) {
        const asked = performance.now();
        await client.query({ text: 'select 1', query_timeout: freshMs } as QueryConfig);
        askedAt = asked;
        await rest(beatMs);
      }
    } finally {
      askedAt = Number.NEGATIVE_INFINITY;
      client.release(true);
    }
  }

  const running = (async () => {
    while (!stop.signal.aborted) {
      await attend().catch((err) => log.debug({ err }, 'no notifications for a moment'));
      await rest(1_000);
    }
  })();
  return {
    on: (topic, heard) => listeners.push([topic, heard]),
    isUpToDate: () => performance.now() - askedAt < freshMs,
    close: async () => {
      stop.abort();
      await running;
    },
  };
}
