import { csvCell, defused } from '../contract/values/csv-text.ts';
import type { Refusal, RowProblem } from './rows.ts';
import type { Source } from './source.ts';

/** Why rows were refused: how many, the first lines, and some of the values. */
export type Reason = Pick<RowProblem, 'field' | 'message'> & {
  count: number;
  lines: number[];
  values: { value: string; rows: number }[];
};

const maxReasons = 50;
const maxExamples = 5;

/** Groups by field and message. Messages contain no values, so there are few groups however many rows are refused. */
export function addReasons(before: Reason[], refused: Refusal[]): Reason[] {
  const reasons = new Map(
    before.map((reason) => [`${reason.field} ${reason.message}`, structuredClone(reason)]),
  );
  for (const { record, problems } of refused) {
    for (const { field, message, value } of problems) {
      const key = `${field} ${message}`;
      const reason = reasons.get(key) ?? { field, message, count: 0, lines: [], values: [] };
      if (!reasons.has(key) && reasons.size >= maxReasons) continue;
      reasons.set(key, reason);
      reason.count++;
      if (reason.lines.length < maxExamples) reason.lines.push(record.line);
      if (value === undefined) continue;
      const known = reason.values.find((example) => example.value === value);
      if (known) known.rows++;
      else if (reason.values.length < maxExamples) reason.values.push({ value, rows: 1 });
    }
  }
  return [...reasons.values()].sort((a, b) => b.count - a.count);
}

const lineColumn = 'error_line';
const errorColumn = 'error';

/** The text of a file of refused rows, each with its line and the reason, that people can fix and import. */
export function rejectsFormat(source: Source): { head: string; row(refusal: Refusal): string } {
  return source.layout === 'csv' ? csvRejects(source) : { head: '', row: jsonRow };
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
    row: ({ record, problems }: Refusal) =>
      line(record.line, reason(problems), ...withoutOwn(record.source as string[])),
  };
}

function jsonRow({ record: { line, source }, problems }: Refusal): string {
  const row = typeof source === 'object' ? source : { error_text: source };
  return `${JSON.stringify({ ...row, [lineColumn]: line, [errorColumn]: reason(problems) })}\n`;
}
