import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Pool } from '../../store/connection.ts';
import { visit } from '../../store/database.ts';
import { connectionTo } from '../../store/embedded/lock.ts';
import { pendingMigrations } from '../../store/migrate.ts';
import { clockFinding, type Finding, fail, ok, reasonOf, warn } from './finding.ts';

export async function* checkDatabase({ database, dataDir }: Config): AsyncGenerator<Finding> {
  const cluster = join(dataDir, 'postgres');
  if (!database && !existsSync(join(cluster, 'postmaster.pid'))) {
    const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => null);
    return yield ok(
      'database',
      version
        ? `embedded, PostgreSQL ${version.trim()}, not running`
        : 'embedded; the first start creates it',
    );
  }
  try {
    const servers = database?.direct ?? [await connectionTo(await realpath(cluster))];
    yield* await visit(servers, (pool) => ask(pool, database ? '' : 'embedded, '));
  } catch (error) {
    const advice = database ? 'Check DATABASE_URL, and that the server is running.' : 'Restart the service.';
    yield fail('database', `cannot be queried: ${reasonOf(error)}`, advice);
  }
}

async function ask(pool: Pool, kind: string): Promise<Finding[]> {
  const { rows } = await pool.query<{ version: string; number: number }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
  );
  const { version = '', number = 0 } = rows[0] ?? {};
  if (number < 150_000) return [fail('database', `PostgreSQL ${version}`, 'Use PostgreSQL 15 or later.')];

  const pending = await pendingMigrations(pool);
  const migrations =
    pending.length === 0
      ? ok('migrations', 'none pending')
      : warn(
          'migrations',
          `pending: ${pending.join(', ')}`,
          'Run partner-signals migrate, or start the service.',
        );

  // The connection is already open, so this measures a single round trip.
  const asked = Date.now();
  const clock = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const middle = (asked + Date.now()) / 2;
  return [
    ok('database', `${kind}PostgreSQL ${version}`),
    migrations,
    clockFinding('database clock', (clock.rows[0]?.now.getTime() ?? 0) - middle),
  ];
}
