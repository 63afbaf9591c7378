import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OrganizationId } from '../contract/ids.ts';
import { groupBy } from '../contract/values/group-by.ts';
import type { Db } from '../store/db/db.ts';
import { addDueWork } from '../store/delivery/due-organizations.ts';
import {
  type LeasedWebhook,
  leaseSeconds,
  leaseWebhooks,
  releaseWebhooks,
  type Share,
} from '../store/delivery/due-webhooks.ts';
import { type PendingDelivery, readDeliveries, type Settlement } from '../store/delivery/outbox.ts';
import type { Keyring } from '../store/keys/keyring.ts';
import { createAttempt } from './attempt.ts';
import { shareOf, shareOut } from './fair-share.ts';
import { createLeases, type Due, roomIn } from './leases.ts';
import { maxInHand, maxOrganizationsPerRead, maxPerRead, pollMs, settleMs } from './limits.ts';
import type { Poster } from './post.ts';
import { settle } from './settle.ts';

export type Worker = {
  /** Something may be due. */
  wake(): void;
  /** Sends nothing more, waits for the attempts in flight, and writes their results. */
  close(): Promise<void>;
};

type Options = {
  db: Db;
  keyring: Keyring;
  poster: Poster;
  log: Logger;
  onAttempt: (outcome: 'delivered' | 'retry' | 'failed', seconds: number) => void;
  /** While true, no webhook is leased. */
  isPaused: () => boolean;
};

/**
 * Leases webhooks, reads their deliveries, sends them, writes the results and releases the leases: docs/understand/deliveries.md. Any
 * number of processes can run one. If one dies, others continue when its leases expire.
 */
