import { rm } from 'node:fs/promises';
import { mergeValues, toLookup } from '../../../import/choices.ts';
import type { Conventions } from '../../../import/convert.ts';
import { type Loaded, load } from '../../../import/load.ts';
import { ImportError, type ImportErrorCode, type SourceRecord } from '../../../import/record.ts';
import { addReasons } from '../../../import/refusals.ts';
import type { Reading, ReadRow } from '../../../import/rows.ts';
import { concat, type Source } from '../../../import/source.ts';
import {
  createSurvey,
  openQuestions,
  type Survey,
  settle,
  stopping,
  wrongColumn,
} from '../../../import/survey.ts';
import { sharedDomains } from '../../../rules/matching/webmail-domains.ts';
import type { FactKind } from '../../../vocabulary.ts';
import { connectClient } from '../../connection.ts';
import { confirm } from '../../terminal/confirm.ts';
import { CommandError, exitCodes } from '../../terminal/exit-codes.ts';
import { note, writeOne } from '../../terminal/output.ts';
import { createProgress } from '../../terminal/progress.ts';
import { counted, formatNumber } from '../../terminal/values.ts';
import { ask } from './ask.ts';
import { openFile, openRejects, type SourceFile, saveAnswers, spoolInput, valueMapPath } from './files.ts';
import { checkMapping, createReading, type ImportOptions } from './options.ts';
import { notTheColumn, undecided, withFlags } from './questions.ts';
import { planLines, resultLines } from './report.ts';
import { type Done, interrupted, nothingDone, type Setting, settingOf, writeState } from './state.ts';

/** Imports a file; a file that cannot be read ends the command with what to do about it. */
export async function runImport(kind: FactKind, file: string, options: ImportOptions): Promise<void> {
  await importFile(kind, file, options).catch((error: unknown) => {
    throw error instanceof ImportError
      ? new CommandError([error.message, advice[error.code]].filter(Boolean).join(' '))
      : error;
  });
}

const advice: Partial<Record<ImportErrorCode, string>> = {
  spreadsheet: 'Save it as CSV (UTF-8) first.',
  not_utf8: 'If it is UTF-16, use --encoding utf-16le; otherwise export it as CSV (UTF-8).',
  wrong_encoding: 'Export it as UTF-8, or name its encoding; Excel often writes --encoding windows-1252.',
  unclosed_quote: 'Fix it and run the command again with --restart.',
  array_too_long: "Convert it to one object per line first: jq -c '.[]' file.json > file.ndjson",
};

/** Rows to look at for columns; JSON rows can leave out empty ones. */
const headRows = 100;

/**
 * Reads a file twice: first completely, to settle everything before any row is sent, then in batches. An interrupted
 * import continues with what was settled then and skips the first pass.
 */
async function importFile(kind: FactKind, file: string, options: ImportOptions): Promise<void> {
  const reading = await createReading(kind, file, options);
  const path = file === '-' ? await spoolInput() : file;
  const source = await openFile(kind, path, file, options);
  const head = await take(source.records, headRows);
  for (const columns of [source.columns, ...head.map(({ cells }) => Object.keys(cells))])
    reading.columns.see(columns);
  if (head.length > 0) checkMapping(reading, source);

  const setting = await settingOf(file, reading, options);
  const statePath = file === '-' || options.dryRun ? undefined : `${file}.import-state.json`;
  const before = statePath && (await interrupted(statePath, setting, options));
  const records = concat(head, source.records);
  let done: Done | undefined;
  if (before) {
    note(
      `Continuing after row ${formatNumber(before.done.rows)}, with the answers from then. Use --restart to start over.`,
    );
    done = await send(file, { ...reading, conventions: before.conventions }, source, records, {
      options,
      statePath,
      setting,
      before: before.done,
    });
  } else {
    const survey = await surveyOf(reading, source, records);
    const conventions = await decide(reading, survey, head, file, options);
    const decided = { ...reading, conventions };
    const again = await openFile(kind, path, file, options);
    done = options.dryRun
      ? await tryOut(decided, again.records, options.batchRows)
      : await send(file, decided, again, again.records, { options, statePath, setting, before: nothingDone });
  }
  if (!done) return;
  const { rejects_bytes, ...result } = done;
  await writeOne(result, options, () => resultLines(result, options).join('\n'));
  if (done.refused === 0) return;
  process.exitCode = exitCodes.rowsRefused;
  if (!options.dryRun)
    note(`The refused rows are in ${rejectsPath(file, kind, source)}. Fix them and import that file.`);
}

/** Small files need no progress line. */
const quietMs = 1_000;

/** As loaded: a host name, a URL or an e-mail address. */
function isShared(domain: string): boolean {
  return sharedDomains.has(
    domain
      .toLowerCase()
      .replace(/^.*@|^https?:\/\/|\/.*$/g, '')
      .replace(/^www\./, ''),
  );
}

async function surveyOf(
  reading: Reading,
  source: SourceFile,
  records: AsyncIterable<SourceRecord>,
): Promise<Survey> {
  const { survey, see } = createSurvey(reading, new Date().toISOString().slice(0, 10), isShared);
  const startedAt = performance.now();
  let progress: ReturnType<typeof createProgress> | undefined;
  for await (const record of records) {
    see(record);
    if (survey.rows % 1_000 !== 0) continue;
    if (!progress && performance.now() - startedAt > quietMs)
      progress = createProgress('Checking the file', undefined, {
        done: survey.rows,
        share: source.share(),
      });
    progress?.update(survey.rows, source.share());
  }
  progress?.finish(survey.rows, source.share());
  return survey;
}

