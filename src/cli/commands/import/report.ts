import type { Refusal } from '../../../import/rows.ts';
import { screen } from '../../terminal/output.ts';
import { type Column, createTable } from '../../terminal/table.ts';
import { formatNumber } from '../../terminal/values.ts';
import type { Done, Reason } from './state.ts';

export function resultLines(
  { rows, created, updated, unchanged, refused, reasons }: Omit<Done, 'rejects_bytes'>,
  { dryRun }: { dryRun?: boolean },
): string[] {
  const counts = dryRun
    ? `${formatNumber(rows)} rows: ${formatNumber(rows - refused)} can be sent, ${formatNumber(refused)} would be refused. Nothing was sent.`
    : `${formatNumber(rows)} rows: ${formatNumber(created)} created, ${formatNumber(updated)} updated, ${formatNumber(unchanged)} unchanged, ${formatNumber(refused)} refused.`;
  if (reasons.length === 0) return [counts];
  return [counts, '', ...createTable(reasonColumns, screen())(reasons)];
}

const reasonColumns: Column<Reason>[] = [
  { head: 'rows', value: ({ count }) => formatNumber(count), right: true },
  {
    head: 'lines',
    value: ({ lines, count }) => `${lines.map(formatNumber).join(', ')}${count > lines.length ? ', …' : ''}`,
  },
  { head: 'why', value: (reason) => `${reason.field} ${reason.message}${examples(reason)}` },
];

/** The values with their counts; the list says if there are more. */
function examples({ values, count }: Reason): string {
  if (values.length === 0) return '';
  const counted = values.reduce((sum, { rows }) => sum + rows, 0);
  const list = values.map(({ value, rows }) => `"${value}"${rows > 1 ? ` (${formatNumber(rows)})` : ''}`);
  return `: ${list.join(', ')}${count > counted ? ', …' : ''}`;
}

const maxReasons = 50;
const maxExamples = 5;

/** Groups by field and message. Messages contain no values, so there are few groups however many rows are refused. */
export function withReasons(before: Reason[], refused: Refusal[]): Reason[] {
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
