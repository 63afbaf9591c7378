import type { WebhookId } from '../../contract/ids.ts';
import { type ChangeWebhook, type Webhook, WebhookSchema } from '../../contract/webhook.ts';
import type { EventKind, WebhookEvent } from '../../vocabulary.ts';
import { fieldsOf } from '../db/columns.ts';
import { cellOf, columnOf, firstOf, oneOf, pageOf, wrote } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';

export const webhookColumns = fieldsOf(WebhookSchema);

export const insertWebhook = oneOf<
  Webhook,
  [webhook: { id: WebhookId; url: string; events: WebhookEvent[]; secret: Buffer }],
  Tx
>({
  name: 'insert_webhook',
  writes: ['webhooks'],
  text: `
    insert into webhooks (org_id, id, url, events, status, secret, created_at, updated_at)
    values ($1, $2, $3, $4, 'enabled', $5, now(), now())
    returning ${webhookColumns}`,
  values: ({ id, url, events, secret }) => [id, url, events, secret],
});

export const countWebhooks = cellOf<number>({
  name: 'count_webhooks',
  text: `select count(*) from webhooks where org_id = $1`,
});

/** Newest first; the ID contains the creation time. */
export const listWebhooks = pageOf<Webhook>({
  name: 'list_webhooks',
  text: (after) =>
    `select ${webhookColumns} from webhooks where org_id = $1 ${after} order by id desc limit $2`,
  after: 'and id < $3',
});

export const findWebhook = firstOf<Webhook, [id: WebhookId]>({
  name: 'find_webhook',
  text: `select ${webhookColumns} from webhooks where org_id = $1 and id = $2`,
});

/** Enabling a webhook resets why it was disabled and how long it has failed. A newly subscribed kind counts from now. */
export const updateWebhook = firstOf<Webhook, [id: WebhookId, changes: ChangeWebhook], Tx>({
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
  values: (id, { url, events, status }) => [id, url, events, status],
});

export const deleteWebhook = wrote<[id: WebhookId]>({
  name: 'delete_webhook',
  writes: ['webhooks', 'webhook_previous_secrets', 'deliveries', 'redeliveries'],
  text: `delete from webhooks where org_id = $1 and id = $2`,
});

/**
 * Locks them against deletion until the transaction ends, which writes deliveries for them. Not against being disabled: such
 * a lock would also block the workers, for as long as an import runs.
 */
export const lockSubscribers = columnOf<WebhookId, [event: EventKind], Tx>({
  name: 'lock_subscribers',
  text: `select id from webhooks where org_id = $1 and status = 'enabled' and $2 = any(events) for key share`,
});
