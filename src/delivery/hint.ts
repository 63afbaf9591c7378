import { setTimeout as delay } from 'node:timers/promises';
import type { QueryConfig } from 'pg';
import type { Logger } from 'pino';
import type { Pool } from '../store/connection.ts';

const channel = 'partner_signals_deliveries';
const gatherMs = 5;
/** A connection that only listens would never notice that nobody speaks any more. */
const heartbeatMs = 5_000;

/**
 * Tells every worker that something may be due. To be called after the commit: inside a transaction a notification makes
 * commits queue up behind each other. Calls within a moment are one notification.
 */
export function createHint(pool: Pool, log: Logger): () => void {
  let pending = false;
  return () => {
    if (pending) return;
    pending = true;
    setTimeout(() => {
      pending = false;
      pool
        .query(`select pg_notify('${channel}', '')`)
        .catch((err) => log.debug({ err }, 'a hint was lost; the poll finds it'));
    }, gatherMs);
  };
}

/** Calls `wake` for every hint, on a connection of its own that is opened again whenever it breaks or goes silent. */
export function listenForHints(pool: Pool, wake: () => void, log: Logger): () => Promise<void> {
  const stop = new AbortController();
  const rest = (ms: number) => delay(ms, undefined, { signal: stop.signal }).catch(() => {});

  async function listen(): Promise<void> {
    const client = await pool.connect();
    try {
      client.on('notification', wake);
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      await client.query(`listen ${channel}`);
      wake();
      for (;;) {
        await Promise.race([rest(heartbeatMs), ended]);
        if (stop.signal.aborted) return;
        await client.query({ text: 'select 1', query_timeout: heartbeatMs } as QueryConfig);
      }
    } finally {
      client.release(true);
    }
  }

  const running = (async () => {
    while (!stop.signal.aborted) {
      await listen().catch((err) => log.debug({ err }, 'no hints for a moment; the poll goes on'));
      await rest(1_000);
    }
  })();
  return async () => {
    stop.abort();
    await running;
  };
}
