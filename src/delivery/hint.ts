import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Pool } from '../store/connection.ts';

const channel = 'partner_signals_deliveries';
const gatherMs = 5;

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

/** Calls `wake` for every hint, on a connection of its own that is opened again whenever it breaks. */
export function listenForHints(pool: Pool, wake: () => void, log: Logger): () => Promise<void> {
  const stop = new AbortController();
  let client: pg.PoolClient | undefined;
  const running = (async () => {
    while (!stop.signal.aborted) {
      try {
        client = await pool.connect();
        const broken = new Promise<void>((resolve) => {
          client?.once('error', () => resolve());
          client?.once('end', () => resolve());
          stop.signal.addEventListener('abort', () => resolve(), { once: true });
        });
        client.on('notification', wake);
        await client.query(`listen ${channel}`);
        wake();
        await broken;
      } catch (err) {
        if (!stop.signal.aborted) log.debug({ err }, 'no hints for a moment; the poll goes on');
      }
      client?.release(true);
      client = undefined;
      await delay(1_000, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();
  return async () => {
    stop.abort();
    await running;
  };
}
