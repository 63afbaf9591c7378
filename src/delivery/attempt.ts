import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { OrganizationId } from '../contract/ids.ts';
import { signedBody, standardHeaders, unsignedBody } from '../contract/sign.ts';
import type { PendingDelivery, Settlement } from '../store/delivery/outbox.ts';
import { sealContext } from '../store/delivery/secrets.ts';
import type { Keyring } from '../store/keys/keyring.ts';
import { nextDelay } from './backoff.ts';
import type { Poster, PostOutcome } from './post.ts';

/** Signs and sends a delivery, once, and answers what is to be written about it. */
export function createAttempt({
  keyring,
  poster,
  log,
}: {
  keyring: Keyring;
  poster: Poster;
  log: Logger;
}): (orgId: OrganizationId, delivery: PendingDelivery) => Promise<Settlement> {
  const opened = new LRUCache<string, string>({ max: 1_000 });

  /** It takes longer to open a secret than to sign with it, and the next delivery of a webhook needs the same one. */
  function open(sealed: Buffer, context: string): string {
    const name = `${context} ${sealed.toString('base64')}`;
    const secret = opened.get(name) ?? keyring.open(sealed, context);
    opened.set(name, secret);
    return secret;
  }

  async function send(orgId: OrganizationId, delivery: PendingDelivery): Promise<PostOutcome> {
    try {
      const secrets = [...delivery.previous_secrets, delivery.secret].map((secret) =>
        open(secret, sealContext(orgId, delivery.webhook_id)),
      );
      // The oldest valid secret signs the body: a receiver that knows only that one keeps working.
      const body = signedBody(unsigned(delivery), secrets[0] as string);
      const headers = standardHeaders({
        id: delivery.event_id ?? delivery.id,
        body,
        secrets,
        now: new Date(),
      });
      return await poster.post(
        delivery.url,
        body,
        delivery.test_body ? { ...headers, 'X-Webhook-Test': 'true' } : headers,
        orgId,
      );
    } catch (err) {
      log.error({ err, delivery_id: delivery.id }, 'a delivery could not be prepared');
      return { kind: 'failure', error: 'the delivery could not be prepared', latencyMs: 0 };
    }
  }

  return async (orgId, delivery) => {
    const settlement = toSettlement(delivery, await send(orgId, delivery));
    log.info(
      {
        org_id: orgId,
        webhook_id: delivery.webhook_id,
        delivery_id: delivery.id,
        event_id: delivery.event_id,
        event: delivery.kind,
        attempt: delivery.attempts + 1,
        status: settlement.status,
        response_code: settlement.response_code,
        error: settlement.error,
        latency_ms: settlement.latency_ms,
        retry_seconds: settlement.retry_seconds,
      },
      'delivery attempt',
    );
    return settlement;
  };
}

function unsigned({ test_body, kind, data, created_at }: PendingDelivery): string {
  if (test_body !== null) return test_body;
  return unsignedBody(kind as string, data, created_at.toISOString());
}

function toSettlement(delivery: PendingDelivery, outcome: PostOutcome): Settlement {
  const { id, webhook_id, due_at, attempts } = delivery;
  const response = outcome.kind === 'response' ? outcome : null;
  const common = {
    id,
    webhook_id,
    due_at,
    response_code: response?.status ?? null,
    response_body: response?.body ?? null,
    error: outcome.kind === 'failure' ? outcome.error : null,
    latency_ms: Math.round(outcome.latencyMs),
    gone: response?.status === 410,
  };
  if (response && response.status >= 200 && response.status < 300)
    return { ...common, status: 'delivered', retry_seconds: null };
  const retry_seconds = nextDelay(attempts + 1, response?.retryAfterSeconds ?? null, Math.random());
  return { ...common, status: retry_seconds === null ? 'failed' : 'pending', retry_seconds };
}
