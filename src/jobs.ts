import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { expireSignals, recheckPairs } from './domain/due-signals.ts';
import type { Fired } from './domain/evaluate-pairs.ts';
import { continueRedelivery } from './domain/redeliver.ts';
import type { Pool } from './store/connection.ts';
import { deleteOldEvents } from './store/events.ts';
import { deleteOldAnswers } from './store/idempotency.ts';
import { refreshStatistics } from './store/statistics.ts';
import { giveUpOfDisabled } from './store/webhooks/deliveries.ts';
import { deleteOldDeliveries } from './store/webhooks/outbox.ts';
import { deleteEndedSecrets } from './store/webhooks/secrets.ts';

type Job = { name: string; everyMs: number; step: (pool: Pool) => Promise<boolean> };

/** Signals expire at most five seconds after their time: the look every second leaves room for a slow step. */
const jobs: Job[] = [
  { name: 'expire signals', everyMs: 1_000, step: expireSignals },
  { name: 'refresh statistics', everyMs: 1_000, step: refreshStatistics },
  { name: 'continue redeliveries', everyMs: 1_000, step: continueRedelivery },
  { name: 'give up deliveries of disabled webhooks', everyMs: 5_000, step: giveUpOfDisabled },
  { name: 'delete ended secrets', everyMs: 10_000, step: deleteEndedSecrets },
  { name: 'delete old answers', everyMs: 60_000, step: deleteOldAnswers },
  { name: 'delete old deliveries', everyMs: 60_000, step: deleteOldDeliveries },
  { name: 'delete old events', everyMs: 60_000, step: deleteOldEvents },
];

/**
 * Each job works in small steps until nothing is left, then rests. Steps claim their rows, so any number of processes
 * may run them at once, and one that dies in the middle leaves its rows to the others.
 */
export function startBackground(
  pool: Pool,
  log: Logger,
  onFired: (signals: Fired) => void,
  isPaused: () => boolean,
): () => Promise<void> {
  const stop = new AbortController();
  const recheck: Job = {
    name: 'recheck pairs',
    everyMs: 1_000,
    step: async () => {
      const fired = await recheckPairs(pool);
      if (fired) onFired(fired);
      return fired !== null;
    },
  };
  const running = [...jobs, recheck].map(async ({ name, everyMs, step }) => {
    while (!stop.signal.aborted) {
      const more =
        !isPaused() &&
        (await step(pool).catch((err: unknown) => {
          if (!stop.signal.aborted)
            log.warn({ err, job: name }, 'a background step failed; it is tried again');
          return false;
        }));
      if (!more) await delay(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => {});
    }
  });
  return async () => {
    stop.abort();
    await Promise.all(running);
  };
}
