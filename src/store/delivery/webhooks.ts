import type { OrganizationId, WebhookId } from '../../contract/ids.ts';
import { type Webhook, WebhookSchema } from '../../contract/webhook.ts';
import type { EventKind, WebhookEvent, WebhookStatus } from '../../vocabulary.ts';
import { fieldsOf } from '../db/columns.ts';
import type { Position } from '../db/cursor.ts';
import { all, first, type Reader, type Tx } from '../db/tx.ts';

export const webhookColumns = fieldsOf(WebhookSchema);

export async function insertWebhook(
  tx: Tx,
  orgId: OrganizationId,
  webhook: { id: WebhookId; url: string; events: WebhookEvent[]; secret: Buffer },
): Promise<Webhook> {
  const { rows } = await tx.query<Webhook>({
    name: 'insert_webhook',
    writes: ['webhooks'],
    text: `
      insert into webhooks (org_id, id, url, events, status, secret, created_at, updated_at)
      values ($1, $2, $3, $4, 'enabled', $5, now(), now())
      returning ${webhookColumns}`,
    values: [orgId, webhook.id, webhook.url, webhook.events, webhook.secret],
  });
  return rows[0] as Webhook;
}

export async function countWebhooks(tx: Tx, orgId: OrganizationId): Promise<number> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'count_webhooks',
    text: `select count(*) from webhooks where org_id = $1`,
    values: [orgId],
  });
  return rows[0]?.count ?? 0;
}

export async function listWebhooks(
  db: Reader,
  orgId: OrganizationId,
  limit: number,
  after: Position | null,
): Promise<Webhook[]> {
  return all<Webhook>(db, {
    name: `list_webhooks${after ? '_after' : ''}`,
    text: `
      select ${webhookColumns} from webhooks where org_id = $1 ${after ? 'and id < $3' : ''}
      order by id desc limit $2`,
    values: [orgId, limit, ...(after ?? [])],
  });
}

export async function findWebhook(
  db: Reader,
  orgId: OrganizationId,
  id: WebhookId,
): Promise<Webhook | undefined> {
  return first<Webhook>(db, {
    name: 'find_webhook',
    text: `select ${webhookColumns} from webhooks where org_id = $1 and id = $2`,
    values: [orgId, id],
  });
}

/** Enabling a webhook resets why it was disabled and how long it has failed. A newly subscribed kind counts from now. */
export async function updateWebhook(
  tx: Tx,
  orgId: OrganizationId,
  id: WebhookId,
  changes: {
    url?: string | undefined;
    events?: WebhookEvent[] | undefined;
    status?: WebhookStatus | undefined;
  },
): Promise<Webhook | undefined> {
  return first<Webhook>(tx, {
    name: 'update_webhook',
    writes: ['webhooks'],
    text: `
      update webhooks
      set url = coalesce($3, url), events = coalesce($4, events), status = coalesce($5, status),
        subscribed_at = subscribed_at || (
          select coalesce(jsonb_object_agg(kind, now()), '{}') from unnest($4::text[]) kind where kind <> all(events)),
        disabled_reason = case when $5 = 'enabled' then null when $5 = 'disabled' then coalesce(disabled_reason, 'disabled by a client') else disabled_reason end,
        failing_since = case when $5 = 'enabled' then null else failing_since end, updated_at = now()
      where org_id = $1 and id = $2
      returning ${webhookColumns}`,
    values: [orgId, id, changes.url, changes.events, changes.status],
  });
}

export async function deleteWebhook(tx: Tx, orgId: OrganizationId, id: WebhookId): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'delete_webhook',
    writes: ['webhooks', 'webhook_previous_secrets', 'deliveries', 'redeliveries'],
    text: `delete from webhooks where org_id = $1 and id = $2`,
    values: [orgId, id],
  });
  return rowCount === 1;
}

/**
 * Locks them against deletion until the transaction ends, which writes deliveries for them. Not against being disabled: such
 * a lock would also block the workers, for as long as an import runs.
 */
export async function lockSubscribers(tx: Tx, orgId: OrganizationId, event: EventKind): Promise<WebhookId[]> {
  const { rows } = await tx.query<{ id: WebhookId }>({
    name: 'lock_subscribers',
    text: `select id from webhooks where org_id = $1 and status = 'enabled' and $2 = any(events) for key share`,
    values: [orgId, event],
  });
  return rows.map((row) => row.id);
}
