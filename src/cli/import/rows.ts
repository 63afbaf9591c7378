import type { ErrorDetail } from '../../contract/error.ts';
import { type FactKind, type OpportunityStatus, rowSchemas } from '../../contract/ingest.ts';
import { checkRows } from '../../http/ingest-rows.ts';
import { type ColumnMap, fieldsOf, plain } from './columns.ts';
import { type Conventions, convert } from './convert.ts';
import type { SourceRecord } from './record.ts';

export type Row = Record<string, unknown>;
export type RowProblem = Pick<ErrorDetail, 'field' | 'message'>;
export type ReadRow = { record: SourceRecord; row: Row };
export type Refusal = { record: SourceRecord; problems: RowProblem[] };

/** Everything that decides what a record becomes. */
export type Reading = {
  kind: FactKind;
  columns: ColumnMap;
  /** Columns that were named for fields; an empty name for a field that is to be left out. */
  overrides: Record<string, string>;
  /** Constants, whatever the column says. */
  set: Record<string, string>;
  /** For cells that are empty. */
  defaults: Record<string, string>;
  conventions: Conventions;
  /** Stages that are won or lost, beside those whose names say so. */
  won: string[];
  lost: string[];
};

/** Makes rows of records, and tells those that satisfy the contract from those that the service would refuse. */
export function readRows(reading: Reading, records: SourceRecord[]): { good: ReadRow[]; refused: Refusal[] } {
  const refused: Refusal[] = [];
  const made: ReadRow[] = [];
  for (const record of records) {
    const { row, problems } = toRow(reading, record);
    if (problems.length === 0) made.push({ record, row });
    else refused.push({ record, problems });
  }
  const checked = checkRows(
    reading.kind,
    made.map(({ row }, index) => ({ index, row })),
  );
  const split = splitByErrors(made, checked.errors);
  return { good: split.good, refused: [...refused, ...split.refused] };
}

/** Sorts rows by the errors that were answered for them, each with the index of its row. */
export function splitByErrors(
  rows: ReadRow[],
  errors: (RowProblem & { index: number })[],
): { good: ReadRow[]; refused: Refusal[] } {
  const problems = new Map<number, RowProblem[]>();
  for (const { index, field, message } of errors)
    problems.set(index, [...(problems.get(index) ?? []), { field, message }]);
  return {
    good: rows.filter((_, index) => !problems.has(index)),
    refused: rows.flatMap(({ record }, index) => {
      const found = problems.get(index);
      return found ? [{ record, problems: found }] : [];
    }),
  };
}

export function toRow(reading: Reading, record: SourceRecord): { row: Row; problems: RowProblem[] } {
  if (record.problem !== undefined) return { row: {}, problems: [{ field: 'row', message: record.problem }] };
  const problems: RowProblem[] = [];
  const row: Row = {};
  reading.columns.see(Object.keys(record.cells));
  for (const field of fieldsOf(reading.kind)) {
    const converted = convert(field, cellOf(reading, record, field), reading.conventions);
    if ('problem' in converted) problems.push({ field, message: converted.problem });
    else if (converted.value !== undefined) row[field] = converted.value;
  }
  const { deleted, ...fields } = row;
  if (deleted === true) return { row: withdrawal(reading.kind, row), problems: [] };
  if (reading.kind !== 'opportunities') return { row: fields, problems };
  return withStatus(reading, fields, problems);
}

function cellOf({ set, defaults, columns }: Reading, { cells }: SourceRecord, field: string): unknown {
  if (set[field] !== undefined) return set[field];
  const column = columns.columnOf.get(field);
  const cell = column === undefined ? undefined : cells[column];
  const isEmpty = cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === '');
  return isEmpty ? defaults[field] : cell;
}

/** What the source has deleted must go, however bad the rest of its row is. */
function withdrawal(kind: FactKind, row: Row): Row {
  const kept = [...rowSchemas[kind].withdrawal.required, 'source_updated_at', 'merged_into'];
  return Object.fromEntries(Object.entries(row).filter(([field]) => kept.includes(field)));
}

function withStatus(
  reading: Reading,
  { is_won, is_lost, is_closed, ...row }: Row,
  problems: RowProblem[],
): { row: Row; problems: RowProblem[] } {
  const status = row.status ?? statusOf(reading, { is_won, is_lost, is_closed }, row.stage);
  if (status === undefined && problems.length === 0) {
    problems.push({
      field: 'status',
      message:
        'is closed, but whether won or lost is not to be seen: name the stage by --won-stage or --lost-stage',
    });
  }
  // Before a deal is closed, CRMs hold there the day on which it is hoped to be.
  if (status === 'open') delete row.closed_date;
  return { row: { ...row, status }, problems };
}

/** The flags of the CRM decide; the name of the stage, only where they leave it open. */
function statusOf(
  { won, lost }: Reading,
  { is_won, is_lost, is_closed }: { is_won?: unknown; is_lost?: unknown; is_closed?: unknown },
  stage: unknown,
): OpportunityStatus | undefined {
  const name = plain(String(stage ?? ''));
  const told = /\b(?:closed)?\W*(won|lost)\b(?!['’])/i.exec(String(stage ?? ''))?.[1]?.toLowerCase();
  if (is_won === true) return 'won';
  if (is_lost === true) return 'lost';
  if (is_closed === false) return 'open';
  if (is_closed === true && is_won === false) return 'lost';
  if (is_won !== false && (won.includes(name) || told === 'won')) return 'won';
  if (is_lost !== false && (lost.includes(name) || told === 'lost')) return 'lost';
  return is_closed === true || name.startsWith('closed') ? undefined : 'open';
}
