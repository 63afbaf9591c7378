import { restored } from '../contract/values/csv-text.ts';
import { ImportError, type SourceRecord, type SourceText } from './record.ts';

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
  if (!header) throw new ImportError('empty', `${text.name} is empty.`);
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
  const parser = createCsvParser(delimiter);
  let line = 1;
  function* complete(chunk: string, isLast: boolean): Generator<CsvRow> {
    for (const cells of parser.parse(chunk, isLast)) {
      if (cells.length > 1 || cells[0]?.trim() !== '') yield { line, cells: cells.map(restored) };
      line += cells.join('').split('\n').length;
    }
    if (parser.unread() > (isLast ? 0 : maxRecordCharacters))
      throw new ImportError(
        'unclosed_quote',
        `${name}, in the row that starts in line ${line}: a quotation mark is opened and never closed.`,
      );
  }
  for await (const chunk of chunks) yield* complete(chunk, false);
  yield* complete('', true);
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

/**
 * Parses text that arrives in chunks and keeps no more than one incomplete record. The first line end decides which one
 * the file uses. A quotation mark counts only at the beginning of a cell; a cell such as `"a" b` is taken as written.
 */
export function createCsvParser(delimiter: string) {
  /** Begins with the first incomplete record. */
  let text = '';
  let isLast = false;
  let lineEnd: string | undefined;
  let cellEnd = new RegExp(`${delimiter}|\r\n?|\n`, 'g');

  function* parse(chunk: string, last: boolean): Generator<string[]> {
    text += chunk;
    isLast = last;
    let start = 0;
    while (start < text.length) {
      const record = recordAt(start);
      if (!record) break;
      yield record.cells;
      start = record.end;
    }
    text = text.slice(start);
  }

  function recordAt(start: number): { cells: string[]; end: number } | undefined {
    const cells: string[] = [];
    for (let at = start; ; ) {
      const cell = text[at] === '"' ? quotedCell(at) : plainCell(at);
      if (!cell) return undefined;
      cells.push(cell.text);
      if (cell.end === text.length) return { cells, end: cell.end };
      if (text[cell.end] !== delimiter) return { cells, end: cell.end + (lineEnd as string).length };
      at = cell.end + 1;
    }
  }

  function plainCell(at: number): Cell | undefined {
    const end = endOfCell(at);
    return end === undefined ? undefined : { text: text.slice(at, end), end };
  }

  function quotedCell(at: number): Cell | undefined {
    let content = '';
    for (let from = at + 1; ; ) {
      const quote = text.indexOf('"', from);
      // Two more characters show whether the cell ends here.
      if (quote === -1 || (!isLast && quote + 2 >= text.length)) return undefined;
      content += text.slice(from, quote);
      if (text[quote + 1] !== '"') {
        const end = endOfCell(quote + 1);
        if (end === undefined) return undefined;
        const rest = text.slice(quote + 1, end);
        return { text: rest === '' ? content : `"${content}"${rest}`, end };
      }
      content += '"';
      from = quote + 2;
    }
  }

  /** The next delimiter or line end; undefined if it is not in the text yet. */
  function endOfCell(at: number): number | undefined {
    cellEnd.lastIndex = at;
    const end = cellEnd.exec(text);
    if (!end) return isLast ? text.length : undefined;
    if (!lineEnd && end[0] !== delimiter) {
      // A line feed can follow.
      if (!isLast && cellEnd.lastIndex === text.length) return undefined;
      lineEnd = end[0];
      cellEnd = new RegExp(`${delimiter}|${lineEnd}`, 'g');
    }
    return end.index;
  }

  return { parse, unread: () => text.length };
}

type Cell = { text: string; end: number };
