import type { Row } from './phase.ts';

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const columns: [string, (row: Row) => string][] = [
  ['fault', (row) => row.title],
  ['requests', (row) => String(row.requests)],
  ['failed', (row) => failures(row.failed)],
  ['longest', (row) => `${(row.longestMs / 1_000).toFixed(1)} s`],
  ['recovery: requests', (row) => seconds(row.recovery?.requests)],
  ['deliveries', (row) => seconds(row.recovery?.deliveries)],
  ['lost', (row) => String(row.findings.lost.length)],
  ['duplicated', (row) => String(row.findings.duplicated)],
  ['stuck', (row) => String(row.findings.stuck.length)],
  ['died', (row) => String(row.died.length)],
];

export function table(rows: Row[]): string {
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return lines.join('\n');
}

/** The same row as one line, while the run continues. */
export function progress(row: Row): string {
  const cells = columns.slice(1).map(([title, cell]) => `${title} ${cell(row)}`);
  return `  ${cells.join(', ')}`;
}

export function failures(failed: Map<string, number>): string {
  const total = [...failed.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return '0';
  return `${total} (${[...failed].map(([kind, count]) => `${count}× ${kind}`).join(', ')})`;
}

function seconds(value: number | null | undefined): string {
  if (value === undefined) return '–';
  return value === null ? 'never' : `${value.toFixed(1)} s`;
}
