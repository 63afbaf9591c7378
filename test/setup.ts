import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../src/store/embedded/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** One real PostgreSQL for the whole run, on a Unix socket; every service under test gets a database of its own. */
    postgres: { host: string; port: number; user: string; database: string };
  }
}

export async function setup(project: TestProject) {
  const dataDir = await mkdtemp(join(tmpdir(), 'ps-test-'));
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  // As the superuser, who may make a database for each service; the service's own role may not.
  project.provide('postgres', { ...postgres.connection, user: 'postgres' });
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
