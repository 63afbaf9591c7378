import type { FactKind } from '../../contract/ingest.ts';
import { confirm } from '../confirm.ts';
import { type ClientConnection, connectClient } from '../connection.ts';
import { CommandError, exitCodes, usageError } from '../exit-codes.ts';
import { type JsonOption, note, writeOne } from '../output.ts';
import { amount, readJsonFile } from '../values.ts';
import { checkedField, createColumnMap, missingFields, plain, readAssignments } from './columns.ts';
import type { Conventions } from './convert.ts';
import { batches, load } from './load.ts';
import type { SourceRecord } from './record.ts';
import { type Format, openSource, type Source } from './records.ts';
import { openRejects } from './rejects.ts';
import { mappingLines, resultLines, withReasons } from './report.ts';
import { type Reading, readRows } from './rows.ts';
import {
  type Done,
  differences,
  fingerprint,
  nothingDone,
  readState,
  removeState,
  type Setting,
  shortHash,
  writeState,
} from './state.ts';

export type ImportOptions = ClientConnection &
  JsonOption &
  Conventions & {
    format?: Format;
    encoding?: string;
    map?: string[];
    mapFile?: string;
    set?: string[];
    default?: string[];
    wonStage?: string[];
    lostStage?: string[];
    backfill?: boolean;
    dryRun?: boolean;
    restart?: boolean;
    yes?: boolean;
    batchRows: number;
  };

/** Rows from whose columns the mapping is made; those of JSON may leave out what is empty. */
const headRows = 100;

export async function runImport(kind: FactKind, file: string, options: ImportOptions): Promise<void> {
  const reading = await createReading(kind, options);
  const source = await openSource(file, options);
  const head = await take(source.records, headRows);
  for (const columns of [source.columns, ...head.map(({ cells }) => Object.keys(cells))])
    reading.columns.see(columns);
  if (head.length > 0) {
    checkMapping(reading, source);
    note(
      mappingLines(
        reading,
        head.find(({ problem }) => problem === undefined),
      ).join('\n'),
    );
  }

  const records = concat(head, source.records);
  const done = options.dryRun
    ? await tryOut(reading, records, options.batchRows)
    : await importRecords(file, reading, source, records, options);
  if (!done) return;
  const { rejects_bytes, ...result } = done;
  await writeOne(result, options, () => resultLines(result, options).join('\n'));
  if (done.refused === 0) return;
  process.exitCode = exitCodes.rowsRefused;
  if (!options.dryRun)
    note(`The refused rows are in ${rejectsPath(file, kind, source)}: mend them and import that file.`);
}

async function createReading(kind: FactKind, options: ImportOptions): Promise<Reading> {
  const { dates, decimal, timeZone } = options;
  const overrides = {
    ...(await readMapFile(kind, options.mapFile)),
    ...readAssignments(kind, '--map', options.map),
  };
  return {
    kind,
    columns: createColumnMap(kind, overrides),
    overrides,
    set: readAssignments(kind, '--set', options.set),
    defaults: readAssignments(kind, '--default', options.default),
    conventions: { dates, decimal, timeZone },
    won: (options.wonStage ?? []).map(plain),
    lost: (options.lostStage ?? []).map(plain),
  };
}

async function readMapFile(kind: FactKind, file: string | undefined): Promise<Record<string, string>> {
  if (file === undefined) return {};
  const map = await readJsonFile(file);
  if (
    typeof map !== 'object' ||
    map === null ||
    Object.values(map).some((column) => typeof column !== 'string')
  )
    throw usageError(`${file}: must be a JSON object of fields and their columns.`);
  for (const field of Object.keys(map)) checkedField(kind, file, field);
  return map as Record<string, string>;
}

function checkMapping({ kind, columns, overrides, set, defaults }: Reading, { layout }: Source): void {
  const there = `The columns are: ${columns.columns().join(', ')}.`;
  const absent = Object.entries(overrides).filter(
    ([field, column]) => column !== '' && !columns.columnOf.has(field),
  );
  if (layout === 'csv' && absent.length > 0)
    throw usageError(`There is no column ${absent.map(([, column]) => column).join(', ')}. ${there}`);
  const missing = missingFields(
    kind,
    (field) => columns.columnOf.has(field) || set[field] !== undefined || defaults[field] !== undefined,
  );
  if (missing.length > 0)
    throw usageError(
      `Nothing gives the ${kind} their ${missing.join(', ')}. ${there} Name a column by --map ${missing[0]}=…, or one value for all by --set ${missing[0]}=….`,
    );
}

