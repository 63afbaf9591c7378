import { createHash } from 'node:crypto';
import type { QueryResultRow } from 'pg';
import type { OrganizationId } from '../../contract/ids.ts';
import type { Position } from './cursor.ts';
import type { Table, UnshownTable } from './tables.ts';
import type { Reader, Statement, Tx, Upkeep } from './tx.ts';

/**
 * A statement on the data of one organization, which is always its first parameter. The others are the arguments of the
 * function, unchanged or as `values` converts them. `Db` limits what it may write: nothing by default, tables that clients
 * never see with `Upkeep`, everything with `Tx`.
 */
type Declared<Args extends unknown[], Db> = {
  name: string;
  text: string;
  values?: (...args: Args) => unknown[];
  writes?: readonly ([Db] extends [Tx] ? Table : [Db] extends [Upkeep] ? UnshownTable : never)[];
};

type Send<Answer, Args extends unknown[], Db> = (
  db: Db,
  orgId: OrganizationId,
  ...args: Args
) => Promise<Answer>;

/** Returns its rows, or what `shape` makes of them. */
export function rowsOf<Row extends object, Args extends unknown[] = [], Db = Reader>(
  statement: Declared<Args, Db>,
  shape: (row: Row) => Row = (row) => row,
): Send<Row[], Args, Db> {
  return send(statement, (rows: Row[]) => rows.map(shape));
}

/** Returns its first row, if any. */
export function firstOf<Row extends object, Args extends unknown[] = [], Db = Reader>(
  statement: Declared<Args, Db>,
  shape: (row: Row) => Row = (row) => row,
): Send<Row | undefined, Args, Db> {
  return send(statement, ([row]: Row[]) => row && shape(row));
}

/** For a statement that always returns one row. */
export function oneOf<Row extends object, Args extends unknown[] = [], Db = Reader>(
  statement: Declared<Args, Db>,
  shape: (row: Row) => Row = (row) => row,
): Send<Row, Args, Db> {
  return send(statement, ([row]: Row[]) => shape(row as Row));
}

/** Returns the values of its only column. */
export function columnOf<Value, Args extends unknown[] = [], Db = Reader>(
  statement: Declared<Args, Db>,
): Send<Value[], Args, Db> {
  return send(statement, (rows: Record<string, Value>[]) => rows.flatMap(Object.values<Value>));
}

/** Returns the value of its only column in its only row, if any. */
export function cellOf<Value, Args extends unknown[] = [], Db = Reader>(
  statement: Declared<Args, Db>,
): Send<Value, Args, Db> {
  return send(statement, ([row = {}]: Record<string, Value>[]) => Object.values(row)[0] as Value);
}

/** Returns nothing. */
export function run<Args extends unknown[] = [], Db = Tx>(
  statement: Declared<Args, Db>,
): Send<void, Args, Db> {
  return send(statement, () => {});
}

/** Returns whether it wrote this many rows. */
export function wrote<Args extends unknown[] = [], Db = Tx>(
  statement: Declared<Args, Db>,
  count = 1,
): Send<boolean, Args, Db> {
  return send(statement, (_, rowCount) => rowCount === count);
}

/**
 * A page of a list. Its last arguments are the number of rows and the position to continue from, or null for the first page.
 * `after` is the condition to continue, which only later pages have: each has a plan of its own.
 */
export function pageOf<Row extends object, Args extends unknown[] = []>(
  { name, text, after }: { name: string; text: (after: string) => string; after: string },
  shape?: (row: Row) => Row,
): Send<Row[], [...Args, limit: number, position: Position | null], Reader> {
  const first = rowsOf<Row, unknown[]>({ name, text: text('') }, shape);
  const next = rowsOf<Row, unknown[]>({ name: `${name}_after`, text: text(after) }, shape);
  return (db, orgId, ...args) => {
    const position = args.pop() as Position | null;
    return position ? next(db, orgId, ...args, ...position) : first(db, orgId, ...args);
  };
}

function send<Row extends QueryResultRow, Answer, Args extends unknown[], Db>(
  { name, text, values, writes }: Declared<Args, Db>,
  answer: (rows: Row[], rowCount: number | null) => Answer,
): Send<Answer, Args, Db> {
  checkName(name);
  return async (db, orgId, ...args) => {
    const { rows, rowCount } = await (db as Tx).query<Row>({
      name,
      text,
      values: [orgId, ...(values ? values(...args) : args)],
      ...(writes && { writes }),
    });
    return answer(rows, rowCount);
  };
}

/** PostgreSQL truncates longer names, and could then confuse two statements. */
const nameLimit = 63;

function checkName(name: string): void {
  if (name.length > nameLimit) throw new Error(`The name of a statement is too long: ${name}`);
}

const variants = new Map<string, string>();

/**
 * A statement whose text depends on the request, such as the filters of a list. Each text is prepared once under its own
 * name, so it must not contain anything that a caller sent.
 */
export function variant(name: string, text: string, values: unknown[]): Statement<never> {
  let known = variants.get(text);
  if (known === undefined) {
    known = `${name}_${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
    checkName(known);
    variants.set(text, known);
  }
  return { name: known, text, values };
}
