import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { canBeRepeated, isConnectionFailure, isRefusedAfterAnother } from './failures.ts';

export type Pool = Pick<pg.Pool, 'query' | 'totalCount' | 'idleCount' | 'waitingCount'> & {
  connect(): Promise<pg.PoolClient>;
  /** What every transaction sets for itself, where the session cannot. */
  readonly onBegin: string;
  /** From now on fresh connections; those in use are left to end by themselves. */
  renew(): void;
  /** The server has gone silent: from now on no connection that owes an answer is waited for any longer than this. */
  waitAtMost(ms: number): void;
  /** Never waits longer than a moment for a server that has gone silent. */
  end(): Promise<void>;
};

export type Server = pg.PoolConfig & {
  /** Connections are shared out per transaction: nothing may be set for a session. */
  pooled?: boolean;
  /** False where the pooler does not know named statements. */
  prepare?: boolean;
  /** It is the coordinator of a Citus cluster. */
  citus?: boolean;
};

/** How the processes that work show in the database's list of connections; a migration looks for them. */
export const applicationName = 'partner-signals';

export type PoolOptions = {
  max: number;
  lock_timeout?: number;
  statement_timeout?: number;
  /** A session whose client has vanished in the middle of a transaction keeps its locks for so long. */
  idle_in_transaction_session_timeout?: number;
  /** For what is done again if the server crashes within a moment of its commit. */
  synchronous_commit?: 'off';
};

/** The server cancels a statement; the client gives up on a server that does not even do that. */
const statementTimeoutMs = 30_000;
const silenceMs = 5_000;
const endMs = 2_000;

/**
 * One plan for each statement, whatever its values. A plan made for the values at hand takes an organization that came
 * after the last look at a table for an empty one, and reads all that it has; and it is made again for every page.
 */
export function sessionSettings(citus = false): Record<string, string> {
  return {
    // Until about 1900 the offsets of time zones have seconds, which JavaScript cannot read in JSON.
    timezone: 'UTC',
    // Citus must see the organization of a statement to know the machine that runs it.
    plan_cache_mode: citus ? 'force_custom_plan' : 'force_generic_plan',
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: '60000',
  };
}

// In the machine's time zone, the driver would write a Date of that time without the seconds of its offset.
pg.defaults.parseInputDatesAsUTC = true;

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);
// A date stays the text that it is on the wire: as a Date it would shift with the machine's time zone.
types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** `server` is asked whenever connections start afresh, since by then it may be another one. */
export function openPool(
  server: () => Server,
  { max, ...timeouts }: PoolOptions,
  onError: (error: Error) => void,
  /** Before the first use of a connection; where it throws, the connection is not used. */
  check?: (client: pg.ClientBase) => Promise<void>,
): Pool {
  let inner = create();
  let ended: Promise<void> | undefined;

  function create(): { pool: pg.Pool; clients: Set<pg.PoolClient> } {
    const { pooled, prepare = true, citus, ...connection } = server();
    const settings = { ...sessionSettings(citus), ...timeouts };
    const statementMs = timeouts.statement_timeout ?? statementTimeoutMs;
    const pool = new pg.Pool({
      max,
      // Statements that do not need each other's results are sent at once; the server runs them in their order.
      pipeline: true,
      connectionTimeoutMillis: 5_000,
      // A peer that vanished without a word is noticed even where nothing is being asked.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      application_name: applicationName,
      ...(pooled
        ? {}
        : {
            options: Object.entries(settings)
              .map(([name, value]) => `-c ${name}=${value}`)
              .join(' '),
          }),
      ...connection,
      types,
      ...(check && { onConnect: check }),
    });
    const clients = new Set<pg.PoolClient>();
    // An idle connection that breaks emits here; unheard, it would end the process.
    pool.on('error', (error) => {
      // `end` does not wait until its connections are closed, and a server that ends breaks those that still close.
      if (!pool.ending) onError(error);
    });
    pool.on('connect', (client) => {
      clients.add(client);
      // The same for one in use. Whoever uses it hears of it by the query that fails.
      client.on('error', () => {});
      if (!prepare) forgetNames(client);
      // 0 for what may take as long as it takes.
      if (statementMs) giveUpAfter(statementMs + silenceMs, client);
    });
    pool.on('remove', (client) => clients.delete(client));
    return { pool, clients };
  }

  return {
    query: ((...args: Parameters<pg.Pool['query']>) => inner.pool.query(...args)) as pg.Pool['query'],
    connect: () => inner.pool.connect(),
    onBegin: server().pooled
      ? Object.entries(timeouts)
          .map(([name, value]) => `; set local ${name} = ${value}`)
          .join('')
      : '',
    get totalCount() {
      return inner.pool.totalCount;
    },
    get idleCount() {
      return inner.pool.idleCount;
    },
    get waitingCount() {
      return inner.pool.waitingCount;
    },
    renew() {
      if (ended) return;
      const old = inner;
      inner = create();
      void endWithin(old, statementTimeoutMs + silenceMs);
    },
    waitAtMost(ms) {
      for (const client of inner.clients) (client.connection.stream as Socket).setTimeout(ms);
    },
    end() {
      ended ??= endWithin(inner, endMs);
      return ended;
    },
  };
}

