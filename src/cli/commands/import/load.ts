import type { Client } from '../../../client/client.ts';
import type { SourceRecord } from '../../../import/record.ts';
import type { Source } from '../../../import/records.ts';
import { type Reading, readRows, splitByErrors } from '../../../import/rows.ts';
import { CommandError } from '../../terminal/exit-codes.ts';
import { note } from '../../terminal/output.ts';
import { createProgress } from '../../terminal/progress.ts';
import { formatNumber } from '../../terminal/values.ts';
import type { Rejects } from './rejects.ts';
import { withReasons } from './report.ts';
import type { Done } from './state.ts';

export type LoadContext = {
  client: Client;
  rejects: Rejects;
  backfill: boolean | undefined;
  batchRows: number;
  save(done: Done): Promise<void>;
};

/**
 * Sends the remaining rows in batches. The service commits a batch, then its refused rows are saved, then it counts as
 * done. If the process is killed in between, the batch is sent again, which changes nothing.
 */
export async function load(
  reading: Reading,
  source: Source,
  records: AsyncIterable<SourceRecord>,
  before: Done,
  context: LoadContext,
): Promise<{ done: Done; stopped: boolean }> {
  const interrupted = watchInterrupts();
  let done = before;
  let progress: ReturnType<typeof createProgress> | undefined;
  try {
    for await (const batch of batches(skip(reading, records, before.rows), context.batchRows)) {
      progress ??= createProgress(process.stderr, reading.kind, undefined, {
        done: before.rows,
        share: before.rows === 0 ? 0 : source.share(),
      });
      done = await loadBatch(reading, batch, done, context);
      await context.save(done);
      progress.update(done.rows, source.share());
      if (interrupted.yes) return { done, stopped: true };
    }
  } finally {
    progress?.finish(done.rows, source.share());
    interrupted.forget();
  }
  return { done, stopped: false };
}

export async function* batches(
  records: AsyncIterable<SourceRecord>,
  size: number,
): AsyncGenerator<SourceRecord[]> {
  let batch: SourceRecord[] = [];
  for await (const record of records) {
    batch.push(record);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Reading a file again up to a row takes a fraction of the time it took to load it. */
async function* skip(
  { columns }: Reading,
  records: AsyncIterable<SourceRecord>,
  count: number,
): AsyncGenerator<SourceRecord> {
  let left = count;
  for await (const record of records) {
    if (left === 0) {
      yield record;
    } else {
      // The columns it introduced also apply to later rows.
      columns.see(Object.keys(record.cells));
      left--;
    }
  }
}

async function loadBatch(
  reading: Reading,
  batch: SourceRecord[],
  done: Done,
  { client, rejects, backfill, batchRows }: LoadContext,
): Promise<Done> {
  const { good, refused } = readRows(reading, batch);
  if (good.length === 0 && done.rows === 0 && batch.length === batchRows) {
    const reasons = withReasons([], refused).map(({ field, message }) => `${field} ${message}`);
    throw new CommandError(
      `Nothing was sent, because none of the first ${formatNumber(batch.length)} rows can be imported: ${reasons.slice(0, 5).join('; ')}.`,
    );
  }
  const result = await client.load(
    reading.kind,
    good.map(({ row }) => row as never),
    { backfill, batchRows },
  );
  const all = [...refused, ...splitByErrors(good, result.errors).refused].sort(
    (a, b) => a.record.line - b.record.line,
  );
  return {
    rows: done.rows + batch.length,
    created: done.created + result.created,
    updated: done.updated + result.updated,
    unchanged: done.unchanged + result.unchanged,
    refused: done.refused + all.length,
    reasons: withReasons(done.reasons, all),
    rejects_bytes: await rejects.add(all),
  };
}

/** The first Ctrl-C finishes the current batch; the second stops immediately. */
function watchInterrupts() {
  const interrupted = { yes: false, forget: () => {} };
  const onSignal = () => {
    if (interrupted.yes) process.exit(130);
    interrupted.yes = true;
    note('\nFinishing the current batch. Press Ctrl-C again to stop now.');
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  interrupted.forget = () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
  return interrupted;
}
