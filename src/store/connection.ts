import pg from 'pg';

export type Pool = pg.Pool;
export type Tx = pg.PoolClient;
/** What a read needs: a pool or a transaction. A write that belongs to a cause takes a `Tx`. */
export type Queryable = Pick<pg.Pool, 'query'>;

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);
// A date stays the text that it is on the wire: as a Date it would shift with the machine's time zone.
types.setTypeParser(pg.types.builtins.DATE, (text) => text);

export function connect(connection: pg.PoolConfig, onError: (error: Error) => void): Pool {
  const pool = new pg.Pool({
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'partner-signals',
    // One plan a statement, for whatever values. A plan made for the values at hand takes an organization that came
    // after the last look at a table for an empty one, and reads all that it has; and it is made anew for every page.
    options: '-c plan_cache_mode=force_generic_plan',
    ...connection,
    types,
  });
  // An idle connection that breaks emits here; unheard, it would end the process.
  pool.on('error', onError);
  return pool;
}

/**
 * Runs `run` in one transaction. A deadlock or a serialization failure runs it again, so `run` must do nothing
 * outside the database that cannot be done twice.
 */
export async function transaction<T>(pool: Pool, run: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(pool, run);
    } catch (error) {
      if (attempt === 4 || !retryable.has(sqlState(error))) throw error;
    }
  }
}

/** Runs reads that belong together: all of them see the database as it was at the first. */
export function snapshot<T>(pool: Pool, run: (tx: Tx) => Promise<T>): Promise<T> {
  return once(pool, run, 'begin isolation level repeatable read read only');
}

async function once<T>(pool: Pool, run: (tx: Tx) => Promise<T>, begin = 'begin'): Promise<T> {
  const tx = await pool.connect();
  let broken: Error | undefined;
  try {
    await tx.query(begin);
    const result = await run(tx);
    await tx.query('commit');
    return result;
  } catch (error) {
    // A connection whose rollback fails is not given back: the next user would inherit the open transaction.
    await tx.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    tx.release(broken);
  }
}

const retryable = new Set(['40001', '40P01']);

export function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether the database could not be asked at all, as opposed to having refused the question. */
export function isConnectionFailure(error: unknown): boolean {
  const code = sqlState(error);
  // Connection, shutdown, resources, system; then: not accepting connections, no such database, refused log-in.
  if (/^(08|57P0|53|58|55000|3D000|28)/.test(code)) return true;
  if (['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
    return true;
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|Connection terminated|not queryable/.test(error.message)
  );
}
