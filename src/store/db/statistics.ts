import type { Upkeep } from './tx.ts';

/**
 * Analyzes every table that has doubled since it was last analyzed. Autovacuum does this too, but only after a minute:
 * during a first load, tables with a hundred thousand rows would be joined as if they were empty.
 */
export async function refreshStatistics(db: Upkeep): Promise<boolean> {
  const { rows } = await db.query<{ name: string }>({
    name: 'find_grown_tables',
    text: `
      select quote_ident(c.relname) as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
      where s.schemaname = current_schema() and s.n_live_tup > 100 and s.n_live_tup > 2 * c.reltuples`,
  });
  // Whoever has the table locked, another process or autovacuum, does the same.
  for (const { name } of rows) await db.query({ text: `analyze (skip_locked) ${name}` });
  return false;
}
