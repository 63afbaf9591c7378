import { formatNumber } from './values.ts';

/**
 * Rewrites one line in a terminal; elsewhere prints a line every five seconds. Without a `total`, the caller passes the
 * share that is done, if known. `from` is what an earlier run has done already.
 */
export function createProgress(label: string, total?: number, from = { done: 0, share: 0 }) {
  const stream = process.stderr;
  const startedAt = performance.now();
  const everyMs = stream.isTTY ? 100 : 5_000;
  let shownAt = startedAt;

  function show(done: number, share = total === undefined ? undefined : done / (total || 1)): void {
    shownAt = performance.now();
    const seconds = Math.max((shownAt - startedAt) / 1000, 0.001);
    const perSecond = Math.round((done - from.done) / seconds);
    const text = [
      `${label.padEnd(18)} ${formatNumber(done)}${total === undefined ? ' rows' : ` of ${formatNumber(total)}`}`,
      share === undefined ? '' : ` (${Math.floor(100 * share)} %)`,
      `, ${formatNumber(perSecond)} rows/s`,
      share !== undefined && share > from.share && share < 1
        ? `, ${span((seconds * (1 - share)) / (share - from.share))} left`
        : '',
    ].join('');
    stream.write(stream.isTTY ? `\r\x1b[2K${text}` : `${text}\n`);
  }

  return {
    update(done: number, share?: number): void {
      if (performance.now() - shownAt >= everyMs) show(done, share);
    },
    finish(done: number, share?: number): void {
      show(done, share);
      if (stream.isTTY) stream.write('\n');
    },
  };
}

function span(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
