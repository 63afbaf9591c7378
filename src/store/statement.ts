import type { QueryResultRow } from 'pg';
import type { OrganizationId } from '../contract/ids.ts';
import type { Queryable, Tx } from './tx.ts';

/**
 * A statement on the data of one organization, which is always its first parameter. The arguments of the function that
 * sends it are the others: as they are, or as `values` makes them.
 */
type Statement<Args extends unknown[]> = {
  name: string;
  text: string;
  values?: (...args: Args) => unknown[];
};

/** What only a transaction may send names `Tx` for `Db`. */
type Send<Answer, Args extends unknown[], Db> = (
  db: Db,
  orgId: OrganizationId,
  ...args: Args
) => Promise<Answer>;

/** Answers its rows, or what `shape` makes of them. */
export function rowsOf<Row extends object, Args extends unknown[] = [], Db extends Queryable = Queryable>(
  statement: Statement<Args>,
  shape: (row: Row) => Row = (row) => row,
): Send<Row[], Args, Db> {
  return send(statement, (rows: Row[]) => rows.map(shape));
}

/** Answers its first row, if it has any. */
export function firstOf<Row extends object, Args extends unknown[] = [], Db extends Queryable = Queryable>(
  statement: Statement<Args>,
  shape: (row: Row) => Row = (row) => row,
): Send<Row | undefined, Args, Db> {
  return send(statement, ([row]: Row[]) => row && shape(row));
}

/** Answers its row, for a statement that always has one. */
export function oneOf<Row extends object, Args extends unknown[] = [], Db extends Queryable = Queryable>(
  statement: Statement<Args>,
  shape: (row: Row) => Row = (row) => row,
): Send<Row, Args, Db> {
  return send(statement, ([row]: Row[]) => shape(row as Row));
}

/** Answers what its only column holds in each row. */
export function columnOf<Value, Args extends unknown[] = [], Db extends Queryable = Queryable>(
  statement: Statement<Args>,
): Send<Value[], Args, Db> {
  return send(statement, (rows: Record<string, Value>[]) => rows.flatMap(Object.values<Value>));
}

/** Answers what its only column holds in its only row, if it has one. */
export function cellOf<Value, Args extends unknown[] = [], Db extends Queryable = Queryable>(
  statement: Statement<Args>,
): Send<Value, Args, Db> {
  return send(statement, ([row = {}]: Record<string, Value>[]) => Object.values(row)[0] as Value);
}

/** Answers nothing. */
export function run<Args extends unknown[] = [], Db extends Queryable = Tx>(
  statement: Statement<Args>,
): Send<void, Args, Db> {
  return send(statement, () => {});
}

function send<Row extends QueryResultRow, Answer, Args extends unknown[], Db extends Queryable>(
  { name, text, values }: Statement<Args>,
  answer: (rows: Row[]) => Answer,
): Send<Answer, Args, Db> {
  return async (db, orgId, ...args) => {
    const { rows } = await db.query<Row>({
      name,
      text,
      values: [orgId, ...(values ? values(...args) : args)],
    });
    return answer(rows);
  };
}
