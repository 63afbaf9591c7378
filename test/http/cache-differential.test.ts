import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomOf } from '../../src/demo/random.ts';
import { document } from '../api-document.ts';
import {
  compare,
  compareAfterRandomWrites,
  createWorld,
  type Processes,
  startProcesses,
} from './cache-differential.ts';
import { writes } from './random-writes.ts';

let processes: Processes;
beforeAll(async () => {
  processes = await startProcesses();
});
afterAll(() => processes.close());

test('a change that leaves the version as it is would be noticed', async () => {
  const world = await createWorld(processes, randomOf(1, 0, 0));
  const { pool } = processes.fresh;
  await pool.query(`update partners set name = 'Unseen' where org_id = $1`, [world.org.orgId]);
  await expect(compare(world, processes)).rejects.toThrow('stale');
});

test('no process answers from its cache what has changed, whatever changed it', async () => {
  const applied = await compareAfterRandomWrites(processes, 10);
  expect(applied.size).toBeGreaterThan(5);
});

test('nor what a background job has changed', async () => {
  await compareAfterRandomWrites(await processes.withJobs(), 4);
});

test('every operation that writes is among the random ones', () => {
  const ids = Object.values(document.paths).flatMap(({ get, ...others }) =>
    Object.values(others).map(({ operationId }) => operationId),
  );
  const missing = ids.filter((id) => !(id in writes));
  expect(missing, 'add these operations to `writes` in test/http/random-writes.ts').toEqual([]);
});
