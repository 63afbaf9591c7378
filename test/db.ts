import { createLogger } from '../src/http/server/log.ts';
import { openPool, type Pool, type Server } from '../src/store/db/connection.ts';
import type { Database } from '../src/store/db/database.ts';
import { type Db, type DbOptions, openDb } from '../src/store/db/db.ts';

/** For tests that act like the service at another time or in their own transaction. */
export function dbTo(
  server: Server,
  options: Partial<DbOptions> = {},
): { db: Db; close: () => Promise<void> } {
  const pools: Pool[] = [];
  const pool: Database['pool'] = (options) => {
    const opened = openPool(
      () => server,
      options,
      () => {},
    );
    pools.push(opened);
    return opened;
  };
  return {
    db: openDb({ pool }, { log: createLogger('silent'), ...options }),
    close: async () => void (await Promise.all(pools.map((one) => one.end()))),
  };
}
