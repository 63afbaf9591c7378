import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { canBeRepeated, isConnectionFailure, isRefusedAfterAnother } from './failures.ts';

export type Pool = Pick<pg.Pool, 'query'> & {
  connect(): Promise<pg.PoolClient>;
  size(): Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>;
  /** Settings that every transaction sets itself because the session cannot. */
  readonly onBegin: string;
  /** Opens new connections from now on; connections in use finish their work. */
  renew(): void;
  /** For a server that has gone silent: from now on, waits at most this long for any pending response. */
  waitAtMost(ms: number): void;
  /** Waits at most two seconds for a server that has gone silent. */
  end(): Promise<void>;
};

export type Server = pg.PoolConfig & {
  /** A pooler assigns connections per transaction: nothing may be set for a session. */
  pooled?: boolean;
  /** False if the pooler does not support named statements. */
  prepare?: boolean;
  /** Whether this is the coordinator of a Citus cluster. */
  citus?: boolean;
};

/** The application name of working processes in pg_stat_activity; a migration looks for it. */
export const applicationName = 'partner-signals';

export type PoolOptions = {
  max: number;
  lock_timeout?: number;
  statement_timeout?: number;
  /** How long a session whose client vanished in the middle of a transaction keeps its locks. */
  idle_in_transaction_session_timeout?: number;
  /** For writes that are repeated if the server crashes right after their commit. */
  synchronous_commit?: 'off';
};

/** The server cancels the statement at this limit; the client gives up `silenceMs` later. */
const statementTimeoutMs = 30_000;
const silenceMs = 5_000;
const endMs = 2_000;

/**
 * One generic plan per statement, whatever its values. A custom plan assumes that an organization added since the last
 * ANALYZE has no rows, and then reads all of them; and it is made again for every page.
 */
export function sessionSettings(citus = false): Record<string, string> {
  return {
    // Before about 1900, time zone offsets have seconds, which JavaScript cannot parse in JSON.
    timezone: 'UTC',
    // Citus must see the organization of a statement to choose the node that runs it.
    plan_cache_mode: citus ? 'force_custom_plan' : 'force_generic_plan',
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: '60000',
  };
}

// In the machine's time zone, the driver would write such an old Date without the seconds of its offset.
pg.defaults.parseInputDatesAsUTC = true;

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);
// A date stays text: as a Date, it would shift with the machine's time zone.
types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** `server` is called whenever new connections are opened, because it may have changed. */
export function openPool(
  server: () => Server,
  { max, ...timeouts }: PoolOptions,
  onError: (error: Error) => void,
  /** Called before the first use of a connection; if it throws, the connection is not used. */
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
      // Statements that do not need each other's results are sent without waiting; the server runs them in order.
      pipeline: true,
      connectionTimeoutMillis: 5_000,
      // Detects a server that vanished, even on idle connections.
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
    // Idle connections that break emit this; without a listener it would end the process.
    pool.on('error', (error) => {
      // `end` does not wait until connections are closed, and a server that stops breaks those that are still closing.
      if (!pool.ending) onError(error);
    });
    pool.on('connect', (client) => {
      clients.add(client);
      // The same for a connection in use, whose user gets the error of its query.
      client.on('error', () => {});
      if (!prepare) forgetNames(client);
      // 0 means no time limit.
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
    size: () => inner.pool,
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

/** Waits for connections in use, then closes them without waiting: a silent server would not respond. */
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
 * Breaks a connection that has been silent for this long while a response is due. The driver has a timeout per query, but
 * that keeps everything a query read in memory through several garbage collections, and a page costs an eighth more.
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
 * Runs `run` in one transaction, and retries it if that can help. `run` must not do anything outside the database that
 * cannot be done twice.
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

/** For reads that belong together: all of them use one snapshot. */
export function snapshot<T>(pool: Pool, run: (session: Session) => Promise<T>): Promise<T> {
  return once(pool, run, 'begin isolation level repeatable read read only');
}

/** A statement that is sent too late is refused: it would run in the next transaction on the connection. */
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
    // Sent together with the first statement; if it fails, so does that.
    query(begin + pool.onBegin).catch(() => {});
    const result = await run({ query: query as Session['query'] });
    isOver = true;
    await client.query('commit');
    return result;
  } catch (caught) {
    isOver = true;
    const error = isRefusedAfterAnother(caught) ? (cause ?? caught) : caught;
    // A failed connection gets no rollback, because a silent one would make the caller wait again. If a rollback fails, the
    // connection is closed, because the next user would inherit the open transaction.
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
