import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openPool } from '../../src/store/db/connection.ts';
import { isConnectionFailure } from '../../src/store/db/failures.ts';
import { startProxy } from '../proxy.ts';

test('a connection that owes an answer is given up when it goes silent, and one that owes none is kept', async () => {
  const proxy = await startProxy();
  onTestFinished(() => proxy.close());
  const server = { ...inject('postgres'), host: '127.0.0.1', port: proxy.port };
  const open = () => {
    const pool = openPool(
      () => server,
      { max: 1, statement_timeout: 100 },
      () => {},
    );
    onTestFinished(() => pool.end());
    return pool;
  };
  const [asked, idle] = [open(), open()];
  const processOf = async (pool: typeof idle) =>
    (await pool.query('select pg_backend_pid() as id')).rows[0].id;
  await processOf(asked);
  proxy.freeze();
  const before = await processOf(idle);
  const failure = await asked.query('select 1').then(
    () => undefined,
    (error) => error,
  );
  expect(failure).toMatchObject({ message: 'Query read timeout' });
  expect(isConnectionFailure(failure)).toBe(true);
  await delay(200);
  expect(await processOf(idle)).toBe(before);
  await processOf(asked);
});
