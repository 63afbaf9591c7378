import type { ErrorDetail } from '../contract/error.ts';
import { formOf, rowSchemas } from '../contract/ingest.ts';
import { rowErrors } from '../contract/row-errors.ts';
import type { FactKind } from '../vocabulary.ts';
import { mappedTo, statusOf } from './choices.ts';
import { type ColumnMap, fieldsOf } from './columns.ts';
import { type Clue, type Conventions, type CurrencyMark, convert } from './convert.ts';
import type { SourceRecord } from './record.ts';

type Row = Record<string, unknown>;
/** `value` is the content of the cell, if it had any; `clue` is what a person would have to decide about it. */
export type RowProblem = Pick<ErrorDetail, 'field' | 'message'> & { value?: string; clue?: Clue };
export type ReadRow = { record: SourceRecord; row: Row };
export type Refusal = { record: SourceRecord; problems: RowProblem[] };

/** Everything that determines how a record becomes a row. */
export type Reading = {
  kind: FactKind;
  columns: ColumnMap;
  /** Columns chosen for fields; empty if the field is to be left out. */
  overrides: Record<string, string>;
  /** Constants that override columns. */
  set: Record<string, string>;
  /** For empty cells. */
  defaults: Record<string, string>;
  conventions: Conventions;
};

/** Turns records into rows, and separates those that the service would refuse. */
export function readRows(reading: Reading, records: SourceRecord[]): { good: ReadRow[]; refused: Refusal[] } {
  const refused: Refusal[] = [];
  const made: ReadRow[] = [];
  for (const record of records) {
    const { row, problems } = toRow(reading, record);
    if (problems.length === 0) made.push({ record, row });
    else refused.push({ record, problems });
  }
  const errors = made.flatMap(({ row }, index) =>
    (rowErrors(reading.kind, formOf(row), row)?.() ?? []).map((error) => ({ index, ...error })),
  );
  const split = splitByErrors(made, errors);
  return { good: split.good, refused: [...refused, ...split.refused] };
}

/** Separates rows by the errors that the service returned, each with the index of its row. */
export function splitByErrors(
  rows: ReadRow[],
  errors: { index: number; field: string; message: string }[],
): { good: ReadRow[]; refused: Refusal[] } {
  const problems = new Map<number, RowProblem[]>();
  for (const { index, field, message } of errors) {
    const problem = { field, message, ...valueIn(rows[index]?.row[field]) };
    problems.set(index, [...(problems.get(index) ?? []), problem]);
  }
  return {
    good: rows.filter((_, index) => !problems.has(index)),
    refused: rows.flatMap(({ record }, index) => {
      const found = problems.get(index);
      return found ? [{ record, problems: found }] : [];
    }),
  };
}

/** The row of a record, its problems, and what its cells show about the file. */
export type Made = { row: Row; problems: RowProblem[]; clues: { field: string; clue: Clue }[] };

export function toRow(reading: Reading, record: SourceRecord): Made {
  const made: Made = { row: {}, problems: [], clues: [] };
  if (record.problem !== undefined) return { ...made, problems: [{ field: 'row', message: record.problem }] };
  let mark: CurrencyMark | undefined;
  reading.columns.see(Object.keys(record.cells));
  for (const field of fieldsOf(reading.kind)) {
    const cell = cellOf(reading, record, field) ?? reading.defaults[field];
    const converted = convert(field, cell, reading.conventions);
    if (converted.clue) made.clues.push({ field, clue: converted.clue });
    if (converted.mark) mark = converted.mark;
    if ('problem' in converted)
      made.problems.push({ ...problemOf(field, converted.problem, converted.clue), ...valueIn(cell) });
    else if (converted.value !== undefined) made.row[field] = converted.value;
  }
  const { deleted, ...fields } = made.row;
  if (deleted === true) return { row: withdrawal(reading.kind, made.row), problems: [], clues: [] };
  made.row = withOwner(fields);
  if (reading.kind !== 'opportunities') return made;
  if (mark) addCurrency(reading, record, mark, made);
  addStatus(reading, made);
  // CRMs allow new deals without an amount.
  if (made.row.value === undefined && !made.problems.some(({ field }) => field === 'value')) {
    made.row.value = 0;
    made.clues.push({ field: 'value', clue: { about: 'no amount' } });
  }
  return made;
}

/** CRMs keep the name and the address of an owner in two columns. */
function withOwner({ owner_email: email, ...row }: Row): Row {
  return email === undefined ? row : { ...row, owner: { name: email, ...(row.owner ?? {}), email } };
}

/** Undefined if it is empty. */
function cellOf({ set, columns }: Reading, { cells }: SourceRecord, field: string): unknown {
  if (set[field] !== undefined) return set[field];
  const column = columns.columnOf.get(field);
  const cell = column === undefined ? undefined : cells[column];
  return cell === null || (typeof cell === 'string' && cell.trim() === '') ? undefined : cell;
}

function problemOf(field: string, message: string, clue: Clue | undefined): RowProblem {
  return { field, message, ...(clue && { clue }) };
}

function valueIn(cell: unknown): { value?: string } {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof cell);
  return isPlain && cell !== '' ? { value: String(cell).trim().slice(0, 60) } : {};
}

/** A record deleted at the source must be deleted here, even if the rest of its row is invalid. */
function withdrawal(kind: FactKind, row: Row): Row {
  const kept = [...rowSchemas[kind].withdrawal.required, 'source_updated_at', 'merged_into'];
  return Object.fromEntries(Object.entries(row).filter(([field]) => kept.includes(field)));
}

/** A currency next to an amount must match the currency column, and overrides a default. */
function addCurrency(
  reading: Reading,
  record: SourceRecord,
  { mark, currencies }: CurrencyMark,
  { row, problems, clues }: Made,
): void {
  const stated = row.currency as string | undefined;
  if (stated !== undefined && currencies.includes(stated)) return;
  if (problems.some(({ field }) => field === 'currency')) return;
  const cell = valueIn(cellOf(reading, record, 'value'));
  if (stated !== undefined && cellOf(reading, record, 'currency') !== undefined) {
    problems.push({ field: 'value', message: `does not match the currency of the row, ${stated}`, ...cell });
    return;
  }
  const mapped =
    currencies.length === 1 ? currencies[0] : mappedTo(reading.conventions.values, 'currency', mark);
  if (mapped) {
    row.currency = mapped;
    return;
  }
  const clue: Clue = { about: 'currency', mark, currencies };
  clues.push({ field: 'currency', clue });
  problems.push({
    ...problemOf('value', `is written with ${mark}, which can be several currencies`, clue),
    ...cell,
  });
}

function addStatus(reading: Reading, made: Made): void {
  const { is_won, is_lost, is_closed, ...row } = made.row;
  made.row = row;
  // A row without a stage is refused for that alone.
  const stage = typeof row.stage === 'string' ? row.stage : undefined;
  if (row.status === undefined && !made.problems.some(({ field }) => field === 'status')) {
    const status = stage && statusOf({ is_won, is_lost, is_closed }, stage, reading.conventions.values);
    if (stage && !status) {
      const clue: Clue = { about: 'choice', text: stage, becomes: undefined };
      made.clues.push({ field: 'stage', clue });
      made.problems.push({ ...problemOf('stage', 'is an unknown stage', clue), value: stage });
    }
    row.status = stage ? status : 'open';
  }
}
