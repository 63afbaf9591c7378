import { csvCell, defused } from '../../contract/values/csv-text.ts';

type Schema = { properties?: Record<string, unknown> };
export type Cells = Record<string, unknown>;

/** The fields of a list item, and those of its nested objects as `partner.name`. */
export function columnsOf({ properties = {} }: Schema): string[] {
  return Object.entries(properties as Record<string, Schema>).flatMap(([name, field]) =>
    field.properties ? columnsOf(field).map((inner) => `${name}.${inner}`) : [name],
  );
}

/** Lines according to RFC 4180. */
export function csvLines(columns: readonly string[], rows: Cells[]): string {
  return rows.map((row) => `${columns.map((column) => cell(valueAt(row, column))).join(',')}\r\n`).join('');
}

function valueAt(row: Cells, column: string): unknown {
  return column.split('.').reduce<unknown>((value, name) => (value as Cells | null | undefined)?.[name], row);
}

export function csvHeader(columns: readonly string[]): string {
  return `${columns.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text =
    value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : JSON.stringify(value);
  return csvCell(defused(text));
}
