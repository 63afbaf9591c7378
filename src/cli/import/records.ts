import { usageError } from '../exit-codes.ts';
import { readCsv } from './csv.ts';
import { readJson } from './json.ts';
import type { SourceRecord } from './record.ts';
import { openText, type SourceText } from './text.ts';

export type Format = 'csv' | 'ndjson' | 'json';

export type Source = Pick<SourceText, 'byteOrderMark' | 'share'> & {
  layout: 'csv' | 'json';
  /** Of a CSV file its header; the fields of JSON show themselves row by row. */
  columns: string[];
  delimiter: string;
  records: AsyncGenerator<SourceRecord>;
};

/** Opens a file, or standard input for `-`, and reads as far as its header. */
export async function openSource(
  file: string,
  { format, encoding }: { format?: Format | undefined; encoding?: string | undefined },
): Promise<Source> {
  const wanted = format ?? formatOf(file);
  const text = await openText(file, encoding);
  const { byteOrderMark, share } = text;
  if (wanted === 'csv') return { layout: 'csv', byteOrderMark, share, ...(await readCsv(text)) };
  return { layout: 'json', byteOrderMark, share, columns: [], delimiter: '', records: readJson(text) };
}

function formatOf(file: string): Format {
  if (/\.(csv|tsv|txt)$/i.test(file)) return 'csv';
  if (/\.(ndjson|jsonl|json)$/i.test(file)) return 'ndjson';
  throw usageError(
    `Say what ${file === '-' ? 'standard input' : file} holds: --format csv or --format ndjson.`,
  );
}
