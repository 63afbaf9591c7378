import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Conventions } from '../../../import/convert.ts';
import type { Reason } from '../../../import/refusals.ts';
import type { Reading } from '../../../import/rows.ts';
import { CommandError } from '../../terminal/exit-codes.ts';
import { formatNumber } from '../../terminal/values.ts';
import type { ImportOptions } from './options.ts';

/** What must stay the same for an import to continue: the file, the command and the service. */
export type Setting = { file: unknown; mapping: unknown; service: unknown };
/** What an import has committed, and the length of the file of refused rows at that point. */
export type Done = {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
  reasons: Reason[];
  rejects_bytes: number;
};
/** `conventions` are the ones used for the first rows: what the file showed, and the answers to questions. */
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

export async function settingOf(file: string, reading: Reading, options: ImportOptions): Promise<Setting> {
  const { baseUrl, key, dataDir, ca, actor, json, restart, yes, dryRun, batchRows, ...reads } = options;
  const { kind, overrides, columns } = reading;
  return {
    file: file === '-' ? null : await fingerprint(file),
    // Sorted, so that the order of the flags does not matter.
    mapping: { kind, overrides, columns: [...columns.columnOf], options: Object.entries(reads).sort() },
    service: { url: baseUrl, key: shortHash(key ?? dataDir) },
  };
}

/** The unfinished import of this file, if there is one. */
export async function interrupted(
  path: string,
  setting: Setting,
  { restart }: ImportOptions,
): Promise<State | undefined> {
  if (restart) await removeState(path);
  const state = await readState(path);
  if (state === undefined) return undefined;
  const again = 'Use --restart to start over. Rows that are already loaded stay unchanged.';
  if (state === 'unreadable') throw new CommandError(`Cannot read ${path}. ${again}`);
  const names = {
    file: 'the file',
    mapping: 'the mapping or another option',
    service: 'the URL of the service or the key',
  };
  const changed = differences(state.setting, setting).map((part) => names[part]);
  if (changed.length > 0)
    throw new CommandError(
      `This import stopped after row ${formatNumber(state.done.rows)} and cannot continue, because ${changed.join(' and ')} changed since then. ${again}`,
    );
  return state;
}

async function readState(path: string): Promise<State | 'unreadable' | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const state = JSON.parse(text) as State;
    return state.version === 2 ? state : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** Atomic: the new file is on disk before it replaces the old one. */
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

/** The parts of the setting that changed. */
function differences(before: Setting, now: Setting): (keyof Setting)[] {
  const names = Object.keys(now) as (keyof Setting)[];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
}

/** Detects a changed file without reading all of it. */
async function fingerprint(path: string): Promise<{ size: number; mtime_ms: number; head: string }> {
  const file = await open(path);
  try {
    const { size, mtimeMs } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024 * 1024), 0, 1024 * 1024, 0);
    return { size, mtime_ms: mtimeMs, head: shortHash(buffer.subarray(0, bytesRead)) };
  } finally {
    await file.close();
  }
}

/** Long enough to compare, too short to recover the input. */
function shortHash(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 16);
}
