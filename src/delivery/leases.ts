import type { DeliveryId, OrganizationId, WebhookId } from '../contract/ids.ts';
import type { LeasedWebhook, Pending, Share } from '../store/delivery/due-webhooks.ts';
import type { PendingDelivery } from '../store/delivery/outbox.ts';
import { acceptedPerConnection, fastMs, maxInFlight, maxWaitMs, prefetch } from './limits.ts';

/** The lease of a webhook, and the deliveries of it that this worker has in hand. Only this file changes it. */
export type Lease = {
  readonly orgId: OrganizationId;
  readonly webhookId: WebhookId;
  readonly until: string;
  /** When the lease was asked for. */
  readonly begunMs: number;
  readonly isReading: boolean;
  /** Those that wait, are in flight, or have a result that is not written yet. */
  readonly inHand: ReadonlyMap<DeliveryId, PendingDelivery>;
  readonly waiting: readonly PendingDelivery[];
  readonly inFlight: number;
  /** Deliveries that the receiver has accepted since the lease was taken, or since its last failure. */
  readonly accepted: number;
  readonly maxInFlight: number;
  /** The receiver accepted the last delivery quickly. */
  readonly isFast: boolean;
  /** The first pending delivery that is not in hand: when it is due by the database's clock and by this process's. */
  readonly next: Due | null;
};
export type Due = { at: Date; ms: number };
type InHand = Pick<PendingDelivery, 'id' | 'webhook_id'>;

export type Leases = {
  /** How many deliveries of each organization are in hand. */
  inHand: ReadonlyMap<OrganizationId, number>;
  size(): number;
  /** A lease that was taken or renewed. Its deliveries are being read. */
  begin(webhook: LeasedWebhook, share: Share, askedMs: number): Lease;
  /** Its deliveries have been read: sends these, each as soon as the webhook has fewer requests in flight than it may. */
  fill(lease: Lease, deliveries: PendingDelivery[], next: Due | null): void;
  /** The result of a delivery is written. `retry` is its next attempt. */
  settle(delivery: InHand, retry: Due | null): void;
  /** The result could not be written: the delivery is read and sent again. */
  putBack(delivery: InHand): void;
  /** Leases of webhooks that have more to send now, with enough room in their share that a read pays. */
  ready(shareOf: (orgId: OrganizationId) => Share): Pending[];
  /** Forgets the leases that have nothing in hand and returns them: they are to be released. */
  takeIdle(): Pending[];
  /** Sends nothing more. */
  close(): void;
};

