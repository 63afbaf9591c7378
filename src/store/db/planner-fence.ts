/**
 * At the end of a `lateral` subquery, this keeps the planner from choosing another join order or method than the one
 * written: from the given rows, by an index, to the few that belong to each. Otherwise the planner relies on statistics, and
 * during a first load there are none: it assumes nearly empty tables and compares all rows of one with all of another.
 */
export const plannerFence = 'offset 0';

/** The rows with one of the values of `$2` in a column, as above. */
export function rowsBy(table: string, column: string, columns: string, more = ''): string {
  return `
    select r.* from unnest($2::text[]) as g (${column})
    cross join lateral (
      select ${columns} from ${table} where org_id = $1 and ${column} = g.${column} ${more} ${plannerFence}) r`;
}
