import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { CommandError, usageError } from '../terminal/exit-codes.ts';
import { type JsonOption, note, withExamples, withJson, writeOne } from '../terminal/output.ts';

type Options = {
  databaseUrl?: string;
  databaseDirectUrl?: string;
  dataDir: string;
  dryRun?: boolean;
  shards: number;
} & JsonOption;
type Outcome = { database: string; applied: string[]; pending: string[] };

export function migrateCommand(): Command {
  const command = new Command('migrate')
    .description(
      'Migrate the database. The service also does this when it starts; run this to do it beforehand.',
    )
    .option('--dry-run', 'only list pending migrations')
    .addOption(
      new Option(
        '--database-url <url>',
        'database to migrate (default: the embedded one in --data-dir, started for this command)',
      ).env('DATABASE_URL'),
    )
    .addOption(
      new Option(
        '--database-direct-url <url>',
        'the same database, bypassing a connection pooler, which cannot run migrations',
      ).env('DATABASE_DIRECT_URL'),
    )
    .addOption(
      new Option('--data-dir <dir>', 'folder of the embedded database').env('DATA_DIR').default('./data'),
    )
    .addOption(
      new Option(
        '--shards <count>',
        'on Citus: number of shards to spread the tables over, when they are first distributed',
      )
        .env('CITUS_SHARDS')
        .default(32)
        .argParser(shardCount),
    )
    .action(runMigrations);
  return withExamples(
    withJson(command),
    `partner-signals migrate --dry-run
    DATABASE_URL=postgresql://… partner-signals migrate`,
  );
}

async function runMigrations(options: Options): Promise<void> {
  const { dryRun } = options;
  const databaseUrl = options.databaseDirectUrl ?? options.databaseUrl;
  const dataDir = resolve(options.dataDir);
  const database = databaseUrl ? 'the database in DATABASE_URL' : `the embedded database in ${dataDir}`;
  const { migrate, pendingMigrations } = await import('../../store/db/migrate.ts');
  const finish = (outcome: Omit<Outcome, 'database'>) => writeOne({ database, ...outcome }, options, lines);
  if (!databaseUrl && dryRun && !existsSync(join(dataDir, 'postgres'))) {
    note(`There is no embedded database in ${dataDir} yet. The first start creates it.`);
    return finish({ applied: [], pending: await pendingMigrations(null) });
  }
  const { isConnectionFailure } = await import('../../store/db/failures.ts');
  const { visit } = await import('../../store/db/database.ts');
  const named = databaseUrl ? await parse(databaseUrl) : null;
  const embedded = named ? null : await startEmbedded(dataDir);
  const servers = named ?? (embedded ? [embedded.connection] : []);
  try {
    const embeddedDir = embedded?.directory;
    if (dryRun) {
      const pending = await visit(servers, (pool) => pendingMigrations(pool, embeddedDir));
      await finish({ applied: [], pending });
    } else {
      const applied = await migrate(servers, { shardCount: options.shards, onProgress: note, embeddedDir });
      await finish({ applied, pending: [] });
    }
  } catch (error) {
    if (!isConnectionFailure(error)) throw error;
    throw new CommandError(`Cannot use ${database}: ${(error as Error).message}`);
  } finally {
    await embedded?.stop();
  }
}

function shardCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw usageError('--shards must be a whole number from 1 to 99999.');
  return Number(text);
}

async function parse(url: string) {
  const { DatabaseUrlError, parseDatabaseUrl } = await import('../../store/db/database-url.ts');
  try {
    return parseDatabaseUrl(url);
  } catch (error) {
    throw error instanceof DatabaseUrlError ? usageError(`DATABASE_URL ${error.message}.`) : error;
  }
}

/** Only one process can use it: while the service runs on it, this fails with a message that says so. */
async function startEmbedded(dataDir: string) {
  const { startEmbeddedPostgres } = await import('../../store/db/embedded/postgres.ts');
  note(`DATABASE_URL is not set; starting the embedded database in ${dataDir} for this command.`);
  return startEmbeddedPostgres({ dataDir, log: () => {} });
}

function lines({ database, applied, pending }: Outcome): string {
  if (pending.length > 0) return pending.map((name) => `pending  ${name}`).join('\n');
  if (applied.length > 0) return applied.map((name) => `applied  ${name}`).join('\n');
  return `Nothing to do: ${database} is up to date.`;
}
