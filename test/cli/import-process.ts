import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Running } from './cli.ts';

/** Sends the signal as soon as this many rows are done; resolves when the process has ended. */
export async function interruptAfter(
  rows: number,
  signal: 'SIGKILL' | 'SIGINT',
  stateFile: string,
  { child, ended, stderr }: Running,
): Promise<Awaited<Running['ended']>> {
  while ((await rowsDone(stateFile)) < rows) {
    if (child.exitCode !== null) throw new Error(stderr());
    await pause(2);
  }
  child.kill(signal);
  return ended;
}

export async function rowsDone(stateFile: string): Promise<number> {
  const text = await readFile(stateFile, 'utf8').catch(() => undefined);
  return text ? JSON.parse(text).done.rows : 0;
}
