import { type LimitStore, type Window, windowState } from './limit.ts';

/** `now` is in milliseconds, as `Date.now`. Exact within this process; other processes count apart. */
export function createMemoryStore({ now }: { now: () => number }): LimitStore {
  /**
   * Every bucket's window ends at the same instant, so one map per kind of window, replaced whole at its end,
   * never holds more than the buckets of one window and never needs a sweep.
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
    // Nothing is awaited between reading and writing: that is what makes it exact under concurrency.
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
