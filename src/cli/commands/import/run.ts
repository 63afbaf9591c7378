import type { Conventions } from '../../../import/convert.ts';
import { oneRateEach } from '../../../import/rates.ts';
import type { SourceRecord } from '../../../import/record.ts';
import { openSource, type Source } from '../../../import/records.ts';
import { type Reading, readRows } from '../../../import/rows.ts';
import { createSurvey, type Survey } from '../../../import/survey.ts';
import { concat } from '../../../import/text.ts';
import type { FactKind } from '../../../vocabulary.ts';
import { connectClient } from '../../connection.ts';
import { confirm } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { note, writeOne } from '../../terminal/output.ts';
import { createProgress } from '../../terminal/progress.ts';
import { formatNumber } from '../../terminal/values.ts';
import { ask } from './ask.ts';
import { batches, load } from './load.ts';
import type { ImportOptions } from './options.ts';
import { planLines } from './plan.ts';
import { openQuestions, settle, stopping, undecided } from './questions.ts';
import { checkMapping, createReading } from './reading.ts';
import { openRejects } from './rejects.ts';
import { resultLines, withReasons } from './report.ts';
import { interrupted, settingOf } from './resume.ts';
import { spoolInput } from './spool.ts';
import { type Done, nothingDone, removeState, type Setting, writeState } from './state.ts';
import { mergeValues, saveAnswers, toLookup, valueMapPath } from './value-map.ts';

/** Rows to look at for columns; JSON rows can leave out empty ones. */
const headRows = 100;

/**
 * Reads a file twice: first completely, to settle everything before any row is sent, then in batches. An interrupted
 * import continues with what was settled then and skips the first pass.
 */
export async function runImport(kind: FactKind, file: string, options: ImportOptions): Promise<void> {
  const reading = await createReading(kind, file, options);
  const path = file === '-' ? await spoolInput() : file;
  const openRows: typeof openSource = async (...args) => {
    const source = await openSource(...args);
    return kind === 'exchange_rates' ? oneRateEach(source) : source;
  };
  const source = await openRows(path, options, file);
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
    const again = await openRows(path, options, file);
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

async function surveyOf(
  reading: Reading,
  source: Source,
  records: AsyncIterable<SourceRecord>,
): Promise<Survey> {
  const { survey, see } = createSurvey(reading, new Date().toISOString().slice(0, 10));
  const startedAt = performance.now();
  let progress: ReturnType<typeof createProgress> | undefined;
  for await (const record of records) {
    see(record);
    if (survey.rows % 1_000 !== 0) continue;
    if (!progress && performance.now() - startedAt > quietMs)
      progress = createProgress(process.stderr, 'Checking the file', undefined, {
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
  await confirm(`Import ${formatNumber(survey.rows)} rows from ${file}?`, options);
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

type Sending = {
  options: ImportOptions;
  setting: Setting;
  before: Done;
  /** Absent for standard input, which cannot be continued. */
  statePath: string | undefined;
};

/** Undefined if it was stopped before the end. */
async function send(
  file: string,
  reading: Reading,
  source: Source,
  records: AsyncIterable<SourceRecord>,
  { options, setting, before, statePath }: Sending,
): Promise<Done | undefined> {
  const left =
    statePath === undefined ? 'Run it again from the start' : 'Run the same command again to continue';
  if (statePath === undefined)
    note('An import from standard input cannot be continued later; from a file it can.');
  const client = await connectClient(options, { maxRetries: 8 });
  const rejects = await openRejects(rejectsPath(file, reading.kind, source), source, before.rejects_bytes);
  let reached = before;
  const { done, stopped } = await load(reading, source, records, before, {
    client,
    rejects,
    backfill: options.backfill,
    batchRows: options.batchRows,
    save: async (done) => {
      if (statePath !== undefined)
        await writeState(statePath, { setting, conventions: reading.conventions, done });
      reached = done;
    },
  })
    .catch((error: unknown) => {
      if (reached.rows > 0)
        note(`Interrupted: the first ${formatNumber(reached.rows)} rows are loaded. ${left}.`);
      throw error;
    })
    .finally(() => rejects.close());
  if (stopped) {
    note(`Stopped: the first ${formatNumber(done.rows)} rows are loaded. ${left}.`);
    process.exitCode = 130;
    return undefined;
  }
  if (statePath !== undefined) await removeState(statePath);
  return done;
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
