import type { Readable } from 'node:stream';
import { ApiError } from '../../contract/error.ts';
import { bodyLimits, type FactKind } from '../../vocabulary.ts';
import { nextCpuSlice } from './cpu-slice.ts';
import { CheckedRows } from './ingest-rows.ts';
import { readArray } from './json-rows.ts';
import { readLines } from './ndjson.ts';

export const ndjson = 'application/x-ndjson';

/** The most lines and bytes of a stream that are committed together. */
export const chunkLines = 1_000;
const chunkBytes = 2 * 1024 * 1024;

/** The rows of a JSON array, checked. */
export async function readBatch<K extends FactKind>(
  kind: K,
  form: 'full' | 'merge',
  body: Buffer,
): Promise<CheckedRows<K>> {
  const rows = new CheckedRows(kind, form);
  let slice = await nextCpuSlice();
  for (const line of readArray(body)) {
    if (rows.received === bodyLimits.rows) {
      throw new ApiError(
        'payload_too_large',
        `A request can contain at most ${bodyLimits.rows} rows. To send more, stream them as ${ndjson}.`,
      );
    }
    rows.add(line);
    if (slice.isOver()) slice = await nextCpuSlice();
  }
  return rows;
}

/** The rows of a stream of lines, checked, a chunk at a time. */
export async function* readChunks<K extends FactKind>(
  kind: K,
  form: 'full' | 'merge',
  stream: Readable,
): AsyncGenerator<CheckedRows<K>> {
  let chunk = new CheckedRows(kind, form);
  let bytes = 0;
  let slice = await nextCpuSlice();
  for await (const line of readLines(stream)) {
    chunk.add(line);
    bytes += line.bytes;
    if (chunk.received === chunkLines || bytes >= chunkBytes) {
      yield chunk;
      chunk = new CheckedRows(kind, form);
      bytes = 0;
    }
    if (slice.isOver()) slice = await nextCpuSlice();
  }
  if (chunk.received > 0) yield chunk;
}
