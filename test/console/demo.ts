import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { prepareDemo } from '../../src/demo/prepare.ts';
import { createDatabase, startTestService, type TestService, testDb, testPool } from '../harness.ts';

/** The service with the demo data, which is loaded once per run; each caller gets a copy. */
export async function startDemo(): Promise<{ service: TestService; key: string }> {
  const service = await startTestService({}, await copyDemo());
  const { data } = (await service.operator('GET', '/admin/v1/organizations')).body;
  const body = { name: 'manager', scopes: ['admin', 'ingest'] };
  const issued = await service.operator('POST', `/admin/v1/organizations/${data[0].id}/keys`, body);
  return { service, key: issued.body.data.key };
}

const template = 'demo';

async function copyDemo(): Promise<string> {
  const client = new pg.Client(inject('postgres'));
  await client.connect();
  try {
    // Other workers wait until it is loaded.
    await client.query(`select pg_advisory_lock(hashtext('${template}'))`);
    const known = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (known.rowCount === 0) {
      const loaded = await loadDemo();
      await client.query(`alter database ${loaded} rename to ${template}`);
      // A database with a connection cannot be copied.
      await client.query(`alter database ${template} allow_connections false`);
    }
    return await createDatabase({ template });
  } finally {
    await client.end();
  }
}

/** Returns the name of the database with the demo data. */
async function loadDemo(): Promise<string> {
  const url = await createDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'ps-demo-'));
  const pool = testPool(url);
  const { db, close } = testDb(url);
  await prepareDemo(db, dataDir, new Date());
  await close();
  const { rows } = await pool.query<{ name: string }>('select current_database() as name');
  await pool.end();
  await rm(dataDir, { recursive: true });
  return rows[0]?.name ?? '';
}