export function startWorker({ db, keyring, poster, log, onAttempt, isPaused }: Options): Worker {
  const workerId = randomUUID();
  const leases = createLeases((orgId, delivery) => track(deliver(orgId, delivery)), wake);
  const attempt = createAttempt({ keyring, poster, log });
  const working = new Set<Promise<unknown>>();
  const results: [OrganizationId, Settlement][] = [];
  let isSettling = false;
  let isClosed = false;
  let isWoken = false;
  let endRest = () => {};
  const running = run();

  async function run(): Promise<void> {
    while (!isClosed) {
      isWoken = false;
      const leased = isPaused() ? 0 : await leaseAndRead();
      if (leased === 0 && !isWoken) await rest();
    }
  }

  /** Also remembered while the loop is busy, which may have read before the work was committed. */
  function wake(): void {
    isWoken = true;
    endRest();
  }

  function rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** `close` waits for these. */
  function track<T>(work: Promise<T>): Promise<T> {
    const ended = work.finally(() => working.delete(ended));
    working.add(ended);
    return ended;
  }

  /** Returns how many webhooks were leased. */
  async function leaseAndRead(): Promise<number> {
    try {
      await releaseIdle();
      const limit = Math.min(maxInHand - leases.size(), maxPerRead);
      if (limit <= 0) return 0;
      const organizations = Math.min(limit, maxOrganizationsPerRead);
      const limits = { organizations, webhooksOfEach: Math.floor(limit / organizations) };
      const askedMs = performance.now();
      const shares = shareOut(leases.inHand);
      const ready = leases.ready((orgId) => shareOf(shares, orgId));
      const webhooks = await leaseWebhooks(db.queue, workerId, ready, shares, limits);
      const byOrganization = groupBy(webhooks, ({ org_id }) => org_id);
      await Promise.all(
        [...byOrganization].map(([orgId, theirs]) =>
          read(orgId, theirs, shareOf(shares, orgId), Math.floor(limit / byOrganization.size), askedMs),
        ),
      );
      return webhooks.length;
    } catch (err) {
      if (!isClosed) log.warn({ err }, 'webhooks could not be leased; the worker tries again');
      await rest();
      return 0;
    }
  }

  /** Reads up to `limit` deliveries of an organization and starts to send them. */
  async function read(
    orgId: OrganizationId,
    webhooks: LeasedWebhook[],
    share: Share,
    limit: number,
    askedMs: number,
  ): Promise<void> {
    const each = Math.floor(Math.min(limit, share.slots) / webhooks.length);
    const begun = webhooks.map((webhook) => {
      const lease = leases.begin(webhook, share, askedMs);
      return { lease, until: lease.until, since: webhook.since, limit: Math.min(each, roomIn(lease)) };
    });
    try {
      const requests = begun.map(({ lease, since, limit }) => ({
        webhookId: lease.webhookId,
        since,
        limit,
        inHand: lease.inHand.keys(),
      }));
      const found = await readDeliveries(db.upkeep(orgId), orgId, requests);
      for (const { lease, limit } of begun) {
        const theirs = found.get(lease.webhookId) ?? [];
        const due = theirs.filter(({ due_in }) => due_in <= 0).slice(0, limit);
        leases.fill(lease, due, toDue(theirs[due.length]));
      }
      // The pending deliveries of a disabled webhook are given up by the background work of its organization.
      if (found.size < begun.length) await db.upkeep(orgId, async (tx) => addDueWork(tx, orgId, 'now'));
    } catch (err) {
      if (!isClosed) log.warn({ err, org_id: orgId }, 'deliveries could not be read; the worker tries again');
      for (const { lease, until, since } of begun)
        track(delay(pollMs)).then(() => {
          if (lease.until === until) leases.fill(lease, [], { at: since, ms: performance.now() });
        });
    }
  }

  /** Returns how long the receiver took, or null if it did not accept the delivery. */
  async function deliver(orgId: OrganizationId, delivery: PendingDelivery): Promise<number | null> {
    const settlement = await attempt(orgId, delivery);
    const { status, latency_ms } = settlement;
    onAttempt(status === 'pending' ? 'retry' : status, latency_ms / 1000);
    results.push([orgId, settlement]);
    if (!isSettling) track(settleResults());
    return status === 'delivered' ? latency_ms : null;
  }

  /** One batch after the other: while one is written, the next one gathers. */
  async function settleResults(): Promise<void> {
    isSettling = true;
    while (results.length > 0) {
      await delay(settleMs);
      const byOrganization = groupBy(results.splice(0), ([orgId]) => orgId);
      await Promise.all([...byOrganization].map(([orgId, theirs]) => settleOf(orgId, theirs)));
      await releaseIdle().catch((err) => log.debug({ err }, 'leases were not released; they expire'));
      wake();
    }
    isSettling = false;
  }

  async function settleOf(orgId: OrganizationId, theirs: [OrganizationId, Settlement][]): Promise<void> {
    const settlements = theirs.map(([, settlement]) => settlement);
    try {
      const retries = await settle(db, log, orgId, settlements);
      for (const settlement of settlements) {
        const at = retries.get(settlement.id);
        const ms = performance.now() + (settlement.retry_seconds ?? 0) * 1_000;
        leases.settle(settlement, at ? { at, ms } : null);
      }
    } catch (err) {
      const fields = { err, org_id: orgId, deliveries: settlements.length };
      log.error(fields, 'results could not be written; the deliveries will be sent again');
      // Not immediately: without this pause, they would be sent over and over.
      setTimeout(() => settlements.forEach(leases.putBack), leaseSeconds * 1_000).unref();
    }
  }

  async function releaseIdle(): Promise<void> {
    const idle = leases.takeIdle();
    if (idle.length > 0) await releaseWebhooks(db.queue, idle);
  }

  return {
    wake,
    async close() {
      isClosed = true;
      wake();
      leases.close();
      await running;
      while (working.size > 0) await Promise.all(working);
      await releaseIdle().catch(() => {}); // they expire
    },
  };
}

function toDue(delivery: PendingDelivery | undefined): Due | null {
  if (!delivery) return null;
  return { at: delivery.next_attempt_at, ms: performance.now() + delivery.due_in * 1_000 };
}
