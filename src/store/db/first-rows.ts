import { pageLimits } from '../../vocabulary.ts';

/**
 * The first rows of `select` in `order`, as many as the parameter `limit` says, at most a page and one row more.
 * The constant inside takes no row away and is there for the planner: the plan of a named statement is made for any
 * value of its parameters, and without a known bound it would be made for a tenth of the table, which is best joined
 * by reading whole tables. With it, one plan serves every page and a page takes half the time.
 */
export function firstRows(select: string, order: string, limit: `$${number}`): string {
  return `select * from (${select} order by ${order} limit ${pageLimits.most + 1}) r order by ${order} limit ${limit}`;
}
