import { type LimitStore, type Window, windowState } from './limit.ts';

/** `now` is in milliseconds, as from `Date.now`. Exact within this process only. */
export function createMemoryStore({ now }: { now: () => number }): LimitStore {
  /**
   * The windows of all buckets end at the same instant. So one map per kind of window, replaced at its end, never contains
   * more than the buckets of one window and needs no clean-up.
   */
  const current = new Map<string, { number: number; counts: Map<string, number> }>();

  function countsOf(window: Window, seconds: number): Map<string, number> {
    const key = `${window.name}:${window.seconds}`;
    const number = Math.floor(seconds / window.seconds);
    const held = current.get(key);
    if (held?.number === number) return held.counts;
    const counts = new Map<string, number>();
    current.set(key, { number, counts });
    return counts;
  }

  return {
    // There is no await between reading and writing, which makes it exact under concurrency.
    async take(bucket, windows, cost) {
      const seconds = now() / 1000;
      const counted = windows.map((window) => {
        const counts = countsOf(window, seconds);
        return { window, counts, used: counts.get(bucket) ?? 0 };
      });
      const allowed = counted.every(({ window, used }) => used < window.limit);
      const added = allowed ? cost : 0;
      if (added) for (const { counts, used } of counted) counts.set(bucket, used + added);
      return {
        allowed,
        now: seconds,
        windows: counted.map(({ window, used }) => windowState(window, used + added, seconds)),
      };
    },

    async close() {
      current.clear();
    },
  };
}
