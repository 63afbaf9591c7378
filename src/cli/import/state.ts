import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Conventions } from './convert.ts';
import type { RowProblem } from './rows.ts';

/** What must be the same for an import to go on where it stopped. */
export type Setting = { file: unknown; mapping: unknown; service: unknown };
/** Why rows were refused: how many, in which lines first, and with which values, as far as they are kept. */
export type Reason = Omit<RowProblem, 'value'> & {
  count: number;
  lines: number[];
  values: { value: string; rows: number }[];
};
/** How far an import has come: all of it is committed, and the file of refused rows holds `rejects_bytes`. */
export type Done = {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
  reasons: Reason[];
  rejects_bytes: number;
};
/** `conventions` are those that the first rows were read by: by what the file showed, and as questions were answered. */
export type State = { version: 2; setting: Setting; conventions: Conventions; done: Done };

export const nothingDone: Done = {
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  refused: 0,
  reasons: [],
  rejects_bytes: 0,
};

export async function readState(path: string): Promise<State | 'unreadable' | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const state = JSON.parse(text) as State;
    return state.version === 2 ? state : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** Whole or not at all, and on the disk before it takes the place of the one before. */
export async function writeState(
  path: string,
  { setting, conventions, done }: Omit<State, 'version'>,
): Promise<void> {
  const state: State = { version: 2, setting, conventions, done };
  await writeFile(`${path}.new`, JSON.stringify(state), { flush: true });
  await rename(`${path}.new`, path);
}

export async function removeState(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Which parts of the setting are others than they were. */
export function differences(before: Setting, now: Setting): (keyof Setting)[] {
  const names = Object.keys(now) as (keyof Setting)[];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
}

/** Tells a changed file from the same one without reading all of it. */
export async function fingerprint(path: string): Promise<{ size: number; mtime_ms: number; head: string }> {
  const file = await open(path);
  try {
    const { size, mtimeMs } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024 * 1024), 0, 1024 * 1024, 0);
    return { size, mtime_ms: mtimeMs, head: shortHash(buffer.subarray(0, bytesRead)) };
  } finally {
    await file.close();
  }
}

/** Enough to compare by, too little to find out what it was made of. */
export function shortHash(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 16);
}
