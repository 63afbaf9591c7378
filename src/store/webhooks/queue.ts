import type { Queryable } from '../connection.ts';
import { waiting } from './outbox.ts';

/**
 * How many deliveries are due, and since when the oldest of them. It hops from webhook to webhook as a worker does, and
 * stops counting at `countAtMost`: a look from outside must stay cheap when the backlog is long.
 */
export async function readQueue(
  db: Queryable,
  countAtMost: number,
): Promise<{ due: number; oldest_seconds: number }> {
  const { rows } = await db.query<{ due: number; oldest_seconds: number }>({
    name: 'read_queue',
    text: `
      with recursive ${waiting}
      select
        (select coalesce(extract(epoch from greatest(now() - min(next_attempt_at), '0'))::float8, 0) from waiting) as oldest_seconds,
        (select count(*) from (
          select from waiting w cross join lateral (
            select from deliveries
            where org_id = w.org_id and webhook_id = w.webhook_id and status = 'pending' and next_attempt_at <= now()
            limit $1
          ) d limit $1
        ) counted) as due`,
    values: [countAtMost],
  });
  return rows[0] as { due: number; oldest_seconds: number };
}
