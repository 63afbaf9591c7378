import { existsSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { csvCell, defused } from '../../../contract/csv-text.ts';
import type { SourceRecord } from '../../../import/record.ts';
import type { Source } from '../../../import/records.ts';
import type { Refusal } from '../../../import/rows.ts';

const lineColumn = 'error_line';
const errorColumn = 'error';

export type Rejects = Awaited<ReturnType<typeof openRejects>>;

/**
 * Saves refused rows, each with its line and the reason, in a file that you can fix and import. Rows that an
 * interrupted import saved after its last commit are cut off, because they are written again.
 */
export async function openRejects(path: string, source: Source, keepBytes: number) {
  let file: FileHandle | undefined;
  let bytes = 0;
  if (keepBytes === 0) {
    // Someone may have fixed it by hand already.
    if (existsSync(path)) await rename(path, `${path}.old`);
  } else {
    file = await open(path, 'a');
    await file.truncate(Math.min(keepBytes, (await file.stat()).size));
    bytes = (await file.stat()).size;
  }
  const format = source.layout === 'csv' ? csvRejects(source) : jsonRejects();

  return {
    /** Resolves with the length of the file once everything is on disk. */
    async add(refused: Refusal[]): Promise<number> {
      if (refused.length === 0) return bytes;
      file ??= await open(path, 'a');
      const head = bytes === 0 ? format.head : '';
      const text =
        head + refused.map(({ record, problems }) => format.line(record, reason(problems))).join('');
      await file.appendFile(text);
      await file.datasync();
      bytes += Buffer.byteLength(text);
      return bytes;
    },
    async close(): Promise<void> {
      await file?.close();
    },
  };
}

function reason(problems: Refusal['problems']): string {
  return problems.map(({ field, message }) => `${field} ${message}`).join('; ');
}

/** Stays a number in a spreadsheet, and is no formula. */
const negativeNumber = /^-\d[\d.,]*$/;

/** The reason comes first: a row with too many cells would push it out of its column. */
function csvRejects({ columns, delimiter, byteOrderMark }: Source) {
  const own = new Set([lineColumn, errorColumn].map((name) => columns.indexOf(name)));
  const text = (cell: string) => csvCell(negativeNumber.test(cell) ? cell : defused(cell));
  const line = (...cells: unknown[]) => `${cells.map((cell) => text(String(cell))).join(delimiter)}\r\n`;
  const withoutOwn = (cells: string[]) => cells.filter((_, index) => !own.has(index));
  return {
    head: (byteOrderMark ? '\ufeff' : '') + line(lineColumn, errorColumn, ...withoutOwn(columns)),
    line: ({ line: at, source }: SourceRecord, error: string) =>
      line(at, error, ...withoutOwn(source as string[])),
  };
}

function jsonRejects() {
  return {
    head: '',
    line: ({ line, source }: SourceRecord, error: string) => {
      const row = typeof source === 'object' ? source : { error_text: source };
      return `${JSON.stringify({ ...row, [lineColumn]: line, [errorColumn]: error })}\n`;
    },
  };
}
