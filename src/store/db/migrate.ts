import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { distributeTables } from './citus.ts';
import { applicationName, type Pool, type Server, type Session, transaction } from './connection.ts';
import { visit } from './database.ts';

const ours = new URL('../../../migrations/', import.meta.url);

/** The message is one line for the person who starts the service. */
export class MigrationError extends Error {
  readonly problem: string;
  readonly advice: string;

  constructor(problem: string, advice: string) {
    super(`${problem} ${advice}`);
    this.problem = problem;
    this.advice = advice;
  }
}

type Migration = { version: number; name: string; sql: string; checksum: string };

/**
 * Migrates the schema to this version, forward only; safe if several processes start at the same time. Its connection has
 * its own application name, which distinguishes it from working processes.
 */
export function migrate(
  servers: Server[],
  { shardCount = 32, onProgress = () => {}, ...from }: MigrateOptions = {},
): Promise<string[]> {
  return visit(
    servers,
    async (pool) => {
      const applied = await migrateBy(pool, from);
      const distributed = await distributeTables(pool, shardCount, onProgress);
      return [...applied, ...distributed.map((table) => `distributed ${table}`)];
    },
    `${applicationName} migrate`,
  );
}

type From = {
  /** The folder of the embedded database, which a person may have to delete. */
  embeddedDir?: string | undefined;
  /** For tests: migrations other than those of this version. */
  directory?: URL;
};

export type MigrateOptions = From & {
  /** For a Citus cluster, when its tables are first distributed. */
  shardCount?: number;
  onProgress?: (line: string) => void;
};

async function migrateBy(pool: Pool, { embeddedDir, directory }: From): Promise<string[]> {
  const { rows } = await pool.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  if ((rows[0]?.version ?? 0) < 150_000)
    throw new MigrationError('The database is older than PostgreSQL 15.', 'Use PostgreSQL 15 or later.');
  const migrations = await readMigrations(directory);
  return transaction(pool, async (tx) => {
    // The second process waits here and then finds nothing left to do.
    await tx.query(`set local statement_timeout = 0; set local lock_timeout = 0`);
    await tx.query(`select pg_advisory_xact_lock(hashtext('partner-signals migrations'))`);
    await tx.query(`
      create table if not exists schema_migrations (
        version int primary key,
        name text not null,
        checksum text not null,
        stops_older boolean not null default false,
        applied_at timestamptz not null default now()
      )`);
    const applied = await readApplied(tx);
    refuseForeign(applied, migrations, embeddedDir);
    const pending = migrations.filter((migration) => !applied.has(migration.version));
    const stopping = pending.find(stopsOlder);
    // A new database has no older processes.
    if (stopping && applied.size > 0) await refuseOlderProcesses(tx, stopping);
    for (const migration of pending) {
      for (const statement of statementsOf(migration.sql)) await tx.query(statement);
      await tx.query(
        `insert into schema_migrations (version, name, checksum, stops_older) values ($1, $2, $3, $4)`,
        [migration.version, migration.name, migration.checksum, stopsOlder(migration)],
      );
    }
    return pending.map((migration) => migration.name);
  });
}

/** Whether older processes cannot work with the resulting schema. */
function stopsOlder({ sql }: Migration): boolean {
  return sql.startsWith('-- stop-older-processes\n');
}

const checkMs = 5_000;

/**
 * Refuses connections to a database that a newer version has migrated incompatibly: a process that was suspended meanwhile,
 * or that a failover led to another server, would otherwise continue to write.
 */
export async function schemaCheck(
  onOutdated: (reason: string) => void,
): Promise<(client: Pick<pg.ClientBase, 'query'>) => Promise<void>> {
  const newest = (await readMigrations()).at(-1)?.version ?? 0;
  return async (client) => {
    const { rows } = await client.query<{ name: string }>({
      text: `select name from schema_migrations where version > $1 and stops_older order by version limit 1`,
      values: [newest],
      query_timeout: checkMs,
    } as pg.QueryConfig);
    if (!rows[0]) return;
    const error = new MigrationError(
      `A newer version of the service has migrated the database (${rows[0].name}), and this one cannot work with it.`,
      'Start the newer version instead.',
    );
    onOutdated(error.message);
    throw error;
  };
}

/** One by one: Citus passes the text on to other nodes, which accept one statement at a time. */
function statementsOf(sql: string): string[] {
  // The body of a function contains statements of its own.
  return sql.includes('$$') ? [sql] : sql.split(/;[ ]*\n/).filter((statement) => statement.trim() !== '');
}

/** What `migrate` would do to a database, or to one that does not exist yet; changes nothing. */
export async function pendingMigrations(pool: Pool | null, embeddedDir?: string): Promise<string[]> {
  const migrations = await readMigrations();
  const known = await pool?.query(`select to_regclass('schema_migrations') is not null as made`);
  if (!pool || !known?.rows[0].made) return migrations.map(({ name }) => name);
  const applied = await readApplied(pool);
  refuseForeign(applied, migrations, embeddedDir);
  return migrations.filter(({ version }) => !applied.has(version)).map(({ name }) => name);
}

async function readMigrations(directory = ours): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, directory), 'utf8');
      return {
        version: Number(name.slice(0, 4)),
        name,
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
      };
    }),
  );
}

async function readApplied(db: Session): Promise<Map<number, { name: string; checksum: string }>> {
  const { rows } = await db.query<{ version: number; name: string; checksum: string }>(
    `select version, name, checksum from schema_migrations order by version`,
  );
  return new Map(rows.map((row) => [row.version, row]));
}

/** All of them are older: a process of this version or a later one would have migrated before it started to work. */
async function refuseOlderProcesses(db: Session, { name }: Migration): Promise<void> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) from pg_stat_activity where datname = current_database() and application_name = $1`,
    [applicationName],
  );
  const count = rows[0]?.count ?? 0;
  if (count > 0) {
    throw new MigrationError(
      `Migration ${name} cannot run while an older version of the service uses the database (${count} of its connections are open).`,
      'Stop all its processes, then try again.',
    );
  }
}

function refuseForeign(
  applied: Map<number, { name: string; checksum: string }>,
  migrations: Migration[],
  embeddedDir?: string,
): void {
  const schema = applied.get(1);
  if (schema && schema.checksum !== migrations[0]?.checksum) {
    throw new MigrationError(
      'The database was created by a version before 0.1.0, and this version cannot use it.',
      embeddedDir
        ? `Delete the folder ${embeddedDir} to start with an empty database; the operator key, the encryption keys and the certificates are outside of it and remain.`
        : 'Create an empty database, and set DATABASE_URL to it.',
    );
  }
  const newest = migrations.at(-1)?.version ?? 0;
  for (const [version, { name, checksum }] of applied) {
    if (version > newest) {
      throw new MigrationError(
        `The database is newer than this program (it has migration ${name}).`,
        'Run the version that migrated it, or a later one.',
      );
    }
    if (migrations.find((migration) => migration.version === version)?.checksum !== checksum) {
      throw new MigrationError(
        `Migration ${name} in the database differs from the one of this program: it was changed after it had been applied.`,
        'Restore the file, and put the change into a new migration.',
      );
    }
  }
}
