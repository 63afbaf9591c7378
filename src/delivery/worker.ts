import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { OrganizationId } from '../contract/ids.ts';
import { signedBody, standardHeaders, unsignedBody } from '../contract/sign.ts';
import { type Pool, transaction } from '../store/connection.ts';
import type { Keyring } from '../store/keyring.ts';
import { giveUpPending } from '../store/webhooks/deliveries.ts';
import {
  type Claimed,
  claimDeliveries,
  disableFailing,
  lockDueWebhooks,
  noteOutcomes,
  type Settlement,
  settleDeliveries,
} from '../store/webhooks/outbox.ts';
import { sealContext } from '../store/webhooks/secrets.ts';
import { nextDelay } from './backoff.ts';
import type { Poster, PostOutcome } from './post.ts';
import { claimAtMost, inFlight, shareOut } from './shares.ts';

/** Longer than an attempt can take, so that a delivery is never posted by two workers that are both alive. */
const leaseSeconds = 20;
const pollMs = 1_000;
const settleEveryMs = 10;

export type Worker = {
  /** Something may be due: look now. */
  wake(): void;
  /** Claims nothing more, lets the attempts under way end, and settles them. */
  close(): Promise<void>;
};

/** Any number of processes may run one at the same tables; one that dies loses nothing but the time of its leases. */
export function startWorker({
  pool,
  keyring,
  poster,
  log,
  onAttempt,
  isPaused,
}: {
  pool: Pool;
  keyring: Keyring;
  poster: Poster;
  log: Logger;
  onAttempt: (outcome: 'delivered' | 'retry' | 'failed', seconds: number) => void;
  /** While true nothing is claimed. */
  isPaused: () => boolean;
}): Worker {
  const flying = new Map<Promise<void>, OrganizationId>();
  let settled: Settlement[] = [];
  let settling: Promise<void> | undefined;
  let closed = false;
  let woken = false;
  let rouse = () => {};

  const running = (async () => {
    while (!closed) {
      woken = false;
      const claimed = flying.size < inFlight && !isPaused() ? await claim() : [];
      for (const delivery of claimed) {
        const flight = attempt(delivery).finally(() => {
          flying.delete(flight);
          wake();
        });
        flying.set(flight, delivery.org_id);
      }
      if (claimed.length === 0 && !woken) await rest();
    }
  })();

  /** Remembered while the loop is busy: what it looks at may be older than what it is woken for. */
  function wake(): void {
    woken = true;
    rouse();
  }

  /** Until something is due, a place is free, or a second has passed: the hint may be lost, the poll is not. */
  function rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function claim(): Promise<Claimed[]> {
    const limit = Math.min(inFlight - flying.size, claimAtMost);
    const shares = shareOut([...flying.values()]);
    try {
      return await transaction(pool, async (tx) => {
        const webhooks = await lockDueWebhooks(tx, shares, limit);
        if (webhooks.length === 0) return [];
        return claimDeliveries(tx, webhooks, { lease: randomUUID(), leaseSeconds, limit });
      });
    } catch (err) {
      if (!closed) log.warn({ err }, 'deliveries could not be claimed; it is tried again');
      await rest();
      return [];
    }
  }

  async function attempt(delivery: Claimed): Promise<void> {
    const outcome = await send(delivery);
    const settlement = toSettlement(delivery, outcome);
    log.info(
      {
        org_id: delivery.org_id,
        webhook_id: delivery.webhook_id,
        delivery_id: delivery.id,
        event_id: delivery.event_id,
        event: delivery.kind,
        attempt: delivery.attempts,
        status: settlement.status,
        response_code: settlement.response_code,
        error: settlement.error,
        latency_ms: settlement.latency_ms,
        retry_seconds: settlement.retry_seconds,
      },
      'delivery attempt',
    );
    onAttempt(settlement.status === 'pending' ? 'retry' : settlement.status, settlement.latency_ms / 1000);
    settled.push(settlement);
    settling ??= settleSoon();
    await settling;
  }

  async function send(delivery: Claimed): Promise<PostOutcome> {
    try {
      const opened = [...delivery.previous_secrets, delivery.secret].map((secret) =>
        keyring.open(secret, sealContext(delivery.org_id, delivery.webhook_id)),
      );
      // The oldest that still holds signs the body: a receiver that knows only that one keeps working.
      const body = signedBody(unsigned(delivery), opened[0] as string);
      const headers = standardHeaders({
        id: delivery.event_id ?? delivery.id,
        body,
        secrets: opened,
        now: new Date(),
      });
      return await poster.post(
        delivery.url,
        body,
        delivery.test_body ? { ...headers, 'X-Webhook-Test': 'true' } : headers,
        delivery.org_id,
      );
    } catch (err) {
      log.error({ err, delivery_id: delivery.id }, 'a delivery could not be prepared');
      return { kind: 'failure', error: 'the delivery could not be prepared', latencyMs: 0 };
    }
  }

  /** Gathers what ends within a moment, so that a thousand receivers do not mean a thousand transactions. */
  async function settleSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, settleEveryMs));
    const batch = settled;
    settled = [];
    settling = undefined;
    try {
      await transaction(pool, (tx) => settle(tx, batch));
    } catch (err) {
      // Their leases run out and they are attempted again: at least once, never lost.
      log.error(
        { err, deliveries: batch.length },
        'deliveries could not be settled; they will be attempted again',
      );
    }
  }

  async function settle(tx: Parameters<typeof settleDeliveries>[0], batch: Settlement[]): Promise<void> {
    const kept = new Set((await settleDeliveries(tx, batch)).map(({ org_id, id }) => `${org_id} ${id}`));
    const mine = batch.filter(({ org_id, id }) => kept.has(`${org_id} ${id}`));
    const succeeded = mine.filter(({ status }) => status === 'delivered');
    const failed = mine.filter(({ status }) => status !== 'delivered');
    if (succeeded.length > 0) await noteOutcomes(tx, succeeded, true);
    if (failed.length === 0) return;
    await noteOutcomes(tx, failed, false);
    for (const { org_id, webhook_id, disabled_reason } of await disableFailing(
      tx,
      failed,
      failed.filter(({ gone }) => gone),
    )) {
      log.warn({ org_id, webhook_id, reason: disabled_reason }, 'a webhook was disabled');
      await giveUpPending(tx, org_id, webhook_id, `the webhook was disabled: ${disabled_reason}`);
    }
  }

  return {
    wake,
    async close() {
      closed = true;
      wake();
      await running;
      await Promise.all(flying.keys());
    },
  };
}

function unsigned({ test_body, kind, data, created_at }: Claimed): string {
  if (test_body !== null) return test_body;
  return unsignedBody(kind as string, data, created_at.toISOString());
}

function toSettlement(delivery: Claimed, outcome: PostOutcome): Settlement {
  const { org_id, id, webhook_id, lease, attempts } = delivery;
  const response = outcome.kind === 'response' ? outcome : null;
  const common = {
    org_id,
    id,
    webhook_id,
    lease,
    response_code: response?.status ?? null,
    response_body: response?.body ?? null,
    error: outcome.kind === 'failure' ? outcome.error : null,
    latency_ms: Math.round(outcome.latencyMs),
    gone: response?.status === 410,
  };
  if (response && response.status >= 200 && response.status < 300)
    return { ...common, status: 'delivered', retry_seconds: null };
  const retry_seconds = nextDelay(attempts, response?.retryAfterSeconds ?? null, Math.random());
  return { ...common, status: retry_seconds === null ? 'failed' : 'pending', retry_seconds };
}
