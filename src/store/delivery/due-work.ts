import type { OrganizationId, WebhookId } from '../../contract/ids.ts';
import { oneOf } from '../db/statement.ts';
import { all, type Reader } from '../db/tx.ts';

/** When each kind of work of an organization is due next; null if nothing is known to be due. */
export type DueWork = {
  expire: Date | null;
  recheck: Date | null;
  rescore: Date | null;
  suggest: Date | null;
  redeliver: Date | null;
  give_up: Date | null;
  secrets: Date | null;
  idempotency: Date | null;
  deliveries: Date | null;
  events: Date | null;
};

const first = (column: string, table: string, where = '') =>
  `(select ${column} from ${table} where org_id = $1 ${where} order by ${column} limit 1)`;

/** Each is the first entry of an index, whatever the number of rows. */
export const findDueWork = oneOf<DueWork>({
  name: 'find_due_work',
  text: `
    select ${first('expires_at', 'signals', `and state = 'new'`)} as expire,
      ${first('due_at', 'rechecks')} as recheck,
      ${first('due_at', 'priority_scales')} as rescore,
      ${first('due_at', 'suggestion_queue')} as suggest,
      ${first('queued_at', 'redeliveries')} as redeliver,
      (select timestamptz 'epoch' from webhooks w cross join lateral (
        select from deliveries where org_id = $1 and webhook_id = w.id and status = 'pending' limit 1
      ) d where w.org_id = $1 and w.status = 'disabled' limit 1) as give_up,
      ${first('holds_until', 'webhook_previous_secrets')} as secrets,
      ${first('expires_at', 'idempotency_keys')} as idempotency,
      ${first('created_at', 'deliveries')} + interval '30 days' as deliveries,
      ${first('created_at', 'events')} + interval '30 days' as events`,
});

export type WaitingWebhook = { org_id: OrganizationId; webhook_id: WebhookId; next_at: Date };

/** Webhooks of the organization with pending deliveries, each with the time of its first. */
export async function findWaitingWebhooks(db: Reader, orgId: OrganizationId): Promise<WaitingWebhook[]> {
  return all<WaitingWebhook>(db, {
    name: 'find_waiting_webhooks',
    text: `
      select w.org_id, w.id as webhook_id, d.next_attempt_at as next_at from webhooks w
      cross join lateral (
        select next_attempt_at from deliveries where org_id = $1 and webhook_id = w.id and status = 'pending'
        order by next_attempt_at limit 1
      ) d
      where w.org_id = $1 and w.status = 'enabled'`,
    values: [orgId],
  });
}
