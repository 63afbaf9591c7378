import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { hasCitus, isCitus } from './citus.ts';
import {
  applicationName,
  openPool,
  type Pool,
  type PoolOptions,
  type Server,
  sessionSettings,
  transaction,
} from './connection.ts';

const lookEveryMs = 1_000;
/** The time limit for one response and for one connection: while requests wait, and at start-up. */
const patienceMs = 3_000;
const startPatienceMs = 15_000;

export type Database = {
  /** Connections to the server that accepts writes. */
  pool(options: PoolOptions): Pool;
  /** Whether the server responded and accepted writes at the last check. */
  isUsable(): boolean;
  /** Also closes the pools. */
  close(): Promise<void>;
};

/**
 * Checks every second, on a separate connection, that the server responds and accepts writes. If that connection breaks or
 * goes silent, the others will too: the pools reconnect to the server that accepts writes now. So a failover, or a network
 * that drops packets, costs seconds and not the timeouts of everything in progress.
 */
export async function openDatabase(
  servers: Server[],
  log: Logger,
  check?: (client: pg.ClientBase) => Promise<void>,
): Promise<Database> {
  const pools: Pool[] = [];
  const stop = new AbortController();
  let { server, client, citus } = await findWritable(servers, startPatienceMs);
  let lostAt = null as number | null;

  const running = (async () => {
    while (!stop.signal.aborted) {
      await delay(lookEveryMs, undefined, { signal: stop.signal, ref: false }).catch(() => {});
      if (stop.signal.aborted) break;
      const reason = client && (await look(client, patienceMs)).unusable;
      if (reason === null) continue;
      // A server that stops breaks its connections. A network that drops packets does not.
      if (reason === isSilent) for (const pool of pools) pool.waitAtMost(patienceMs);
      client?.connection.stream.destroy();
      client = undefined;
      await lookAround(reason ?? '');
    }
  })();

  async function lookAround(reason: string): Promise<void> {
    try {
      const from = server;
      // The current server comes last: it has just failed, and after a failover it may return as a former primary.
      ({ server, client, citus } = await findWritable(
        [...servers.filter((one) => one !== from), from],
        patienceMs,
      ));
      for (const pool of pools) pool.renew();
      const seconds = lostAt === null ? 0 : Math.round((Date.now() - lostAt) / 1000);
      lostAt = null;
      log.warn({ host: client?.host, reason, seconds }, 'the database connection was lost and is back');
    } catch (err) {
      if (lostAt === null) log.error({ err, reason }, 'the database is unavailable; requests get 503');
      lostAt ??= Date.now();
    }
  }

  return {
    pool(options) {
      const pool = openPool(
        () => ({ ...server, citus }),
        options,
        (err) => log.debug({ err }, 'an idle database connection broke'),
        check,
      );
      pools.push(pool);
      return pool;
    },
    isUsable: () => lostAt === null,
    async close() {
      stop.abort();
      client?.connection.stream.destroy();
      await Promise.all([running, ...pools.map((pool) => pool.end())]);
    },
  };
}

/** Runs `run` on a connection to the server that accepts writes: for one-off tasks that may take long. */
export async function visit<T>(
  servers: Server[],
  run: (pool: Pool) => Promise<T>,
  application_name = `${applicationName} visit`,
): Promise<T> {
  const { server, client, citus } = await findWritable(servers, startPatienceMs);
  client?.connection.stream.destroy();
  const pool = openPool(
    () => ({ ...server, citus, application_name }),
    { max: 1, statement_timeout: 0 },
    () => {},
  );
  try {
    return await run(pool);
  } finally {
    await pool.end();
  }
}

/** Sets defaults of the role in this database, because sessions of a pooler cannot have settings. */
export function setRoleDefaults(servers: Server[]): Promise<void> {
  return visit(servers, async (pool) => {
    const settings = sessionSettings(await hasCitus(pool));
    await transaction(pool, async (tx) => {
      // Two processes that set them at the same time would fail.
      await tx.query(`select pg_advisory_xact_lock(hashtext('partner-signals role'))`);
      const { rows } = await tx.query<{ name: string }>(`select quote_ident(current_database()) as name`);
      for (const [name, value] of Object.entries(settings))
        await tx.query(`alter role current_user in database ${rows[0]?.name} set ${name} = '${value}'`);
    });
  });
}

/** The first server that responds and accepts writes, or an error with the reason. */
async function findWritable(
  servers: Server[],
  waitMs: number,
): Promise<{ server: Server; client: pg.Client | undefined; citus: boolean }> {
  let failure: Error | undefined;
  for (const server of servers) {
    const { pooled: _, prepare: __, ...connection } = server;
    const client = new pg.Client({
      application_name: `${applicationName} watch`,
      ...connection,
      connectionTimeoutMillis: waitMs,
    });
    // Without a listener, the error would end the process; the next check finds the connection unusable.
    client.on('error', () => {});
    try {
      await client.connect();
      const { unusable, citus } = await look(client, waitMs);
      if (unusable === null) return { server, client, citus };
      failure = Object.assign(new Error(unusable), { code: '25006' });
    } catch (error) {
      failure = error as Error;
    }
    client.connection.stream.destroy();
  }
  throw failure ?? new Error('no server is named');
}

/** The driver's message for a query that got no response in time. */
const isSilent = 'Query read timeout';

/** Why the connection cannot write, or null if it can; and whether it leads to a Citus cluster. */
async function look(client: pg.Client, waitMs: number): Promise<{ unusable: string | null; citus: boolean }> {
  try {
    const { rows } = await client.query<{ read_only: boolean; citus: boolean }>({
      text: `
        select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only,
          ${isCitus} as citus`,
      query_timeout: waitMs,
    } as pg.QueryConfig);
    return {
      unusable: rows[0]?.read_only ? 'the server is read-only' : null,
      citus: rows[0]?.citus === true,
    };
  } catch (error) {
    return { unusable: (error as Error).message, citus: false };
  }
}
