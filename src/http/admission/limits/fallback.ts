import type { BaseLogger } from 'pino';
import type { LimitStore, Window } from './limit.ts';

/**
 * Counts in the process while the shared store fails: an outage of the limiter must not become an outage of the API.
 * Meanwhile each process grants the full limit. Requests never wait for the shared store; it is probed separately.
 */
export function withFallback(
  shared: LimitStore,
  local: LimitStore,
  log: Pick<BaseLogger, 'warn' | 'info'>,
): LimitStore {
  let down = false;
  let nextProbeAt = 0;

  function failed(error: unknown): void {
    nextProbeAt = performance.now() + PROBE_INTERVAL_MS;
    if (down) return;
    down = true;
    const reason = error instanceof Error ? error.message : String(error);
    log.warn(
      { reason },
      'the shared rate limit store failed; each process counts separately until it is back',
    );
  }

  function probe(): void {
    if (performance.now() < nextProbeAt) return;
    nextProbeAt = Number.POSITIVE_INFINITY;
    shared.take(PROBE_BUCKET, PROBE_WINDOWS, 1).then(() => {
      down = false;
      log.info('the shared rate limit store is back; limits are shared again');
    }, failed);
  }

  return {
    async take(bucket, windows, cost) {
      if (down) {
        probe();
      } else {
        try {
          return await shared.take(bucket, windows, cost);
        } catch (error) {
          failed(error);
        }
      }
      return local.take(bucket, windows, cost);
    },

    async close() {
      await Promise.all([shared.close(), local.close()]);
    },
  };
}

const PROBE_INTERVAL_MS = 1_000;

// The probe writes, because a full or read-only server still answers reads.
const PROBE_BUCKET = 'probe';
const PROBE_WINDOWS: readonly Window[] = [{ name: 'minute', limit: Number.MAX_SAFE_INTEGER, seconds: 60 }];
