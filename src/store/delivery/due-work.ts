import type { OrganizationId, WebhookId } from '../../contract/ids.ts';
import { oneOf, rowsOf } from '../db/statement.ts';

const first = (column: string, table: string, where = '') =>
  `(select ${column} from ${table} where org_id = $1 ${where} order by ${column} limit 1)`;

/** When each kind of work is due next. Each is the first entry of an index, whatever the number of rows. */
const dueAt = {
  expire: first('expires_at', 'signals', `and state = 'new'`),
  recheck: first('due_at', 'rechecks'),
  rescore: first('due_at', 'priority_scales'),
  suggest: first('due_at', 'suggestion_queue'),
  redeliver: first('queued_at', 'redeliveries'),
  give_up: `(select timestamptz 'epoch' from webhooks w cross join lateral (
    select from deliveries where org_id = $1 and webhook_id = w.id and status = 'pending' limit 1
  ) d where w.org_id = $1 and w.status = 'disabled' limit 1)`,
  secrets: first('holds_until', 'webhook_previous_secrets'),
  idempotency: first('expires_at', 'idempotency_keys'),
  deliveries: `${first('created_at', 'deliveries')} + interval '30 days'`,
  events: `${first('created_at', 'events')} + interval '30 days'`,
};

/** Null if nothing is known to be due. */
export type DueWork = Record<keyof typeof dueAt, Date | null>;

export const findDueWork = oneOf<DueWork>({
  name: 'find_due_work',
  text: `select ${Object.entries(dueAt)
    .map(([kind, at]) => `${at} as ${kind}`)
    .join(', ')}`,
});

/** Webhooks of the organization with pending deliveries, each with the time of its first. */
export const findWaitingWebhooks = rowsOf<{ org_id: OrganizationId; webhook_id: WebhookId; next_at: Date }>({
  name: 'find_waiting_webhooks',
  text: `
    select w.org_id, w.id as webhook_id, d.next_attempt_at as next_at from webhooks w
    cross join lateral (
      select next_attempt_at from deliveries where org_id = $1 and webhook_id = w.id and status = 'pending'
      order by next_attempt_at limit 1
    ) d
    where w.org_id = $1 and w.status = 'enabled'`,
});