/** `send` returns how long the receiver took to accept a delivery, or null if it did not. */
export function createLeases(
  send: (orgId: OrganizationId, delivery: PendingDelivery) => Promise<number | null>,
  onReady: () => void,
): Leases {
  const leases = new Map<WebhookId, State>();
  const inHand = new Map<OrganizationId, number>();
  let isClosed = false;

  function sendWaiting(lease: State): void {
    while (lease.inFlight < windowOf(lease) && lease.waiting.length > 0)
      void sendOne(lease, lease.waiting.shift() as PendingDelivery);
  }

  async function sendOne(lease: State, delivery: PendingDelivery): Promise<void> {
    lease.inFlight++;
    const latencyMs = await send(lease.orgId, delivery);
    lease.inFlight--;
    lease.isFast = latencyMs !== null && latencyMs <= fastMs;
    lease.accepted = latencyMs === null ? 0 : lease.accepted + 1;
    // After a failure, the webhook may be disabled or corrected. Nothing was written about what waits: it is read again.
    if (latencyMs === null || performance.now() - lease.begunMs > maxWaitMs) putBackWaiting(lease);
    sendWaiting(lease);
    if (isPrefetching(lease) && isReady(lease)) onReady();
  }

  function putBackWaiting(lease: State): void {
    for (const { id } of lease.waiting.splice(0)) letGo(lease, id, true);
  }

  function letGo(lease: State, id: DeliveryId, isPending: boolean): void {
    const delivery = lease.inHand.get(id);
    if (!delivery) return;
    lease.inHand.delete(id);
    const left = (inHand.get(lease.orgId) ?? 0) - 1;
    if (left > 0) inHand.set(lease.orgId, left);
    else inHand.delete(lease.orgId);
    if (isPending) lease.next = earlier(lease.next, { at: delivery.next_attempt_at, ms: performance.now() });
  }

  return {
    inHand,
    size: () => [...inHand.values()].reduce((sum, one) => sum + one, 0),
    begin({ org_id, webhook_id, leased_until }, { perWebhook }, askedMs) {
      const fresh = { inHand: new Map(), waiting: [], inFlight: 0, accepted: 0, isFast: false };
      const lease: State = Object.assign(leases.get(webhook_id) ?? fresh, {
        orgId: org_id,
        webhookId: webhook_id,
        until: leased_until,
        begunMs: askedMs,
        maxInFlight: perWebhook,
        isReading: true,
        next: null,
      });
      leases.set(webhook_id, lease);
      return lease;
    },
    fill(given, deliveries, next) {
      const lease = given as State;
      lease.isReading = false;
      lease.next = earlier(lease.next, next);
      for (const delivery of deliveries) lease.inHand.set(delivery.id, delivery);
      if (deliveries.length > 0) inHand.set(lease.orgId, (inHand.get(lease.orgId) ?? 0) + deliveries.length);
      lease.waiting.push(...deliveries);
      if (isClosed) putBackWaiting(lease);
      sendWaiting(lease);
    },
    settle({ id, webhook_id }, retry) {
      const lease = leases.get(webhook_id);
      if (!lease) return;
      letGo(lease, id, false);
      lease.next = earlier(lease.next, retry);
    },
    putBack({ id, webhook_id }) {
      const lease = leases.get(webhook_id);
      if (lease) letGo(lease, id, true);
    },
    ready(shareOf) {
      for (const lease of leases.values()) lease.maxInFlight = shareOf(lease.orgId).perWebhook;
      return [...leases.values()].filter(isReady).map(toPending);
    },
    takeIdle() {
      const idle = [...leases.values()].filter((lease) => !lease.isReading && lease.inHand.size === 0);
      for (const { webhookId } of idle) leases.delete(webhookId);
      return idle.map(toPending);
    },
    close() {
      isClosed = true;
      for (const lease of leases.values()) putBackWaiting(lease);
    },
  };
}

type State = {
  -readonly [K in Exclude<keyof Lease, 'inHand' | 'waiting'>]: Lease[K];
} & { inHand: Map<DeliveryId, PendingDelivery>; waiting: PendingDelivery[] };

/** How many more deliveries the lease may take. Where the organization has few slots left, nothing is prefetched. */
export function roomIn(lease: Lease): number {
  const capacity = isPrefetching(lease) ? prefetch : windowOf(lease);
  return Math.max(0, capacity - lease.waiting.length - lease.inFlight);
}

/**
 * Slow start: how many requests the webhook may have in flight. It begins with one and gets one more for every few that its
 * receiver accepts, so ten events take one or two connections instead of ten, and a receiver that hangs holds one slot.
 */
function windowOf({ accepted, maxInFlight }: Lease): number {
  return Math.min(maxInFlight, 1 + Math.floor(accepted / acceptedPerConnection));
}

function isPrefetching(lease: Lease): boolean {
  return lease.isFast && lease.maxInFlight === maxInFlight;
}

function isReady(lease: Lease): boolean {
  if (lease.isReading || lease.next === null || lease.next.ms > performance.now()) return false;
  return roomIn(lease) >= (isPrefetching(lease) ? prefetch / 2 : 1);
}

function toPending({ orgId, webhookId, until, inHand, next }: Lease): Pending {
  const times = [...inHand.values()].map(({ next_attempt_at }) => next_attempt_at.getTime());
  if (next) times.push(next.at.getTime());
  return {
    org_id: orgId,
    webhook_id: webhookId,
    leased_until: until,
    next_at: times.length > 0 ? new Date(Math.min(...times)) : null,
  };
}

function earlier(one: Due | null, other: Due | null): Due | null {
  if (!one || !other) return one ?? other;
  return { at: other.at < one.at ? other.at : one.at, ms: Math.min(one.ms, other.ms) };
}
