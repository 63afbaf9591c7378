import { screen } from '../output.ts';
import { type Column, createTable } from '../table.ts';
import { amount } from '../values.ts';
import { fieldsOf } from './columns.ts';
import type { SourceRecord } from './record.ts';
import { type Reading, type Refusal, toRow } from './rows.ts';
import type { Done, Reason } from './state.ts';

/** Which field is fed by what, as the first row shows it. */
export function mappingLines(reading: Reading, first: SourceRecord | undefined): string[] {
  const { row } = first ? toRow(reading, first) : { row: {} as Record<string, unknown> };
  const { columnOf } = reading.columns;
  const lines = fieldsOf(reading.kind).flatMap((field): Line[] => {
    const becomes = shown(row[field]);
    const column = columnOf.get(field);
    if (reading.set[field] !== undefined)
      return [{ field, from: '(--set)', value: reading.set[field], becomes }];
    if (column !== undefined) return [{ field, from: column, value: shown(first?.cells[column]), becomes }];
    if (reading.defaults[field] !== undefined)
      return [{ field, from: '(--default)', value: reading.defaults[field], becomes }];
    if (field !== 'status') return [];
    const sources = ['is_won', 'is_lost', 'is_closed', 'stage'].flatMap((name) => columnOf.get(name) ?? []);
    return [{ field, from: `(${sources.join(', ')})`, value: '', becomes }];
  });
  const ignored = reading.columns.ignored();
  return [
    ...createTable(mappingColumns, screen(process.stderr))(lines),
    ...(ignored.length > 0 ? [`Ignored: ${ignored.join(', ')}`] : []),
    '',
  ];
}

type Line = { field: string; from: string; value: string; becomes: string };
const mappingColumns: Column<Line>[] = [
  { head: 'field', value: ({ field }) => field },
  { head: 'from column', value: ({ from }) => from, shrink: true },
  { head: 'in the first row', value: ({ value }) => value, shrink: true },
  { head: 'becomes', value: ({ becomes }) => becomes, shrink: true },
];

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function resultLines(
  { rows, created, updated, unchanged, refused, reasons }: Omit<Done, 'rejects_bytes'>,
  { dryRun }: { dryRun?: boolean },
): string[] {
  const counts = dryRun
    ? `${amount(rows)} rows: ${amount(rows - refused)} can be sent, ${amount(refused)} would be refused. Nothing was sent.`
    : `${amount(rows)} rows: ${amount(created)} created, ${amount(updated)} updated, ${amount(unchanged)} unchanged, ${amount(refused)} refused.`;
  if (reasons.length === 0) return [counts];
  return [counts, '', ...createTable(reasonColumns, screen())(reasons)];
}

const reasonColumns: Column<Reason>[] = [
  { head: 'rows', value: ({ count }) => amount(count), right: true },
  { head: 'first in line', value: ({ line }) => amount(line), right: true },
  { head: 'why', value: ({ field, message }) => `${field} ${message}` },
];

const maxReasons = 50;

/** Reasons name no values, so that there are few of them however many rows are refused. */
export function withReasons(before: Reason[], refused: Refusal[]): Reason[] {
  const reasons = new Map(before.map((reason) => [`${reason.field} ${reason.message}`, reason]));
  for (const { record, problems } of refused) {
    for (const { field, message } of problems) {
      const key = `${field} ${message}`;
      const { count, line } = reasons.get(key) ?? { count: 0, line: record.line };
      if (reasons.has(key) || reasons.size < maxReasons)
        reasons.set(key, { field, message, count: count + 1, line });
    }
  }
  return [...reasons.values()].sort((a, b) => b.count - a.count);
}
