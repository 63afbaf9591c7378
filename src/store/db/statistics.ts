import type { Upkeep } from './tx.ts';

/**
 * Looks at every table that has doubled since it was last looked at. The database does so by itself, but only after a
 * minute: long enough in a first load to join tables as if they were empty when they have a hundred thousand rows.
 */
export async function refreshStatistics(db: Upkeep): Promise<boolean> {
  const { rows } = await db.query<{ name: string }>({
    name: 'find_grown_tables',
    text: `
      select quote_ident(c.relname) as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
      where s.schemaname = current_schema() and s.n_live_tup > 100 and s.n_live_tup > 2 * c.reltuples`,
  });
  // Whoever else is at the table, another process or the database itself, does the same.
  for (const { name } of rows) await db.query({ text: `analyze (skip_locked) ${name}` });
  return false;
}
