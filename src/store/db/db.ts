import type { Logger } from 'pino';
import type { OrganizationId } from '../../contract/ids.ts';
import { lockOrganizationFacts, tryLockOrganizationFacts } from '../keys/organizations.ts';
import { type Pool, type Session, snapshot, transaction } from './connection.ts';
import type { Database } from './database.ts';
import { notifyListeners } from './database-listener.ts';
import { writeLast } from './last-writes.ts';
import { createOrganizationQueue } from './organization-queue.ts';
import { createPipeline } from './pipeline.ts';
import { isShown, type Table } from './tables.ts';
import {
  FactsNeeded,
  type FactsTx,
  noLastWrites,
  operators,
  type Reader,
  type Statement,
  type Tx,
  type Upkeep,
  type UpkeepTx,
} from './tx.ts';

/**
 * The only way to the database. Callers say what they do. This chooses the connection, the queue and the order of locks,
 * retries what can be retried, wakes workers after a commit that has work for them, and changes the organization's version
 * after a commit that changed what it can see.
 *
 * Every statement of an organization has the organization as its first parameter, which is checked here.
 */
export type Db = {
  /** For statements that read at most a page. They are pipelined with those of other requests. */
  read(orgId: OrganizationId): Reader;
  /** For everything that reads more: a snapshot on its own connection. */
  report<T>(orgId: OrganizationId, run: (db: Reader) => Promise<T>): Promise<T>;
  /** A transaction. It may be retried, so it must not do anything outside the database that cannot be done twice. */
  write<T>(orgId: OrganizationId, run: (tx: Tx) => Promise<T>): Promise<T>;
  /** A transaction that derives signals or credit from facts: one at a time per organization. */
  facts<T>(orgId: OrganizationId, run: (tx: FactsTx) => Promise<T>): Promise<T>;
  /** The same for work that can wait: null while another transaction has the facts lock. */
  factsIfFree<T>(orgId: OrganizationId, run: (tx: FactsTx) => Promise<T>): Promise<T | null>;
  /**
   * Bookkeeping that clients never see, as single statements or a transaction. A crash of the database can undo the last
   * writes, so they must be repeatable.
   */
  upkeep: {
    (orgId: OrganizationId): Upkeep;
    <T>(orgId: OrganizationId, run: (tx: UpkeepTx) => Promise<T>): Promise<T>;
  };
  /** Data outside of organizations: the organizations themselves, owners of keys, the audit log. */
  global: Upkeep;
  /** Bookkeeping across organizations: the queue of due work, and the last use of keys. */
  queue: Upkeep;
  /** Whether facts are being loaded, or were within the last second. */
  isLoading(): boolean;
};

export type PoolSize = ReturnType<Pool['size']>;

export type DbOptions = {
  log: Logger;
  /** Called for each pool, for the metrics. */
  onPool?: (name: string, size: () => PoolSize) => void;
  /** For tests: a transaction fails if it wrote a table that its statements do not declare. */
  checkWrites?: boolean;
};

/** Of ten connections for requests and six for reports: two busy organizations leave some for the others. */
const requestsPerOrganization = 4;
const reportsPerOrganization = 2;
/** The chunks of a stream arrive faster than this. */
const loadingMs = 1_000;

