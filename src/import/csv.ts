import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { CommandError } from '../cli/terminal/exit-codes.ts';
import { restored } from '../contract/csv-text.ts';
import type { SourceRecord } from './record.ts';
import type { SourceText } from './text.ts';

type CsvRow = { line: number; cells: string[] };

/** Longer than any CRM row: a longer record means an unclosed quotation mark. */
const maxRecordCharacters = 1024 * 1024;

/** Reads the header; records follow one by one. */
export async function readCsv(
  text: SourceText,
): Promise<{ columns: string[]; delimiter: string; records: AsyncGenerator<SourceRecord> }> {
  const delimiter = delimiterOf(text.head);
  const rows = rowsOf(text, delimiter);
  const { value: header } = await rows.next();
  if (!header) throw new CommandError(`${text.name} is empty.`);
  const columns = distinct(header.cells);
  return { columns, delimiter, records: named(columns, rows) };
}

/** The one that occurs most often in the first line, outside quotes. */
function delimiterOf(text: string): string {
  const counts: Record<string, number> = { ',': 0, ';': 0, '\t': 0 };
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '\n') break;
    else if (counts[character] !== undefined) counts[character]++;
  }
  return Object.entries(counts).reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];
}

async function* rowsOf({ name, chunks }: SourceText, delimiter: string): AsyncGenerator<CsvRow, undefined> {
  let line = 1;
  const parser = parse({
    delimiter,
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: maxRecordCharacters,
    // Lines are counted while parsing, because an error can overtake records that are not read yet. The parser's own
    // count is wrong for quoted Windows line ends, and its types only know records of text.
    on_record: ((cells: string[]): CsvRow | null => {
      const row = { line, cells: cells.map(restored) };
      line += 1 + cells.reduce((sum, cell) => sum + newlines(cell), 0);
      return cells.length > 1 || cells[0]?.trim() !== '' ? row : null;
    }) as never,
  });
  // A failure destroys the parser with its error, which the loop below throws.
  pipeline(Readable.from(chunks), parser, () => {});
  try {
    for await (const row of parser as AsyncIterable<CsvRow>) yield row;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CommandError(
      ['CSV_QUOTE_NOT_CLOSED', 'CSV_MAX_RECORD_SIZE'].includes(error.code)
        ? `${name}, in the row that starts in line ${line}: a quotation mark is opened and never closed. Fix it and run the command again with --restart.`
        : `${name}, line ${line}: ${error.message}`,
    );
  }
}

function newlines(cell: string): number {
  let count = 0;
  for (let at = cell.indexOf('\n'); at !== -1; at = cell.indexOf('\n', at + 1)) count++;
  return count;
}

function distinct(header: string[]): string[] {
  const seen = new Map<string, number>();
  return header.map((cell, index) => {
    const name = cell.trim() || `column ${index + 1}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

/** Single-cell lines at the end of a report are its footer; anywhere else they are broken rows. */
async function* named(columns: string[], rows: AsyncGenerator<CsvRow>): AsyncGenerator<SourceRecord> {
  let held: SourceRecord[] = [];
  for await (const { line, cells } of rows) {
    if (cells.length >= columns.length && cells.slice(columns.length).every((cell) => cell === '')) {
      yield* held;
      held = [];
      const named: Record<string, unknown> = {};
      for (const [index, column] of columns.entries()) named[column] = cells[index];
      yield { line, cells: named, source: cells };
      continue;
    }
    held.push({
      line,
      cells: {},
      source: cells,
      problem: `has ${cells.length} columns where the header has ${columns.length}`,
    });
    if (cells.length > 1 || held.length > 20) {
      yield* held;
      held = [];
    }
  }
  const isFooter = held.some(({ source }) => /^Copyright \(c\).*salesforce/i.test(String(source)));
  if (!isFooter) yield* held;
}