/** A pool to one server, for tools and tests. */
export function connect(server: Server & Partial<PoolOptions>, onError: (error: Error) => void): Pool {
  const { max = 10, ...rest } = server;
  return openPool(() => rest, { max }, onError);
}

/** Waits for connections in use to come back, and then for nothing: a silent server would not let go either. */
async function endWithin(
  { pool, clients }: { pool: pg.Pool; clients: Set<pg.PoolClient> },
  graceMs: number,
): Promise<void> {
  const ended = new AbortController();
  void pool.end().then(() => ended.abort());
  await delay(graceMs, undefined, { signal: ended.signal, ref: false }).catch(() => {});
  for (const client of clients) client.connection.stream.destroy();
}

/**
 * Breaks a connection that owes an answer and has been silent for so long. The driver has a time limit for each query, but
 * with it all that a query has read outlives several collections of garbage, and reading a page costs a tenth more.
 */
function giveUpAfter(ms: number, client: pg.PoolClient & { readyForQuery?: boolean }): void {
  const stream = client.connection.stream as Socket;
  stream.setTimeout(ms, () => {
    if (!client.readyForQuery) stream.destroy(new Error('Query read timeout'));
  });
}

function forgetNames(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((config: unknown, ...rest: unknown[]) =>
    query(
      typeof config === 'object' && config !== null && 'name' in config
        ? { ...config, name: undefined }
        : config,
      ...rest,
    )) as typeof client.query;
}

export type Session = Pick<pg.ClientBase, 'query'>;

/**
 * Runs `run` in one transaction, and again where that can help, so `run` must do nothing outside the database that cannot
 * be done twice.
 */
export async function transaction<T>(pool: Pool, run: (session: Session) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(pool, run);
    } catch (error) {
      if (attempt === 4 || !canBeRepeated(error)) throw error;
    }
  }
}

/** Runs reads that belong together: all of them see the database as it was at the first. */
export function snapshot<T>(pool: Pool, run: (session: Session) => Promise<T>): Promise<T> {
  return once(pool, run, 'begin isolation level repeatable read read only');
}

/** Whatever is sent too late is refused: it would run in the transaction that has the connection next. */
async function once<T>(pool: Pool, run: (session: Session) => Promise<T>, begin = 'begin'): Promise<T> {
  const client = await pool.connect();
  let isOver = false;
  let cause: unknown;
  const query = (statement: string | pg.QueryConfig, values?: unknown[]) => {
    if (isOver) throw new Error('A statement came after the end of its transaction.');
    return client.query(statement, values).catch((error) => {
      if (!isRefusedAfterAnother(error)) cause ??= error;
      throw error;
    });
  };
  let broken: Error | undefined;
  try {
    // Sent along with the first statement; if it fails, so does that.
    query(begin + pool.onBegin).catch(() => {});
    const result = await run({ query: query as Session['query'] });
    isOver = true;
    await client.query('commit');
    return result;
  } catch (caught) {
    isOver = true;
    const error = isRefusedAfterAnother(caught) ? (cause ?? caught) : caught;
    // A connection that failed is not asked for a rollback, for which a silent one would make the caller wait again;
    // and one whose rollback fails is not given back, since the next user would inherit the open transaction.
    if (isConnectionFailure(error)) broken = error as Error;
    else
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
    throw error;
  } finally {
    client.release(broken);
  }
}
