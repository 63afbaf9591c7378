import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { groupBy } from '../contract/group-by.ts';
import type { OrganizationId } from '../contract/ids.ts';
import { signedBody, standardHeaders, unsignedBody } from '../contract/sign.ts';
import { type Pool, transaction } from '../store/connection.ts';
import { findWaitingWebhooks } from '../store/due-work.ts';
import type { Keyring } from '../store/keyring.ts';
import {
  addTurn,
  hurryWebhooks,
  returnWebhooks,
  takeWebhooks,
  type WebhookLook,
  type WebhookTurn,
} from '../store/turns.ts';
import type { Tx } from '../store/tx.ts';
import { giveUpPending } from '../store/webhooks/deliveries.ts';
import {
  type Claimed,
  claimDeliveries,
  disableFailing,
  lockWebhooks,
  lookAtWebhooks,
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
/** Claimed for at a time: each is a transaction, and few of them leave each more of the deliveries that one claim may take. */
const organizationsAtMost = 5;

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
  let settled: [OrganizationId, Settlement][] = [];
  let settling: Promise<void> | undefined;
  let closed = false;
  let woken = false;
  let rouse = () => {};
  const by = randomUUID();

  const running = (async () => {
    while (!closed) {
      woken = false;
      const claimed = flying.size < inFlight && !isPaused() ? await claim() : 0;
      if (claimed === 0 && !woken) await rest();
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

  /** Claims for each organization whose turn it is, and starts its attempts right away; how many there are. */
  async function claim(): Promise<number> {
    const limit = Math.min(inFlight - flying.size, claimAtMost);
    const organizations = Math.min(limit, organizationsAtMost);
    // No more than there are places for: a webhook whose turn is taken is served.
    const most = { organizations, webhooksOfEach: Math.floor(limit / organizations) };
    try {
      const taken = await takeWebhooks(pool, by, shareOut([...flying.values()]), most);
      const turns = groupBy(taken, ({ org_id }) => org_id);
      if (turns.size === 0) return 0;
      const each = Math.floor(limit / turns.size);
      const found = await Promise.all(
        [...turns].map(([orgId, theirs]) =>
          claimOf(orgId, theirs, each).catch((err) => {
            if (!closed)
              log.warn({ err, org_id: orgId }, 'deliveries could not be claimed; it is tried again');
            return { count: 0, looks: theirs.map(failedLook) };
          }),
        ),
      );
      await returnWebhooks(
        pool,
        by,
        found.flatMap(({ looks }) => looks),
      );
      return found.reduce((sum, { count }) => sum + count, 0);
    } catch (err) {
      if (!closed) log.warn({ err }, 'deliveries could not be claimed; it is tried again');
      await rest();
      return 0;
    }
  }

  async function claimOf(
    orgId: OrganizationId,
    turns: WebhookTurn[],
    most: number,
  ): Promise<{ count: number; looks: WebhookLook[] }> {
    const { places, per_webhook: perWebhook } = turns[0] as WebhookTurn;
    const limit = Math.min(places, most);
    const { claimed, ours, looks } = await transaction(pool, async (tx) => {
      const locked = await lockWebhooks(
        tx,
        orgId,
        turns.map(({ webhook_id }) => webhook_id),
      );
      const ours = turns.filter(({ webhook_id }) => locked.has(webhook_id));
      const others = turns.filter(({ webhook_id }) => !locked.has(webhook_id));
      const looks = others.length > 0 ? await lookAtOthers(tx, orgId, others) : [];
      const options = { lease: randomUUID(), leaseSeconds, limit, perWebhook };
      return { claimed: ours.length > 0 ? await claimDeliveries(tx, orgId, ours, options) : [], ours, looks };
    });
    for (const delivery of claimed) {
      const flight = attempt(orgId, delivery).finally(() => {
        flying.delete(flight);
        wake();
      });
      flying.set(flight, orgId);
    }
    // While they fly. One that ends in the meantime voids this look, and makes the turn due again.
    if (ours.length > 0)
      looks.push(...(await lookAtWebhooks(pool, orgId, ours, { leaseSeconds, perWebhook })));
    return { count: claimed.length, looks };
  }

  async function attempt(orgId: OrganizationId, delivery: Claimed): Promise<void> {
    const outcome = await send(orgId, delivery);
    const settlement = toSettlement(delivery, outcome);
    log.info(
      {
        org_id: orgId,
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
    settled.push([orgId, settlement]);
    settling ??= settleSoon();
    await settling;
  }

  async function send(orgId: OrganizationId, delivery: Claimed): Promise<PostOutcome> {
    try {
      const opened = [...delivery.previous_secrets, delivery.secret].map((secret) =>
        keyring.open(secret, sealContext(orgId, delivery.webhook_id)),
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
        orgId,
      );
    } catch (err) {
      log.error({ err, delivery_id: delivery.id }, 'a delivery could not be prepared');
      return { kind: 'failure', error: 'the delivery could not be prepared', latencyMs: 0 };
    }
  }

  /** Gathers what ends within a moment, so that a thousand receivers do not mean a thousand transactions. */
  async function settleSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, settleEveryMs));
    const batch = groupBy(settled, ([orgId]) => orgId);
    settled = [];
    settling = undefined;
    const ended = await Promise.all(
      [...batch].map(async ([orgId, entries]) => {
        const settlements = entries.map(([, settlement]) => settlement);
        try {
          await settle(orgId, settlements);
        } catch (err) {
          // Their leases run out and they are attempted again: at least once, never lost.
          log.error(
            { err, org_id: orgId, deliveries: settlements.length },
            'deliveries could not be settled; they will be attempted again',
          );
        }
        return settlements.map(({ webhook_id, retry_seconds }) => ({
          org_id: orgId,
          webhook_id,
          retry_seconds,
        }));
      }),
    );
    await hurryWebhooks(pool, ended.flat()).catch((err) => log.debug({ err }, 'a turn comes later'));
  }

  async function settle(orgId: OrganizationId, batch: Settlement[]): Promise<void> {
    const outcomes = await settleDeliveries(pool, orgId, batch);
    const settled = batch.flatMap((settlement) => {
      const isFailing = outcomes.get(settlement.id);
      return isFailing === undefined ? [] : [{ ...settlement, isFailing }];
    });
    const webhooksOf = (list: Settlement[]) => [...new Set(list.map(({ webhook_id }) => webhook_id))];
    const recovered = settled.filter(({ status, isFailing }) => status === 'delivered' && isFailing);
    const failed = webhooksOf(settled.filter(({ status }) => status !== 'delivered'));
    if (recovered.length === 0 && failed.length === 0) return;
    const gone = webhooksOf(settled.filter((settlement) => settlement.gone));
    await transaction(pool, async (tx) => {
      if (recovered.length > 0) await noteOutcomes(tx, orgId, webhooksOf(recovered), true);
      if (failed.length === 0) return;
      await noteOutcomes(tx, orgId, failed, false);
      for (const { webhook_id, disabled_reason } of await disableFailing(tx, orgId, failed, gone)) {
        log.warn({ org_id: orgId, webhook_id, reason: disabled_reason }, 'a webhook was disabled');
        await giveUpPending(tx, orgId, webhook_id, `the webhook was disabled: ${disabled_reason}`);
      }
    });
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

function failedLook({ org_id, webhook_id }: WebhookTurn): WebhookLook {
  return { org_id, webhook_id, next_at: null, again_in: 1, is_full: false };
}

/** Webhooks that are disabled or deleted, or that another worker is claiming for at this moment. */
async function lookAtOthers(tx: Tx, orgId: OrganizationId, turns: WebhookTurn[]): Promise<WebhookLook[]> {
  const ids = turns.map(({ webhook_id }) => webhook_id);
  const waiting = new Map(
    (await findWaitingWebhooks(tx, orgId, ids)).map(({ webhook_id, next_at }) => [webhook_id, next_at]),
  );
  // What is pending for a disabled webhook is given up by whoever looks at the organization.
  if (waiting.size < ids.length) addTurn(tx, orgId, '', null);
  return ids.map((webhook_id) => {
    const next_at = waiting.get(webhook_id) ?? null;
    return { org_id: orgId, webhook_id, next_at, again_in: next_at ? 0.1 : null, is_full: false };
  });
}

function unsigned({ test_body, kind, data, created_at }: Claimed): string {
  if (test_body !== null) return test_body;
  return unsignedBody(kind as string, data, created_at.toISOString());
}

function toSettlement(delivery: Claimed, outcome: PostOutcome): Settlement {
  const { id, webhook_id, lease, attempts } = delivery;
  const response = outcome.kind === 'response' ? outcome : null;
  const common = {
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
