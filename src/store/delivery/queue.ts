import type { Db } from '../db/db.ts';
import { findDueWebhooks } from './due-webhooks.ts';

const organizationsAtMost = 100;

/**
 * How many deliveries are due, and since when the oldest is due. It counts up to `countAtMost`, in the organizations that
 * have waited longest, so that scraping the metrics stays cheap with a long backlog.
 */
export async function readQueue(
  db: Pick<Db, 'queue' | 'upkeep'>,
  countAtMost: number,
): Promise<{ due: number; oldest_seconds: number }> {
  const organizations = await findDueWebhooks(db.queue, organizationsAtMost);
  let due = 0;
  for (const { org_id, webhook_ids } of organizations) {
    if (due >= countAtMost) break;
    const { rows } = await db.upkeep(org_id).query<{ count: number }>({
      name: 'count_due_deliveries',
      text: `
        select count(*) from (
          select from unnest($2::text[]) as w (id) cross join lateral (
            select from deliveries
            where org_id = $1 and webhook_id = w.id and status = 'pending' and next_attempt_at <= now() limit $3
          ) d limit $3
        ) counted`,
      values: [org_id, webhook_ids, countAtMost - due],
    });
    due += rows[0]?.count ?? 0;
  }
  return { due, oldest_seconds: organizations[0]?.oldest_seconds ?? 0 };
}
