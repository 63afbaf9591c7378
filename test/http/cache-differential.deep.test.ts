import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareAfterRandomWrites, type Processes, startProcesses } from './cache-differential.ts';
import { writes } from './random-writes.ts';

let processes: Processes;
beforeAll(async () => {
  processes = await startProcesses();
});
afterAll(() => processes.close());

test('no process answers from its cache what has changed, in hundreds of writes', async () => {
  const applied = await compareAfterRandomWrites(processes, 400);
  expect([...applied].sort()).toEqual(Object.keys(writes).sort());
});

test('nor what a background job has changed', async () => {
  await compareAfterRandomWrites(await processes.withJobs(), 100);
});
