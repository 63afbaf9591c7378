import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type Pool } from '../../src/store/db/connection.ts';
import { refreshStatistics } from '../../src/store/db/statistics.ts';
import { createDatabase } from '../harness.ts';
import { insertPartners } from '../rows.ts';
import { evaluationStatements } from './evaluation-statements.ts';
import { explainingSession } from './explain.ts';
import { big, fillUnknownStore } from './large-store.ts';

let databaseUrl: string;
let pool: Pool;

beforeAll(async () => {
  databaseUrl = await createDatabase();
  pool = connect({ connectionString: databaseUrl, max: 1 }, () => {});
});

afterAll(() => pool.end());

describe('in a first load, while the planner knows nothing of the tables', () => {
  beforeAll(() => fillUnknownStore(databaseUrl));

  test('what evaluates a thousand pairs never compares all of one table with all of another', async () => {
    const session = await explainingSession(databaseUrl, { plan_cache_mode: 'force_generic_plan' });
    const excessive: string[] = [];
    for (const [name, run] of Object.entries(await evaluationStatements(databaseUrl, 1_000))) {
      const [plan] = await session.explain(run);
      const most = Math.max(plan?.blocks ?? 0, ...Object.values(plan?.read ?? {}));
      if (most > 40_000) excessive.push(`${name}: ${plan?.blocks} blocks, ${JSON.stringify(plan?.read)}`);
    }
    await session.end();
    expect(excessive).toEqual([]);
  });

  test('a table that has doubled is looked at, one that has not is left alone', async () => {
    async function grow(rows: number): Promise<{ looked: number; rows: number }> {
      const partner = { name: 'Partner', type: 'gsi' as const, tier: 1 };
      await insertPartners(pool, big, Array(rows).fill(partner));
      // Counts of rows reach the other sessions after a while, unless one asks for it.
      await pool.query('select pg_stat_force_next_flush()');
      await refreshStatistics(pool);
      const found = await pool.query(
        `select s.analyze_count::int as looked, c.reltuples::int as rows from pg_stat_user_tables s join pg_class c on c.oid = s.relid
         where s.relname = 'partners'`,
      );
      return found.rows[0];
    }
    const first = await grow(1);
    expect(first).toEqual({ looked: 1, rows: 501 });
    expect(await grow(100)).toEqual(first);
    expect(await grow(1_000)).toEqual({ looked: 2, rows: 1_601 });
  });
});
