import { ApiError, notFound } from '../contract/error.ts';
import { type DeliveryId, newId, type OrganizationId, type WebhookId } from '../contract/ids.ts';
import type { Signal } from '../contract/signal.ts';
import type { ChangeWebhook, Delivery, Redeliver, RegisterWebhook, Webhook } from '../contract/webhook.ts';
import type { Tx } from '../store/connection.ts';
import {
  findMissedEvents,
  giveUpPending,
  insertDeliveries,
  insertTestDelivery,
  requeueDeliveries,
  requeueDelivery,
} from '../store/deliveries.ts';
import type { Keyring } from '../store/keyring.ts';
import { findWebhook, insertWebhook, rotateSecret, updateWebhook } from '../store/webhooks.ts';

export async function registerWebhook(
  tx: Tx,
  orgId: OrganizationId,
  { url, events, secret }: RegisterWebhook & { secret: string },
  keyring: Keyring,
): Promise<Webhook> {
  const id = newId('whk');
  return insertWebhook(
    tx,
    orgId,
    { id, url, events, secret: keyring.seal(secret, sealContext(orgId, id)) },
    new Date(),
  );
}

/** Binds a sealed secret to its row. */
function sealContext(orgId: OrganizationId, id: WebhookId): string {
  return `webhook ${orgId} ${id}`;
}

export async function changeWebhook(
  tx: Tx,
  orgId: OrganizationId,
  id: WebhookId,
  change: ChangeWebhook,
): Promise<Webhook> {
  const webhook = await updateWebhook(tx, orgId, id, change, new Date());
  if (!webhook) throw notFound('webhook');
  if (change.status === 'disabled')
    await giveUpPending(tx, orgId, id, 'the webhook was disabled by a client');
  return webhook;
}

export async function rotateWebhookSecret(
  tx: Tx,
  orgId: OrganizationId,
  id: WebhookId,
  secret: string,
  overlapSeconds: number,
  keyring: Keyring,
): Promise<Webhook> {
  const now = new Date();
  const until = new Date(now.getTime() + overlapSeconds * 1000);
  const webhook = await rotateSecret(tx, orgId, id, keyring.seal(secret, sealContext(orgId, id)), until, now);
  if (!webhook) throw notFound('webhook');
  return webhook;
}

/** A sample that is no event of the organization; `sample` is made of it as of any other event. */
export async function testWebhook(tx: Tx, orgId: OrganizationId, id: WebhookId): Promise<Delivery> {
  await requireEnabled(tx, orgId, id);
  const now = new Date();
  const body = JSON.stringify({
    event: 'signal.created',
    data: sampleSignal(now),
    timestamp: now.toISOString(),
  });
  return insertTestDelivery(tx, orgId, newId('dlv'), id, body, now);
}

export async function redeliver(tx: Tx, orgId: OrganizationId, id: DeliveryId): Promise<Delivery> {
  const delivery = await requeueDelivery(tx, orgId, id, new Date());
  if (!delivery) throw notFound('delivery');
  await requireEnabled(tx, orgId, delivery.webhook_id);
  return delivery;
}

/** How many deliveries were queued. */
export async function redeliverSpan(
  tx: Tx,
  orgId: OrganizationId,
  id: WebhookId,
  { since, until, only }: Redeliver,
): Promise<number> {
  await requireEnabled(tx, orgId, id);
  const now = new Date();
  const span = { since: new Date(since), until: new Date(until) };
  const again =
    only === 'missed'
      ? 0
      : await requeueDeliveries(tx, orgId, id, { ...span, onlyFailed: only === 'failed' }, now);
  if (only === 'failed') return again;
  const missed = await findMissedEvents(tx, orgId, id, span);
  const rows = missed.map((event_id) => ({ id: newId('dlv'), webhook_id: id, event_id }));
  if (rows.length > 0) await insertDeliveries(tx, orgId, rows, now);
  return again + rows.length;
}

async function requireEnabled(tx: Tx, orgId: OrganizationId, id: WebhookId): Promise<void> {
  const webhook = await findWebhook(tx, orgId, id);
  if (!webhook) throw notFound('webhook');
  if (webhook.status === 'disabled') {
    throw new ApiError(
      'invalid_transition',
      `The webhook is disabled (${webhook.disabled_reason}). Enable it first: PATCH with {"status":"enabled"}.`,
    );
  }
}

function sampleSignal(now: Date): Signal {
  return {
    id: newId('sig'),
    type: 'co_sell',
    state: 'new',
    partner: { id: newId('prt'), name: 'Sample Partner', type: 'solution_provider' },
    account: { id: newId('acc'), name: 'Sample Account', crm_id: 'sample' },
    opportunity: { id: newId('opp'), name: 'Sample Deal', value: 50_000, stage: 'proposal' },
    fired_at: now,
    recommended_action: 'Nothing to do: this is a test of the webhook.',
  };
}
