import { usageError } from '../cli/terminal/exit-codes.ts';
import { readCsv } from './csv.ts';
import { readJson } from './json.ts';
import type { SourceRecord } from './record.ts';
import { openText, type SourceText } from './text.ts';

export type Format = 'csv' | 'ndjson' | 'json';

export type Source = Pick<SourceText, 'byteOrderMark' | 'share'> & {
  layout: 'csv' | 'json';
  /** The header of a CSV file; JSON fields show up row by row. */
  columns: string[];
  delimiter: string;
  records: AsyncGenerator<SourceRecord>;
};

/** Opens a file and reads its header. `name` is what the person typed: `-` for standard input. */
export async function openSource(
  path: string,
  { format, encoding }: { format?: Format | undefined; encoding?: string | undefined },
  name = path,
): Promise<Source> {
  const wanted = format ?? formatOf(name);
  const text = await openText(path, encoding, name === '-' ? 'Standard input' : name);
  const { byteOrderMark, share } = text;
  if (wanted === 'csv') return { layout: 'csv', byteOrderMark, share, ...(await readCsv(text)) };
  return { layout: 'json', byteOrderMark, share, columns: [], delimiter: '', records: readJson(text) };
}

function formatOf(file: string): Format {
  if (/\.(csv|tsv|txt)$/i.test(file)) return 'csv';
  if (/\.(ndjson|jsonl|json)$/i.test(file)) return 'ndjson';
  throw usageError(
    `Cannot tell the format of ${file === '-' ? 'standard input' : file}. Add --format csv or --format ndjson.`,
  );
}
