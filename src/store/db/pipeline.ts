import type pg from 'pg';
import type { Pool } from './connection.ts';
import { isConnectionFailure } from './failures.ts';
import type { Statement } from './tx.ts';

type Asked = {
  statement: Statement;
  answered: (result: pg.QueryResult) => void;
  failed: (error: unknown) => void;
};

/** Each statement waits for those before it on its connection. */
const mostOnOne = 4;

/**
 * For statements that read at most a page. Those from the same iteration of the event loop are sent over one connection in
 * one write, and their results come back together: a connection, a write and a wake-up for each would cost more than the
 * work.
 */
export function createPipeline(
  pool: Pick<Pool, 'connect'>,
): (statement: Statement) => Promise<pg.QueryResult> {
  let asked: Asked[] = [];

  function query(statement: Statement): Promise<pg.QueryResult> {
    return new Promise((answered, failed) => {
      if (asked.length === 0) setImmediate(sendAll);
      asked.push({ statement, answered, failed });
    });
  }

  function sendAll(): void {
    const all = asked;
    asked = [];
    for (let i = 0; i < all.length; i += mostOnOne) void send(all.slice(i, i + mostOnOne));
  }

  async function send(batch: Asked[]): Promise<void> {
    try {
      const client = await pool.connect();
      const { stream } = client.connection;
      let waiting = batch.length;
      let broken: Error | undefined;
      stream.cork();
      for (const { statement, answered, failed } of batch) {
        client.query(statement, (error: Error | null, result) => {
          if (error && isConnectionFailure(error)) broken = error;
          if (--waiting === 0) client.release(broken);
          if (error) failed(error);
          else answered(result);
        });
      }
      stream.uncork();
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
  }

  return query;
}
