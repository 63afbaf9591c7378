/**
 * At the end of a `lateral` subquery it keeps the planner from joining in another order, or in another way, than the
 * one written: from the rows given, by an index, to the few that belong to each. Left free, it decides by statistics,
 * and during a first load there are none: it takes the tables for nearly empty and compares all of one with all of
 * another.
 */
export const fence = 'offset 0';

/** The rows that have one of the values of `$2` in a column, as above. */
export function rowsBy(table: string, column: string, columns: string, more = ''): string {
  return `
    select r.* from unnest($2::text[]) as g (${column})
    cross join lateral (
      select ${columns} from ${table} where org_id = $1 and ${column} = g.${column} ${more} ${fence}) r`;
}
