import type { Logger } from 'pino';
import type { Pool } from '../store/connection.ts';
import { notify } from '../store/notifications.ts';

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
      notify(pool, 'deliveries').catch((err) => log.debug({ err }, 'a hint was lost; the poll finds it'));
    }, gatherMs);
  };
}