/** Shows the plan, and asks about what the file leaves open or stops before anything is sent. */
async function decide(
  reading: Reading,
  survey: Survey,
  head: SourceRecord[],
  file: string,
  options: ImportOptions,
): Promise<Conventions> {
  const conventions = settle(reading.conventions, survey);
  if (head.length === 0) return conventions;
  const settled = { ...reading, conventions };
  const first = head.find(({ problem }) => problem === undefined);
  note(planLines(settled, survey, first).join('\n'));
  const wrong = options.refuseUnknown ? undefined : wrongColumn(settled, survey);
  if (wrong) throw notTheColumn(wrong);
  const questions = openQuestions(settled, survey, options.refuseUnknown);
  if (!canAsk(file, options)) {
    const open = stopping(questions);
    if (open.length > 0) throw undecided(open);
    return conventions;
  }
  const { values, ...answers } = questions.length > 0 ? await ask(questions) : { values: {} };
  if (Object.keys(values).length > 0) {
    const path = valueMapPath(file, options.valueMap);
    await saveAnswers(path, values);
    note(`\nSaved in ${path} for the next import. Edit or delete that file to be asked again.`);
  }
  await confirm(`Import ${counted(survey.rows, 'row')} from ${file}?`, options);
  return { ...conventions, ...answers, values: mergeValues(conventions.values, toLookup(values)) };
}

function canAsk(file: string, { yes, dryRun }: ImportOptions): boolean {
  return !yes && !dryRun && file !== '-' && process.stdin.isTTY && process.stderr.isTTY;
}

async function tryOut(
  reading: Reading,
  records: AsyncIterable<SourceRecord>,
  batchRows: number,
): Promise<Done> {
  let done = nothingDone;
  for await (const batch of load(reading, records, { batchRows })) done = withBatch(done, explained(batch));
  return done;
}

function explained(batch: Loaded): Loaded {
  return { ...batch, refused: batch.refused.map(withFlags) };
}

function withBatch(done: Done, batch: Loaded, rejects_bytes = 0): Done {
  return {
    rows: done.rows + batch.rows,
    created: done.created + batch.created,
    updated: done.updated + batch.updated,
    unchanged: done.unchanged + batch.unchanged,
    refused: done.refused + batch.refused.length,
    reasons: addReasons(done.reasons, batch.refused),
    rejects_bytes,
  };
}

type Sending = {
  options: ImportOptions;
  setting: Setting;
  before: Done;
  /** Absent for standard input, which cannot be continued. */
  statePath: string | undefined;
};

/**
 * Undefined if it was stopped before the end. The service commits a batch, then its refused rows are saved, then it
 * counts as done. If the process is killed in between, the batch is sent again, which changes nothing.
 */
async function send(
  file: string,
  reading: Reading,
  source: SourceFile,
  records: AsyncIterable<SourceRecord>,
  { options, setting, before, statePath }: Sending,
): Promise<Done | undefined> {
  const { backfill, batchRows } = options;
  const left =
    statePath === undefined ? 'Run it again from the start' : 'Run the same command again to continue';
  if (statePath === undefined)
    note('An import from standard input cannot be continued later; from a file it can.');
  const client = await connectClient(options, 8);
  const rejects = await openRejects(rejectsPath(file, reading.kind, source), source, before.rejects_bytes);
  const interrupt = watchInterrupts();
  let done = before;
  let progress: ReturnType<typeof createProgress> | undefined;
  const sendRows = (rows: ReadRow['row'][]) => {
    progress ??= createProgress(reading.kind, undefined, {
      done: before.rows,
      share: before.rows === 0 ? 0 : source.share(),
    });
    return client.load(reading.kind, rows as never[], { backfill, batchRows });
  };
  try {
    for await (const loaded of load(reading, records, { batchRows, skip: before.rows, send: sendRows })) {
      const batch = explained(loaded);
      if (done.rows === 0 && batch.valid === 0 && batch.rows === batchRows) throw noneValid(batch);
      const next = withBatch(done, batch, await rejects.add(batch.refused));
      if (statePath !== undefined)
        await writeState(statePath, { setting, conventions: reading.conventions, done: next });
      done = next;
      progress?.update(done.rows, source.share());
      if (interrupt.seen()) break;
    }
  } catch (error) {
    progress?.finish(done.rows, source.share());
    if (done.rows > 0) note(`Interrupted: the first ${formatNumber(done.rows)} rows are loaded. ${left}.`);
    throw error;
  } finally {
    interrupt.forget();
    await rejects.close();
  }
  progress?.finish(done.rows, source.share());
  if (interrupt.seen()) {
    note(`Stopped: the first ${formatNumber(done.rows)} rows are loaded. ${left}.`);
    process.exitCode = 130;
    return undefined;
  }
  if (statePath !== undefined) await rm(statePath, { force: true });
  return done;
}

function noneValid({ rows, refused }: Loaded): CommandError {
  const reasons = addReasons([], refused).map(({ field, message }) => `${field} ${message}`);
  return new CommandError(
    `Nothing was sent, because none of the first ${formatNumber(rows)} rows can be imported: ${reasons.slice(0, 5).join('; ')}.`,
  );
}

/** The first Ctrl-C finishes the current batch; the second stops immediately. */
function watchInterrupts() {
  let seen = false;
  const onSignal = () => {
    if (seen) process.exit(130);
    seen = true;
    note('\nFinishing the current batch. Press Ctrl-C again to stop now.');
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    seen: () => seen,
    forget: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
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
