import { type CallOptions, type ClientOptions, send } from './send.ts';
import type { FactInput, FactKind, FactMerge, IngestResult, One } from './types.ts';

export type LoadOptions = CallOptions & {
  /** For an initial load: events are logged but not delivered. */
  backfill?: boolean | undefined;
  /** Rows that are sent and committed together; 1,000 by default, 10,000 at most. */
  batchRows?: number | undefined;
  /** Called after each batch with its own result; `errors` count from the first row of the whole load. */
  onBatch?: ((result: IngestResult, loaded: IngestResult) => void | Promise<void>) | undefined;
};

/** The service accepts 16 MiB per request; rows that are not ASCII have more bytes than characters. */
const batchCharacters = 4 * 1024 * 1024;

/**
 * Loads any number of rows, one batch after the other. Each batch is one transaction, and is retried safely if the
 * connection fails. Loading the same rows again changes nothing.
 */
export async function load<K extends FactKind>(
  client: ClientOptions,
  kind: K,
  rows: Iterable<FactInput<K> | FactMerge<K>> | AsyncIterable<FactInput<K> | FactMerge<K>>,
  { backfill, batchRows = 1_000, onBatch, signal }: LoadOptions = {},
  merge?: boolean,
): Promise<IngestResult> {
  const total: IngestResult = {
    received: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    errors: [],
  };
  let batch: (FactInput<K> | FactMerge<K>)[] = [];
  let characters = 0;

  async function flush(): Promise<void> {
    const { body } = await send<One<IngestResult>>(
      client,
      { method: 'POST', path: `/ingest/v1/${kind}`, query: { backfill, merge }, body: batch },
      { signal },
    );
    const result = {
      ...body.data,
      errors: body.data.errors.map((error) => ({ ...error, index: error.index + total.received })),
    };
    batch = [];
    characters = 0;
    for (const name of ['received', 'created', 'updated', 'unchanged', 'rejected'] as const)
      total[name] += result[name];
    total.errors.push(...result.errors);
    await onBatch?.(result, total);
  }

  for await (const row of rows) {
    const size = JSON.stringify(row).length;
    if (batch.length > 0 && characters + size > batchCharacters) await flush();
    batch.push(row);
    characters += size;
    if (batch.length >= batchRows) await flush();
  }
  if (batch.length > 0) await flush();
  return total;
}
