import type { DeliveryId, OrganizationId, WebhookId } from '../contract/ids.ts';
import type { Claimed } from '../store/delivery/outbox.ts';
import type { WebhookTurn } from '../store/delivery/turns.ts';
import { inFlightPerWebhook } from './shares.ts';

/** As many of a webhook's deliveries are read ahead, so that a receiver that answers quickly never waits for the database. */
const aheadAtMost = 200;
/** But no more than the receiver accepts in this time, at the pace of its last answer. */
const aheadMs = 2_500;
/** The pace of so many receivers is remembered while nothing of theirs is held; the others start like unknown ones. */
const rememberAtMost = 100_000;
/** What has waited longer is read again: an attempt of 15 seconds must end before the hold of its turn does. */
export const waitAtMostMs = 4_000;

/** What this worker holds of one webhook: deliveries that wait, are being sent, or are about to be settled. */
export type Lane = {
  orgId: OrganizationId;
  webhookId: WebhookId;
  /** Until then no other worker sends to this webhook. */
  heldUntil: string;
  isClaiming: boolean;
  /** The last look left something behind that was due. */
  isFull: boolean;
  held: Map<DeliveryId, Claimed>;
  waiting: Claimed[];
  /** When the hold was asked for. */
  takenMs: number;
  inFlight: number;
  inFlightAtMost: number;
  /** How long the receiver took to accept the last delivery; infinite where it did not. */
  latencyMs: number;
};

export type Lanes = {
  /** How many deliveries of each organization are held. */
  held: ReadonlyMap<OrganizationId, number>;
  size(): number;
  /** The lane of a webhook whose turn this worker has taken. */
  enter(turn: WebhookTurn, takenMs: number): Lane;
  /** The look at its deliveries has ended; sends these, each as soon as the webhook has a free place. */
  add(lane: Lane, deliveries: Claimed[]): void;
  /** Lets go of a delivery; answers its lane. */
  end(delivery: Pick<Claimed, 'id' | 'webhook_id'>): Lane | undefined;
  /** Sends nothing more. Nothing has been written about what waits, so nothing is to be undone. */
  close(): void;
};

/** `send` answers how long the receiver took to accept a delivery, or null where it did not. */
export function createLanes(send: (lane: Lane, delivery: Claimed) => Promise<number | null>): Lanes {
  const lanes = new Map<WebhookId, Lane>();
  const held = new Map<OrganizationId, number>();
  /** Of webhooks without a lane: a receiver that keeps up with its events leaves its lane again and again. */
  const latencies = new Map<WebhookId, number>();

  function count(orgId: OrganizationId, change: number): void {
    const after = (held.get(orgId) ?? 0) + change;
    if (after > 0) held.set(orgId, after);
    else held.delete(orgId);
  }

  function fill(lane: Lane): void {
    while (lane.inFlight < lane.inFlightAtMost && lane.waiting.length > 0)
      void sendOne(lane, lane.waiting.shift() as Claimed);
  }

  async function sendOne(lane: Lane, delivery: Claimed): Promise<void> {
    lane.inFlight++;
    const latencyMs = await send(lane, delivery);
    lane.inFlight--;
    lane.latencyMs = latencyMs ?? Number.POSITIVE_INFINITY;
    // After a failure the webhook may be disabled or corrected: what waits is read again.
    if (latencyMs === null || performance.now() - lane.takenMs > waitAtMostMs) drop(lane);
    fill(lane);
  }

  function drop(lane: Lane): void {
    if (lane.waiting.length === 0) return;
    lane.isFull = true;
    for (const { id } of lane.waiting) lane.held.delete(id);
    count(lane.orgId, -lane.waiting.length);
    lane.waiting = [];
  }

  function leaveIfIdle(lane: Lane): void {
    if (!isIdle(lane)) return;
    lanes.delete(lane.webhookId);
    latencies.delete(lane.webhookId);
    if (lane.latencyMs <= aheadMs && latencies.size < rememberAtMost)
      latencies.set(lane.webhookId, lane.latencyMs);
  }

  return {
    held,
    size: () => [...held.values()].reduce((sum, one) => sum + one, 0),
    enter({ org_id, webhook_id, held_until, per_webhook }, takenMs) {
      const known = lanes.get(webhook_id);
      const fresh = {
        ...{ orgId: org_id, webhookId: webhook_id, isFull: false, held: new Map(), waiting: [], inFlight: 0 },
        latencyMs: latencies.get(webhook_id) ?? Number.POSITIVE_INFINITY,
      };
      const now = { heldUntil: held_until, takenMs, inFlightAtMost: per_webhook, isClaiming: true };
      const lane = Object.assign(known ?? fresh, now);
      lanes.set(webhook_id, lane);
      return lane;
    },
    add(lane, deliveries) {
      lane.isClaiming = false;
      for (const delivery of deliveries) lane.held.set(delivery.id, delivery);
      count(lane.orgId, deliveries.length);
      lane.waiting.push(...deliveries);
      fill(lane);
      leaveIfIdle(lane);
    },
    end({ id, webhook_id }) {
      const lane = lanes.get(webhook_id);
      if (lane?.held.delete(id)) count(lane.orgId, -1);
      if (lane) leaveIfIdle(lane);
      return lane;
    },
    close() {
      for (const lane of lanes.values()) drop(lane);
    },
  };
}

/** How many more deliveries of its webhook a lane may hold. */
export function roomIn(lane: Lane): number {
  return mostIn(lane) - lane.held.size;
}

/**
 * How many deliveries a look reads where each webhook may have so many. If some still wait, it reads twice as many, since
 * those only wait as well; otherwise they would go out over new connections.
 */
export function readAtMost(lane: Lane, each: number): number {
  return Math.max(0, Math.min(lane.waiting.length > 0 ? each * 2 : each, roomIn(lane)));
}

/** Whether deliveries may wait in the lane while others are in flight. */
function isReadAhead(lane: Lane): boolean {
  return mostIn(lane) > lane.inFlightAtMost;
}

/** Whether there may be more to send, and room for enough of it that a look at the database pays. */
export function isWorthALook(lane: Lane): boolean {
  if (!lane.isFull && !lane.isClaiming) return false;
  return isReadAhead(lane) ? lane.held.size <= mostIn(lane) / 2 : roomIn(lane) > 0;
}

/** Whether so much waits that what has ended may be settled later: a look for more would come too early. */
export function isWellFilled(lane: Lane): boolean {
  return isReadAhead(lane) && lane.waiting.length > mostIn(lane) / 2;
}

export function isIdle({ held, isClaiming }: Lane): boolean {
  return held.size === 0 && !isClaiming;
}

function mostIn({ latencyMs, inFlightAtMost }: Lane): number {
  // Where places are scarce, none are spent on what waits.
  if (inFlightAtMost < inFlightPerWebhook) return inFlightAtMost;
  const accepted = Math.floor((inFlightAtMost * aheadMs) / latencyMs);
  return Math.min(aheadAtMost, Math.max(inFlightAtMost, accepted));
}
