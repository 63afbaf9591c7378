import { ApiError, notFound } from '../contract/error.ts';
import { newId, type OrganizationId, type WebhookId } from '../contract/ids.ts';
import { unsignedBody } from '../contract/sign.ts';
import type { Signal } from '../contract/signal.ts';
import type { ChangeWebhook, Delivery, RegisterWebhook, Webhook } from '../contract/webhook.ts';
import type { Db } from '../store/db/db.ts';
import type { Tx } from '../store/db/tx.ts';
import { giveUpPending, insertTestDelivery } from '../store/delivery/deliveries.ts';
import {
  deletePreviousSecrets,
  findSealedSecrets,
  keepPreviousSecret,
  lockSecret,
  replaceSecret,
  sealContext,
} from '../store/delivery/secrets.ts';
import { countWebhooks, findWebhook, insertWebhook, updateWebhook } from '../store/delivery/webhooks.ts';
import type { Keyring } from '../store/keys/keyring.ts';
import { listOrganizations, lockOrganization } from '../store/keys/organizations.ts';
import { planLimits } from '../vocabulary.ts';

export async function registerWebhook(
  tx: Tx,
  orgId: OrganizationId,
  { url, events, secret }: RegisterWebhook & { secret: string },
  keyring: Keyring,
): Promise<Webhook> {
  // Until the end of the transaction, so that two concurrent registrations cannot both take the last slot.
  const organization = await lockOrganization(tx, orgId);
  if (!organization) throw notFound('organization', orgId);
  const { plan } = organization;
  const count = await countWebhooks(tx, orgId);
  if (count >= planLimits[plan].webhooks)
    throw new ApiError(
      'limit_reached',
      `The ${plan} plan allows ${planLimits[plan].webhooks} webhooks, and this organization has ${count}. Delete one you no longer need, or ask your operator to change the plan.`,
    );
  const id = newId('whk');
  const sealed = keyring.seal(secret, sealContext(orgId, id));
  return insertWebhook(tx, orgId, { id, url, events, secret: sealed });
}

/** Whether these keys can decrypt the secrets of some organizations. */
export async function canOpenSecrets(db: Db, keyring: Keyring): Promise<boolean> {
  try {
    for (const organization of await listOrganizations(db.global, 20, null))
      for (const { id, secret } of await findSealedSecrets(db.read(organization.id), organization.id))
        keyring.open(secret, sealContext(organization.id, id));
    return true;
  } catch {
    return false;
  }
}

export async function changeWebhook(
  tx: Tx,
  orgId: OrganizationId,
  id: WebhookId,
  change: ChangeWebhook,
): Promise<Webhook> {
  const webhook = await updateWebhook(tx, orgId, id, change);
  if (!webhook) throw notFound('webhook', id);
  if (change.status === 'disabled')
    await giveUpPending(tx, orgId, id, 'the webhook was disabled by a client');
  return webhook;
}

/** Each one adds a signature to the header of every delivery. */
const previousSecretsAtMost = 4;

/**
 * The replaced secret stays valid for the overlap, and earlier ones until their own end. An overlap of zero ends them all,
 * in case one has leaked.
 */
export async function rotateWebhookSecret(
  tx: Tx,
  orgId: OrganizationId,
  id: WebhookId,
  secret: string,
  overlapSeconds: number,
  keyring: Keyring,
): Promise<Webhook> {
  const previous = await lockSecret(tx, orgId, id);
  if (!previous) throw notFound('webhook', id);
  if (overlapSeconds === 0) {
    await deletePreviousSecrets(tx, orgId, id);
  } else if (!(await keepPreviousSecret(tx, orgId, id, previous, overlapSeconds, previousSecretsAtMost))) {
    throw new ApiError(
      'limit_reached',
      `${previousSecretsAtMost} earlier secrets are still valid. Wait until an overlap ends, or rotate with {"overlap_seconds":0}, which ends all of them immediately.`,
    );
  }
  return replaceSecret(tx, orgId, id, keyring.seal(secret, sealContext(orgId, id)));
}

/** Sends a sample in the form of a real event; it is not an event of the organization. */
export async function testWebhook(tx: Tx, orgId: OrganizationId, id: WebhookId): Promise<Delivery> {
  await requireEnabled(tx, orgId, id);
  const now = new Date();
  const body = unsignedBody('signal.created', sampleSignal(now), now.toISOString());
  return insertTestDelivery(tx, orgId, newId('dlv'), id, body);
}

export async function requireEnabled(tx: Tx, orgId: OrganizationId, id: WebhookId): Promise<void> {
  const webhook = await findWebhook(tx, orgId, id);
  if (!webhook) throw notFound('webhook', id);
  if (webhook.status === 'disabled') {
    throw new ApiError(
      'webhook_disabled',
      `The webhook is disabled (${webhook.disabled_reason}). Enable it first: PATCH it with {"status":"enabled"}.`,
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
    opportunity: { id: newId('opp'), name: 'Sample Deal', value: 50_000, currency: 'EUR', stage: 'proposal' },
    owner: null,
    fired_at: now,
    recommended_action: 'Nothing to do: this is a test of the webhook.',
    assignee: null,
    priority: 50,
    end_reason: null,
  };
}
