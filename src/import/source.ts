import type { FactKind } from '../vocabulary.ts';
import { readCsv } from './csv.ts';
import { ImportError, type SourceRecord, type SourceText } from './record.ts';

export type Format = 'csv' | 'ndjson' | 'json';

export type Source = Pick<SourceText, 'byteOrderMark'> & {
  layout: 'csv' | 'json';
  /** The header of a CSV file; JSON fields show up row by row. */
  columns: string[];
  delimiter: string;
  records: AsyncGenerator<SourceRecord>;
};

/** Detects the encoding and reads the header; records follow one by one. `name` is for messages. */
export async function openSource(
  kind: FactKind,
  bytes: AsyncIterable<Uint8Array>,
  { format, encoding, name }: { format: Format; encoding?: string | undefined; name: string },
): Promise<Source> {
  const text = await openText(bytes, encoding, name);
  const { byteOrderMark } = text;
  if (format !== 'csv')
    return { layout: 'json', byteOrderMark, columns: [], delimiter: '', records: readJson(text) };
  const source: Source = { layout: 'csv', byteOrderMark, ...(await readCsv(text)) };
  return kind === 'exchange_rates' ? oneRateEach(source) : source;
}

/** The format that the name of a file shows. */
export function formatOf(file: string): Format | undefined {
  if (/\.(csv|tsv|txt)$/i.test(file)) return 'csv';
  return /\.(ndjson|jsonl|json)$/i.test(file) ? 'ndjson' : undefined;
}

export async function* concat<T>(head: T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* head;
  yield* rest;
}

const headBytes = 64 * 1024;

async function openText(
  bytes: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
  name: string,
): Promise<SourceText> {
  const chunks = bytes[Symbol.asyncIterator]();
  const start = await readHead(chunks);
  const mark = byteOrderMark(start);
  const text = decode(name, start, chunks, encoding ?? mark ?? guessUtf8(name, start));
  const { value: head = '' } = await text.next();
  return { name, head, chunks: concat([head], text), byteOrderMark: mark !== undefined };
}

async function readHead(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head = new Uint8Array();
  while (head.length < headBytes) {
    const { done, value } = await chunks.next();
    if (done) break;
    const longer = new Uint8Array(head.length + value.length);
    longer.set(head);
    longer.set(value, head.length);
    head = longer;
  }
  return head;
}

function byteOrderMark(head: Uint8Array): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 'utf-8' : undefined;
}

function guessUtf8(name: string, head: Uint8Array): string {
  if (String.fromCharCode(...head.subarray(0, 4)) === 'PK\x03\x04')
    throw new ImportError('spreadsheet', `${name} is a spreadsheet or an archive.`);
  if (head.includes(0)) throw new ImportError('not_utf8', `${name} is not UTF-8 text.`);
  return 'utf-8';
}

async function* decode(
  name: string,
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  encoding: string,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const text = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new ImportError('wrong_encoding', `${name} is not valid ${encoding.toUpperCase()}.`);
    }
  };
  try {
    yield text(head);
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield text(next.value);
    yield text();
  } finally {
    await rest.return?.();
  }
}

const maxLineCharacters = 1024 * 1024;
/** An array has to be read completely before its first element can be used. */
const maxArrayCharacters = 100_000_000;

/** JSON lines, or one JSON array. */
function readJson(text: SourceText): AsyncGenerator<SourceRecord> {
  return text.head.trimStart().startsWith('[') ? elementsOf(text) : linesOf(text);
}

async function* linesOf({ name, chunks }: SourceText): AsyncGenerator<SourceRecord> {
  let line = 0;
  let open = '';
  for await (const text of chunks) {
    const lines = (open + text).split('\n');
    open = lines.pop() ?? '';
    if (open.length > maxLineCharacters)
      throw new ImportError(
        'line_too_long',
        `${name}, line ${line + lines.length + 1}: the line is longer than 1 MiB.`,
      );
    for (const text of lines) {
      line++;
      if (text.trim() !== '') yield fromJson(line, text);
    }
  }
  if (open.trim() !== '') yield fromJson(line + 1, open);
}

async function* elementsOf({ name, chunks }: SourceText): AsyncGenerator<SourceRecord> {
  let text = '';
  for await (const part of chunks) {
    text += part;
    if (text.length > maxArrayCharacters)
      throw new ImportError('array_too_long', `${name} is a JSON array of more than 100 million characters.`);
  }
  let values: unknown[];
  try {
    values = JSON.parse(text) as unknown[];
  } catch (error) {
    throw new ImportError('invalid_json', `${name} is not valid JSON: ${(error as Error).message}`);
  }
  for (const [index, value] of values.entries()) yield fromValue(index + 1, value);
}

function fromJson(line: number, text: string): SourceRecord {
  try {
    return fromValue(line, JSON.parse(text));
  } catch {
    return { line, cells: {}, source: text.trim(), problem: 'is not valid JSON' };
  }
}

function fromValue(line: number, value: unknown): SourceRecord {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { line, cells: value as Record<string, unknown>, source: value };
  return { line, cells: {}, source: JSON.stringify(value), problem: 'is not a JSON object' };
}

const rateColumns = ['date', 'base', 'quote', 'rate'];

/**
 * The European Central Bank publishes its reference rates with a line for each day and a column for each currency, as
 * what one euro is worth in it; `N/A` where it has none. Other files stay as they are.
 */
function oneRateEach(source: Source): Source {
  const [first, ...others] = source.columns;
  const currencies = others.filter((column) => /^[A-Z]{3}$/.test(column));
  // The lines of the bank end with a comma.
  const isTable = currencies.length > 0 && others.every((column) => /^([A-Z]{3}|column \d+)$/.test(column));
  if (first !== 'Date' || !isTable) return source;
  return { ...source, columns: rateColumns, records: unfolded(source.records, currencies) };
}

async function* unfolded(
  records: AsyncGenerator<SourceRecord>,
  currencies: string[],
): AsyncGenerator<SourceRecord> {
  for await (const record of records) {
    const { line, cells, problem } = record;
    if (problem !== undefined) yield record;
    else
      for (const quote of currencies) {
        const rate = String(cells[quote] ?? '').trim();
        if (rate === '' || rate === 'N/A') continue;
        const date = String(cells.Date);
        yield { line, cells: { date, base: 'EUR', quote, rate }, source: [date, 'EUR', quote, rate] };
      }
  }
}