export function openDb(
  database: Pick<Database, 'pool'>,
  { log, onPool = () => {}, checkWrites = false }: DbOptions,
): Db {
  const open = (name: string, options: Parameters<Database['pool']>[0]) => {
    const pool = database.pool(options);
    onPool(name, pool.size);
    return pool;
  };
  // A request that waits for a lock of a long batch gives its connection back, because all organizations share them.
  const requestPool = open('requests', { max: 10, lock_timeout: 2_000, statement_timeout: 15_000 });
  const reportPool = open('reports', { max: 6 });
  const factsPool = open('facts', { max: 4, idle_in_transaction_session_timeout: 10_000 });
  // A separate pool, so that nothing else can delay deliveries.
  const upkeepPool = open('upkeep', { max: 4, statement_timeout: 10_000, synchronous_commit: 'off' });

  const requests = createOrganizationQueue(requestsPerOrganization);
  const reports = createOrganizationQueue(reportsPerOrganization);
  const batches = createOrganizationQueue(1);
  const pages = createPipeline(requestPool);
  const wake = createWakeUp(() => notifyListeners(db.queue, 'deliveries'), log);
  let loadedAt = Number.NEGATIVE_INFINITY;

  async function transact<T>(
    pool: Pool,
    orgId: OrganizationId,
    run: (tx: Tx) => Promise<T>,
    holdsFacts = false,
  ): Promise<T> {
    const [result, last] = await transaction(pool, async (session) => {
      const written = new Set<Table>();
      const query = (statement: Statement) => {
        checkOrganization(statement, orgId);
        for (const table of statement.writes ?? []) {
          if (isShown(table)) tx.last.isChange = true;
          written.add(table);
        }
        return session.query(statement);
      };
      const tx: Tx = { query: query as Tx['query'], last: noLastWrites(orgId), holdsFacts };
      const before = checkWrites ? await countWrites(session) : null;
      const result = await run(tx);
      await writeLast(tx);
      if (before) refuseOthers(before, await countWrites(session), written);
      return [result, tx.last] as const;
    });
    if (last.dueWebhooks.size > 0) wake();
    return result;
  }

  const db: Db = {
    read: (orgId) => bound(orgId, (statement) => requests.run(orgId, () => pages(statement))),
    report: (orgId, run) =>
      reports.run(orgId, () => snapshot(reportPool, (session) => run(bound(orgId, sendBy(session))))),
    async write(orgId, run) {
      try {
        return await requests.run(orgId, () => transact(requestPool, orgId, run));
      } catch (error) {
        if (!(error instanceof FactsNeeded)) throw error;
        return db.facts(orgId, run);
      }
    },
    facts: (orgId, run) =>
      batches.run(orgId, async () => {
        try {
          return await transact(factsPool, orgId, lockingFacts(orgId, run), true);
        } finally {
          loadedAt = performance.now();
        }
      }),
    async factsIfFree(orgId, run) {
      if (batches.isBusyWith(orgId)) return null;
      const unlessLocked = async (tx: Tx) =>
        (await tryLockOrganizationFacts(tx, orgId)) ? run(tx as FactsTx) : null;
      return transact(factsPool, orgId, unlessLocked, true);
    },
    upkeep: (<T>(orgId: OrganizationId, run?: (tx: UpkeepTx) => Promise<T>) => {
      if (run) return transact(upkeepPool, orgId, run);
      return checkWrites
        ? { query: (statement: Statement) => transact(upkeepPool, orgId, (tx) => tx.query(statement)) }
        : bound(orgId, sendBy(upkeepPool));
    }) as Db['upkeep'],
    global: { query: sendBy(requestPool) as Upkeep['query'] },
    queue: { query: sendBy(upkeepPool) as Upkeep['query'] },
    isLoading: () => batches.isBusy() || performance.now() - loadedAt < loadingMs,
  };
  return db;
}

type Send = (statement: Statement) => Promise<unknown>;

function sendBy(session: Session): Send {
  return (statement) => session.query(statement);
}

function bound(orgId: OrganizationId, send: Send): Reader {
  const query = (statement: Statement) => {
    checkOrganization(statement, orgId);
    return send(statement);
  };
  return { query: query as Reader['query'] };
}

function checkOrganization({ name, values }: Statement, orgId: OrganizationId): void {
  const first = values?.[0];
  if (values !== undefined && first !== orgId && first !== operators)
    throw new Error(`The statement ${name} names another organization than its transaction.`);
}

/**
 * Takes the lock first. Statements of a connection run in the order in which they are sent, so `run` does not have to wait.
 */
function lockingFacts<T>(orgId: OrganizationId, run: (tx: FactsTx) => Promise<T>): (tx: Tx) => Promise<T> {
  return async (tx) => {
    const locked = lockOrganizationFacts(tx, orgId);
    // If it fails, so do the statements after it.
    locked.catch(() => {});
    const result = await run(tx as FactsTx);
    await locked;
    return result;
  };
}

const gatherMs = 5;

/**
 * Notifies all workers of due work, after the commit: inside a transaction, a notification makes commits wait for each
 * other. Requests within 5 ms become one notification.
 */
function createWakeUp(send: () => Promise<void>, log: Logger): () => void {
  let pending = false;
  return () => {
    if (pending) return;
    pending = true;
    setTimeout(() => {
      pending = false;
      send().catch((err) => log.debug({ err }, 'a wake-up was lost; the next poll finds the work'));
    }, gatherMs);
  };
}

type Writes = Map<Table, number>;

/** Includes earlier transactions of the connection whose statistics are not flushed yet. */
async function countWrites(session: Session): Promise<Writes> {
  const { rows } = await session.query<{ name: Table; count: number }>(
    `select relname as name, n_tup_ins + n_tup_upd + n_tup_del as count from pg_stat_xact_user_tables`,
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}

function refuseOthers(before: Writes, after: Writes, declared: Set<Table>): void {
  const others = [...after]
    .filter(([name, count]) => count > (before.get(name) ?? 0) && !declared.has(name))
    .map(([name]) => name);
  if (others.length > 0)
    throw new Error(`No statement of this transaction declares that it writes: ${others.join(', ')}.`);
}
