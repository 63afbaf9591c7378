/** One line that is rewritten in a terminal; elsewhere a new line every five seconds. */
export function createProgress(stream: NodeJS.WriteStream, label: string, total: number) {
  const startedAt = performance.now();
  const everyMs = stream.isTTY ? 100 : 5_000;
  let shownAt = startedAt;

  function show(done: number): void {
    shownAt = performance.now();
    const perSecond = Math.round(done / Math.max((shownAt - startedAt) / 1000, 0.001));
    const share = total === 0 ? 100 : Math.floor((100 * done) / total);
    const text = `${label.padEnd(18)} ${number(done)} of ${number(total)} (${share} %), ${number(perSecond)} rows/s`;
    stream.write(stream.isTTY ? `\r\x1b[2K${text}` : `${text}\n`);
  }

  return {
    update(done: number): void {
      if (performance.now() - shownAt >= everyMs) show(done);
    },
    finish(done: number): void {
      show(done);
      if (stream.isTTY) stream.write('\n');
    },
  };
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