async function tryOut(
  reading: Reading,
  records: AsyncIterable<SourceRecord>,
  batchRows: number,
): Promise<Done> {
  let done = nothingDone;
  for await (const batch of batches(records, batchRows)) {
    const { refused } = readRows(reading, batch);
    done = {
      ...done,
      rows: done.rows + batch.length,
      refused: done.refused + refused.length,
      reasons: withReasons(done.reasons, refused),
    };
  }
  return done;
}

/** Nothing where it was stopped before its end. */
async function importRecords(
  file: string,
  reading: Reading,
  source: Source,
  records: AsyncIterable<SourceRecord>,
  options: ImportOptions,
): Promise<Done | undefined> {
  const statePath = file === '-' ? undefined : `${file}.import-state.json`;
  const setting = await settingOf(file, reading, options);
  const before = statePath === undefined ? nothingDone : await doneBefore(statePath, setting, options);
  if (statePath === undefined)
    note('From standard input: if this is broken off, it cannot go on later and has to be sent again.');
  if (before.rows > 0) note(`Goes on after row ${amount(before.rows)}, where it was broken off.`);
  else if (file !== '-' && process.stdin.isTTY && process.stderr.isTTY)
    await confirm(`Import ${file}?`, options);

  const client = await connectClient(options, { maxRetries: 8 });
  const rejects = await openRejects(rejectsPath(file, reading.kind, source), source, before.rejects_bytes);
  const left = statePath === undefined ? 'Send all of it again' : 'Give the same command again to go on';
  let reached = before;
  const { done, stopped } = await load(reading, source, records, before, {
    client,
    rejects,
    backfill: options.backfill,
    batchRows: options.batchRows,
    save: async (done) => {
      if (statePath !== undefined) await writeState(statePath, setting, done);
      reached = done;
    },
  })
    .catch((error: unknown) => {
      if (reached.rows > 0) note(`Broken off: the first ${amount(reached.rows)} rows are loaded. ${left}.`);
      throw error;
    })
    .finally(() => rejects.close());
  if (stopped) {
    note(`Stopped: the first ${amount(done.rows)} rows are loaded. ${left}.`);
    process.exitCode = 130;
    return undefined;
  }
  if (statePath !== undefined) await removeState(statePath);
  return done;
}

async function settingOf(file: string, reading: Reading, options: ImportOptions): Promise<Setting> {
  const { columns, ...rest } = reading;
  const { format, encoding, backfill, url, key, dataDir } = options;
  return {
    file: file === '-' ? null : await fingerprint(file),
    mapping: { ...rest, columns: [...columns.columnOf], format, encoding, backfill },
    service: { url, key: shortHash(key ?? dataDir) },
  };
}

async function doneBefore(path: string, setting: Setting, { restart }: ImportOptions): Promise<Done> {
  if (restart) await removeState(path);
  const state = await readState(path);
  if (state === undefined) return nothingDone;
  const again = '--restart begins anew; what is loaded already changes nothing.';
  if (state === 'unreadable') throw new CommandError(`${path} cannot be read. ${again}`);
  const names = {
    file: 'the file',
    mapping: 'the mapping, or another option,',
    service: 'the address of the service or the key',
  };
  const changed = differences(state.setting, setting).map((part) => names[part]);
  if (changed.length > 0)
    throw new CommandError(
      `This import was broken off after row ${amount(state.done.rows)}, and ${changed.join(' and ')} changed since: it cannot go on. ${again}`,
    );
  return state.done;
}

function rejectsPath(file: string, kind: FactKind, { layout }: Source): string {
  return `${file === '-' ? kind : file}.rejected.${layout === 'csv' ? 'csv' : 'ndjson'}`;
}

async function take(records: AsyncIterator<SourceRecord>, count: number): Promise<SourceRecord[]> {
  const taken: SourceRecord[] = [];
  while (taken.length < count) {
    const next = await records.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

async function* concat(
  head: SourceRecord[],
  rest: AsyncIterable<SourceRecord>,
): AsyncGenerator<SourceRecord> {
  yield* head;
  yield* rest;
}
