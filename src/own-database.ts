import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './store/db/embedded/postgres.ts';

/** Null if DATABASE_URL is set. */
export function startOwnDatabase(config: Config, log: Logger): Promise<EmbeddedPostgres> | null {
  if (config.database) return null;
  return startEmbeddedPostgres({
    dataDir: config.dataDir,
    log: (line) => log.debug({ line }, 'postgres'),
  });
}
