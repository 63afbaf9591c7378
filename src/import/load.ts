import type { SourceRecord } from './record.ts';
import { type Reading, type ReadRow, type Refusal, readRows, splitByErrors } from './rows.ts';

type Counts = { created: number; updated: number; unchanged: number };
/** What the service returns for a batch; `index` counts its rows from 0. */
type Result = Counts & { errors: { index: number; field: string; message: string }[] };

/** What became of a batch of records. */
export type Loaded = Counts & {
  rows: number;
  /** Rows that were sent; without `send`, rows that could be sent. */
  valid: number;
  refused: Refusal[];
};

/**
 * Converts records and sends them in batches, after the first `skip`. Yields when a batch is committed, and reads the
 * next one only when the caller asks for it. Sending a batch again changes nothing. Without `send`, it only checks.
 */
export async function* load(
  reading: Reading,
  records: AsyncIterable<SourceRecord>,
  options: {
    batchRows: number;
    skip?: number;
    send?: (rows: ReadRow['row'][]) => Promise<Result>;
  },
): AsyncGenerator<Loaded> {
  for await (const batch of batches(skipped(reading, records, options.skip ?? 0), options.batchRows)) {
    const { good, refused } = readRows(reading, batch);
    const result = await options.send?.(good.map(({ row }) => row));
    yield {
      rows: batch.length,
      valid: good.length,
      created: result?.created ?? 0,
      updated: result?.updated ?? 0,
      unchanged: result?.unchanged ?? 0,
      refused: [...refused, ...splitByErrors(good, result?.errors ?? []).refused].sort(
        (a, b) => a.record.line - b.record.line,
      ),
    };
  }
}

async function* batches(records: AsyncIterable<SourceRecord>, size: number): AsyncGenerator<SourceRecord[]> {
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
async function* skipped(
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
