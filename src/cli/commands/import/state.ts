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
/** `conventions` are the ones used for the first rows: what the file showed, and the answers to questions. */
export type State = { version: 2; setting: Setting; conventions: Conventions; done: Done };

/** What an import has committed, and the length of the file of refused rows at that point. */
export type Done = typeof nothingDone;
export const nothingDone = {
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  refused: 0,
  reasons: [] as Reason[],
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
  if (restart) await rm(path, { force: true });
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const again = 'Use --restart to start over. Rows that are already loaded stay unchanged.';
  const state = parseState(text);
  if (!state) throw new CommandError(`Cannot read ${path}. ${again}`);
  const differs = (part: keyof Setting) =>
    JSON.stringify(state.setting[part]) !== JSON.stringify(setting[part]);
  const changed = [
    ...(differs('file') ? ['the file'] : []),
    ...(differs('mapping') ? ['the mapping or another option'] : []),
    ...(differs('service') ? ['the URL of the service or the key'] : []),
  ];
  if (changed.length > 0)
    throw new CommandError(
      `This import stopped after row ${formatNumber(state.done.rows)} and cannot continue, because ${changed.join(' and ')} changed since then. ${again}`,
    );
  return state;
}

function parseState(text: string): State | undefined {
  try {
    const state = JSON.parse(text) as State;
    return state.version === 2 ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Atomic: the new file is on disk before it replaces the old one. */
export async function writeState(path: string, state: Omit<State, 'version'>): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify({ version: 2, ...state }), { flush: true });
  await rename(`${path}.new`, path);
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
