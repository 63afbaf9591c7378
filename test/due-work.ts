import type pg from 'pg';
import { expect, inject } from 'vitest';
import type { OrganizationId } from '../src/contract/ids.ts';
import type { Pool } from '../src/store/db/connection.ts';
import { noLastWrites, type Tx } from '../src/store/db/tx.ts';

/** Tests cannot move time forward, so this makes the service check changed rows now. */
export async function checkNow(pool: Pick<Pool, 'query'>, of: { orgId?: string; webhookId?: string } = {}) {
  await pool.query(
    `update due_webhooks set due_at = now(), next_at = '-infinity'
     where org_id = coalesce($1, org_id) and webhook_id = coalesce($2, webhook_id)`,
    [of.orgId, of.webhookId],
  );
  if (!of.webhookId)
    await pool.query(
      `update due_organizations set due_at = now(), leased_by = null, empty_checks = 0
       where org_id = coalesce($1, org_id)`,
      [of.orgId],
    );
}

/** A transaction that the test itself begins and ends, so there are no last writes. */
export function asTx(client: Pick<pg.PoolClient, 'query'>, orgId: OrganizationId): Tx {
  return { query: client.query.bind(client) as Tx['query'], last: noLastWrites(orgId), holdsFacts: false };
}

/** Moves times of rows back. Citus does not allow such an expression in an update, so it runs on each shard. */
export async function moveBack(
  pool: Pick<Pool, 'query'>,
  { table, columns, by, where }: { table: string; columns: string[]; by: string; where: string },
): Promise<void> {
  const set = columns.map((column) => `${column} = ${column} - interval '${by}'`).join(', ');
  if (inject('nodes').length === 0)
    return void (await pool.query(`update ${table} set ${set} where ${where}`));
  const { rows } = await pool.query('select success, result from run_command_on_shards($1, $2)', [
    table,
    `update %s set ${set} where ${where}`,
  ]);
  expect(rows.filter(({ success }) => !success)).toEqual([]);
}

/** How many sessions wait for a lock. */
export async function waitingForLocks(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query(
    inject('nodes').length > 0
      ? 'select count(*) from citus_lock_waits'
      : `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].count;
}
