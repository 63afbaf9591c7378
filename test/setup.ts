import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../src/store/db/embedded/postgres.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { type Node, prepareCitus } from './citus/cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** One real PostgreSQL for the whole run, on a Unix socket; every service under test gets its own database. */
    postgres: { host: string; port: number; user: string; database: string };
    /** The template databases: one migrated, so that migrations run once, and one without tables. */
    migrated: string;
    empty: string;
    /** The nodes of a Citus cluster, the coordinator first; empty for PostgreSQL alone. */
    nodes: Node[];
  }
}

export async function setup(project: TestProject) {
  if (process.env.CITUS_URL) {
    const { connection, nodes, migrated, empty, end } = await prepareCitus(process.env.CITUS_URL);
    project.provide('postgres', connection);
    project.provide('nodes', nodes);
    project.provide('migrated', migrated);
    project.provide('empty', empty);
    return end;
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'ps-test-'));
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  // The superuser can create a database for each service; the service's own role cannot.
  const connection = { ...postgres.connection, user: 'postgres' };
  const migrated = 'migrated';
  const client = new pg.Client(connection);
  await client.connect();
  // No test kills this server, so commits need not wait for the disk.
  await client.query('alter role postgres set synchronous_commit = off');
  await client.query(`create database ${migrated}`);
  await migrate([{ ...connection, database: migrated }]);
  // A database with a connection cannot be copied.
  await client.query(`alter database ${migrated} allow_connections false`);
  await client.end();
  project.provide('postgres', connection);
  project.provide('migrated', migrated);
  project.provide('empty', 'template0');
  project.provide('nodes', []);
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
