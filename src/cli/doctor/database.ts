import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Pool } from '../../store/db/connection.ts';
import { visit } from '../../store/db/database.ts';
import { connectionTo } from '../../store/db/embedded/lock.ts';
import { MigrationError, pendingMigrations } from '../../store/db/migrate.ts';
import { listOrganizations } from '../../store/keys/organizations.ts';
import { findWrongCounts } from '../../store/signals/signal-counts.ts';
import { clockFinding, type Finding, fail, ok, reasonOf, warn } from './finding.ts';

export async function* checkDatabase(
  { database, dataDir }: Config,
  counts: boolean,
): AsyncGenerator<Finding> {
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
    const embeddedDir = database ? undefined : await realpath(cluster);
    const servers = database?.direct ?? [await connectionTo(embeddedDir ?? cluster)];
    yield* await visit(servers, async (pool) => {
      const findings = await ask(pool, embeddedDir);
      const usable = findings.every(({ status }) => status !== 'fail');
      return counts && usable ? [...findings, await compareCounts(pool)] : findings;
    });
  } catch (error) {
    const advice = database ? 'Check DATABASE_URL, and that the server is running.' : 'Restart the service.';
    yield fail('database', `cannot be queried: ${reasonOf(error)}`, advice);
  }
}

async function ask(pool: Pool, embeddedDir: string | undefined): Promise<Finding[]> {
  const { rows } = await pool.query<{ version: string; number: number }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
  );
  const { version = '', number = 0 } = rows[0] ?? {};
  if (number < 150_000) return [fail('database', `PostgreSQL ${version}`, 'Use PostgreSQL 15 or later.')];

  // The connection is already open, so this measures a single round trip.
  const asked = Date.now();
  const clock = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const middle = (asked + Date.now()) / 2;
  return [
    ok('database', `${embeddedDir ? 'embedded, ' : ''}PostgreSQL ${version}`),
    await checkMigrations(pool, embeddedDir),
    clockFinding('database clock', (clock.rows[0]?.now.getTime() ?? 0) - middle),
  ];
}

async function checkMigrations(pool: Pool, embeddedDir: string | undefined): Promise<Finding> {
  try {
    const pending = await pendingMigrations(pool, embeddedDir);
    if (pending.length === 0) return ok('migrations', 'none pending');
    const advice = 'Run partner-signals migrate, or start the service.';
    return warn('migrations', `pending: ${pending.join(', ')}`, advice);
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return fail('migrations', error.problem, error.advice);
  }
}

/** One organization after another, each in one snapshot. */
async function compareCounts(pool: Pool): Promise<Finding> {
  let organizations = 0;
  const wrong: string[] = [];
  for (let after: string[] | null = null; ; ) {
    const page = await listOrganizations(pool, 100, after);
    for (const { id } of page) {
      organizations++;
      for (const { partner_id, type, state, kept, real } of await findWrongCounts(pool, id))
        wrong.push(`${id} ${partner_id} ${type} ${state}: counted ${kept}, found ${real}`);
    }
    const last = page.at(-1);
    if (!last) break;
    after = [last.id];
  }
  if (wrong.length === 0)
    return ok('signal counts', `agree with the signals (organizations checked: ${organizations})`);
  return fail(
    'signal counts',
    `${wrong.length} disagree, the first: ${wrong.slice(0, 3).join('; ')}`,
    'Please report this as a bug, with these lines.',
  );
}
