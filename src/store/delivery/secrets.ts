import type { OrganizationId, WebhookId } from '../../contract/ids.ts';
import type { Webhook } from '../../contract/webhook.ts';
import { all, type Reader, type Tx, type Upkeep } from '../db/tx.ts';
import { webhookColumns } from './webhooks.ts';

/** The encryption context of a webhook's secret, which binds the secret to its row. */
export function sealContext(orgId: OrganizationId, id: WebhookId): string {
  return `webhook ${orgId} ${id}`;
}

/** A sample of the organization's secrets. */
export async function findSealedSecrets(
  db: Reader,
  orgId: OrganizationId,
): Promise<{ id: WebhookId; secret: Buffer }[]> {
  return all(db, { text: 'select id, secret from webhooks where org_id = $1 limit 10', values: [orgId] });
}

/** The current secret, locked until the transaction ends. */
export async function lockSecret(tx: Tx, orgId: OrganizationId, id: WebhookId): Promise<Buffer | undefined> {
  const { rows } = await tx.query<{ secret: Buffer }>({
    name: 'lock_secret',
    text: `select secret from webhooks where org_id = $1 and id = $2 for no key update`,
    values: [orgId, id],
  });
  return rows[0]?.secret;
}

export async function replaceSecret(
  tx: Tx,
  orgId: OrganizationId,
  id: WebhookId,
  secret: Buffer,
): Promise<Webhook> {
  const { rows } = await tx.query<Webhook>({
    name: 'replace_secret',
    writes: ['webhooks'],
    text: `
      update webhooks set secret = $3, updated_at = now() where org_id = $1 and id = $2
      returning ${webhookColumns}`,
    values: [orgId, id, secret],
  });
  return rows[0] as Webhook;
}

/** Returns false, and stores nothing, if the limit is reached. */
export async function keepPreviousSecret(
  tx: Tx,
  orgId: OrganizationId,
  id: WebhookId,
  secret: Buffer,
  holdsSeconds: number,
  most: number,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'keep_previous_secret',
    writes: ['webhook_previous_secrets'],
    text: `
      insert into webhook_previous_secrets (org_id, webhook_id, number, secret, holds_until)
      select $1, $2, coalesce(max(number), 0) + 1, $3, now() + make_interval(secs => $4)
      from webhook_previous_secrets where org_id = $1 and webhook_id = $2
      having count(*) filter (where holds_until > now()) < $5`,
    values: [orgId, id, secret, holdsSeconds, most],
  });
  return rowCount === 1;
}

export async function deletePreviousSecrets(tx: Tx, orgId: OrganizationId, id: WebhookId): Promise<void> {
  await tx.query({
    name: 'delete_previous_secrets',
    writes: ['webhook_previous_secrets'],
    text: `delete from webhook_previous_secrets where org_id = $1 and webhook_id = $2`,
    values: [orgId, id],
  });
}

/** No delivery is signed with these any more. */
export async function deleteEndedSecrets(db: Upkeep, orgId: OrganizationId): Promise<boolean> {
  await db.query({
    name: 'delete_ended_secrets',
    writes: ['webhook_previous_secrets'],
    text: `delete from webhook_previous_secrets where org_id = $1 and holds_until <= now()`,
    values: [orgId],
  });
  return false;
}
