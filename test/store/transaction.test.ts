import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Pool, transaction } from '../../src/store/db/connection.ts';
import { createDatabase } from '../harness.ts';

let pool: Pool;
beforeAll(async () => {
  // One connection: what is sent too late could only reach the next user of it.
  pool = connect({ connectionString: await createDatabase({ isEmpty: true }), max: 1 }, () => {});
  await pool.query('create table written (by_whom text)');
});
afterAll(() => pool.end());

test.each(['commit', 'rollback'])(
  'a statement that comes after the %s of its transaction is refused',
  async (end) => {
    let late: Promise<unknown> | undefined;
    const ended = transaction(pool, async (tx) => {
      late = delay(50).then(() => tx.query(`insert into written values ('late')`));
      late.catch(() => {});
      await tx.query(`insert into written values ('in time')`);
      if (end === 'rollback') throw new Error('on purpose');
    });
    if (end === 'rollback') await expect(ended).rejects.toThrow('on purpose');
    else await ended;
    await transaction(pool, async () => {
      await expect(late).rejects.toThrow('after the end of its transaction');
    });
    const { rows } = await pool.query('delete from written returning by_whom');
    expect(rows).toEqual(end === 'rollback' ? [] : [{ by_whom: 'in time' }]);
  },
);

test('a transaction fails with the first of its errors, though a statement that was sent along with it is heard of sooner', async () => {
  const ended = transaction(pool, async (tx) => {
    await Promise.all([heardOfLater(tx.query('select 1 / 0')), tx.query('select 1')]);
  });
  await expect(ended).rejects.toThrow('division by zero');
});

test('and what can be tried again is', async () => {
  let attempts = 0;
  const failing = `do $$ begin raise exception using errcode = 'serialization_failure'; end $$`;
  await transaction(pool, async (tx) => {
    const statement = ++attempts === 1 ? failing : 'select 1';
    await Promise.all([heardOfLater(tx.query(statement)), tx.query('select 1')]);
  });
  expect(attempts).toBe(2);
});

/** As through one function more. */
async function heardOfLater(sent: Promise<unknown>): Promise<void> {
  await sent.finally(() => delay(20));
}
