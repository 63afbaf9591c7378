import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Pool } from '../../src/store/db/connection.ts';
import { createPipeline } from '../../src/store/db/pipeline.ts';
import { all, type Reader } from '../../src/store/db/tx.ts';
import { createDatabase } from '../harness.ts';

let pool: Pool;
let taken: pg.PoolClient[];

beforeAll(async () => {
  const inner = connect({ connectionString: await createDatabase({ isEmpty: true }), max: 2 }, () => {});
  pool = {
    ...inner,
    connect: async () => {
      const client = await inner.connect();
      taken.push(client);
      return client;
    },
  };
});
afterAll(() => pool.end());

const pipelined = (pool: Parameters<typeof createPipeline>[0]): Reader => ({
  query: createPipeline(pool) as Reader['query'],
});
const number = (value: unknown) => ({ text: `select $1::int + 0 as n`, values: [value] });

test('what is asked in one turn shares a connection, four at a time; each gets its own answer', async () => {
  taken = [];
  const db = pipelined(pool);
  const asked = Array.from({ length: 9 }, (_, n) => all<{ n: number }>(db, number(n)));
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 9 }, (_, n) => [{ n }]));
  expect(taken).toHaveLength(3);
});

test('one that is refused takes none of the others with it, and the connection goes on', async () => {
  taken = [];
  const db = pipelined(pool);
  const asked = [1, 'x', 3].map((value) => all(db, number(value)));
  expect(await Promise.allSettled(asked)).toMatchObject([
    { value: [{ n: 1 }] },
    { reason: { code: '22P02' } },
    { value: [{ n: 3 }] },
  ]);
  await all(db, number(4));
  expect(taken[1]).toBe(taken[0]);
});

test('a connection that breaks fails all that wait on it, and is not used again', async () => {
  taken = [];
  const db = pipelined(pool);
  const end = { text: 'select pg_terminate_backend(pg_backend_pid())' };
  const asked = [all(db, number(1)), all(db, end), all(db, number(2))];
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect(await all(db, number(5))).toEqual([{ n: 5 }]);
  expect(taken[1]).not.toBe(taken[0]);
});

test('where no connection can be had, all hear of it', async () => {
  const db = pipelined({ connect: () => Promise.reject(new Error('none')) });
  const asked = [all(db, number(1)), all(db, number(2))];
  expect(await Promise.allSettled(asked)).toMatchObject([
    { reason: { message: 'none' } },
    { reason: { message: 'none' } },
  ]);
});
