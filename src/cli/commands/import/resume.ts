import type { Reading } from '../../../import/rows.ts';
import { CommandError } from '../../terminal/exit-codes.ts';
import { formatNumber } from '../../terminal/values.ts';
import type { ImportOptions } from './options.ts';
import {
  differences,
  fingerprint,
  readState,
  removeState,
  type Setting,
  type State,
  shortHash,
} from './state.ts';

/** What must stay the same for an import to continue: the file, the command and the service. */
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
