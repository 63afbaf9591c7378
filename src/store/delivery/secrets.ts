import type { OrganizationId, WebhookId } from '../../contract/ids.ts';
import type { Webhook } from '../../contract/webhook.ts';
import { cellOf, oneOf, rowsOf, run, wrote } from '../db/statement.ts';
import type { Tx, Upkeep } from '../db/tx.ts';
import { webhookColumns } from './webhooks.ts';

/** The encryption context of a webhook's secret, which binds the secret to its row. */
export function sealContext(orgId: OrganizationId, id: WebhookId): string {
  return `webhook ${orgId} ${id}`;
}

/** A sample of the organization's secrets. */
export const findSealedSecrets = rowsOf<{ id: WebhookId; secret: Buffer }>({
  name: 'find_sealed_secrets',
  text: `select id, secret from webhooks where org_id = $1 limit 10`,
});

/** The current secret, locked until the transaction ends. */
export const lockSecret = cellOf<Buffer | undefined, [id: WebhookId], Tx>({
  name: 'lock_secret',
  text: `select secret from webhooks where org_id = $1 and id = $2 for no key update`,
});

export const replaceSecret = oneOf<Webhook, [id: WebhookId, secret: Buffer], Tx>({
  name: 'replace_secret',
  writes: ['webhooks'],
  text: `
    update webhooks set secret = $3, updated_at = now() where org_id = $1 and id = $2
    returning ${webhookColumns}`,
});

/** Returns false, and stores nothing, if the limit is reached. */
export const keepPreviousSecret = wrote<[id: WebhookId, secret: Buffer, holdsSeconds: number, most: number]>({
  name: 'keep_previous_secret',
  writes: ['webhook_previous_secrets'],
  text: `
    insert into webhook_previous_secrets (org_id, webhook_id, number, secret, holds_until)
    select $1, $2, coalesce(max(number), 0) + 1, $3, now() + make_interval(secs => $4)
    from webhook_previous_secrets where org_id = $1 and webhook_id = $2
    having count(*) filter (where holds_until > now()) < $5`,
});

export const deletePreviousSecrets = run<[id: WebhookId]>({
  name: 'delete_previous_secrets',
  writes: ['webhook_previous_secrets'],
  text: `delete from webhook_previous_secrets where org_id = $1 and webhook_id = $2`,
});

/** No delivery is signed with these any more. */
export const deleteEndedSecrets = run<[], Upkeep>({
  name: 'delete_ended_secrets',
  writes: ['webhook_previous_secrets'],
  text: `delete from webhook_previous_secrets where org_id = $1 and holds_until <= now()`,
});
