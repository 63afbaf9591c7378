import { pageLimits } from '../../vocabulary.ts';

/**
 * The first rows of `select` in `order`, as many as the parameter `limit` says, at most one page and one row. The constant
 * removes no row and is only for the planner: a generic plan assumes that an unknown limit returns a tenth of the table,
 * which is best joined by reading whole tables. With the constant, one plan serves every page and a page takes half the
 * time.
 */
export function firstRows(select: string, order: string, limit: `$${number}`): string {
  return `select * from (${select} order by ${order} limit ${pageLimits.most + 1}) r order by ${order} limit ${limit}`;
}
