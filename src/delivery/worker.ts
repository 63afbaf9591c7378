import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { groupBy } from '../contract/group-by.ts';
import type { OrganizationId, WebhookId } from '../contract/ids.ts';
import type { Db } from '../store/db/db.ts';
import type { UpkeepTx } from '../store/db/tx.ts';
import { giveUpPending } from '../store/delivery/deliveries.ts';
import { findWaitingWebhooks } from '../store/delivery/due-work.ts';
import {
  type Claimed,
  disableFailing,
  noteOutcomes,
  readDeliveries,
  type Settlement,
  settleDeliveries,
} from '../store/delivery/outbox.ts';
import {
  addTurn,
  type Ended,
  heldSeconds,
  hurryWebhooks,
  returnWebhooks,
  takeWebhooks,
  type WebhookLook,
  type WebhookTurn,
} from '../store/delivery/turns.ts';
import type { Keyring } from '../store/keys/keyring.ts';
import { createAttempt } from './attempt.ts';
import {
  createLanes,
  isIdle,
  isWellFilled,
  isWorthALook,
  type Lane,
  readAtMost,
  roomIn,
  waitAtMostMs,
} from './lanes.ts';
import type { Poster } from './post.ts';
import { claimAtMost, inFlight, shareOut } from './shares.ts';

const pollMs = 1_000;
const settleEveryMs = 10;
const settleLateMs = 250;
const sendAtMostMs = heldSeconds * 1_000 - waitAtMostMs;
/** Claimed for at a time: each is a statement, and few of them leave each more of the deliveries that one claim may take. */
const organizationsAtMost = 5;

export type Worker = {
  /** Something may be due: look now. */
  wake(): void;
  /** Claims nothing more, lets the attempts under way end, and settles them. */
  close(): Promise<void>;
};

/** Any number of processes may run one at the same tables; one that dies loses nothing but the time of its holds. */
export function startWorker({
  db,
  keyring,
  poster,
  log,
  onAttempt,
  isPaused,
}: {
  db: Db;
  keyring: Keyring;
  poster: Poster;
  log: Logger;
  onAttempt: (outcome: 'delivered' | 'retry' | 'failed', seconds: number) => void;
  /** While true nothing is claimed. */
  isPaused: () => boolean;
}): Worker {
  const lanes = createLanes((lane, delivery) => underWay(deliver(lane, delivery)));
  const working = new Set<Promise<unknown>>();
  let settled: [OrganizationId, Settlement][] = [];
  let settlesAtMs = Number.POSITIVE_INFINITY;
  let closed = false;
  let woken = false;
  let rouse = () => {};
  const by = randomUUID();
  const attempt = createAttempt({ keyring, poster, log });

  const running = (async () => {
    while (!closed) {
      woken = false;
      const served = lanes.size() < inFlight && !isPaused() ? await claim() : 0;
      if (served === 0 && !woken) await rest();
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

  /** What `close` waits for. */
  function underWay<T>(work: Promise<T>): Promise<T> {
    const ended = work.finally(() => working.delete(ended));
    working.add(ended);
    return ended;
  }

  /** Claims for each organization whose turn it is, and starts its attempts right away; how many webhooks were served. */
  async function claim(): Promise<number> {
    const limit = Math.min(inFlight - lanes.size(), claimAtMost);
    const organizations = Math.min(limit, organizationsAtMost);
    // No more than there are places for: a webhook whose turn is taken is served.
    const most = { organizations, webhooksOfEach: Math.floor(limit / organizations) };
    try {
      const takenMs = performance.now();
      const taken = await takeWebhooks(db.queue, by, shareOut(lanes.held), most);
      if (taken.length === 0) return 0;
      const turns = groupBy(taken, ({ org_id }) => org_id);
      const each = Math.floor(limit / turns.size);
      const looks = await Promise.all(
        [...turns].map(([orgId, theirs]) => claimOf(orgId, theirs, each, takenMs)),
      );
      await returnWebhooks(db.queue, by, looks.flat());
      return taken.length;
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
    takenMs: number,
  ): Promise<WebhookLook[]> {
    const entered = turns.map((turn) => ({ turn, lane: lanes.enter(turn, takenMs) }));
    const each = Math.floor(Math.min(most, turns[0]?.places ?? 0) / turns.length);
    const requests = entered.map(({ turn, lane }) => ({
      turn,
      // What is full is looked at all the same: it may have been disabled.
      places: readAtMost(lane, each),
      underWay: [...lane.held.keys()],
    }));
    try {
      const found = await readDeliveries(db.upkeep(orgId), orgId, requests);
      const others = turns.filter(({ webhook_id }) => !found.has(webhook_id));
      const looks = entered.map(({ turn, lane }, index) => {
        const theirs = found.get(turn.webhook_id) ?? [];
        const due = theirs.filter(({ due_in }) => due_in <= 0).slice(0, requests[index]?.places);
        lanes.add(lane, closed ? [] : due);
        return lookOf(lane, theirs[due.length]);
      });
      if (others.length === 0) return looks;
      const waiting = await db.upkeep(orgId, (tx) => lookAtOthers(tx, orgId, others));
      return looks.map((look) =>
        found.has(look.webhook_id) ? look : { ...look, ...waiting(look.webhook_id) },
      );
    } catch (err) {
      if (!closed) log.warn({ err, org_id: orgId }, 'deliveries could not be claimed; it is tried again');
      return entered.map(({ lane }) => {
        lanes.add(lane, []);
        return { ...lookOf(lane, undefined), next_at: null, again_in: 1 };
      });
    }
  }

  /** Answers how long the receiver took, or null where it did not accept the delivery. */
  async function deliver(lane: Lane, delivery: Claimed): Promise<number | null> {
    const startedMs = performance.now();
    const settlement = await attempt(lane.orgId, delivery);
    const { status, latency_ms } = settlement;
    onAttempt(status === 'pending' ? 'retry' : status, latency_ms / 1000);
    // This process was stopped in between, and another may be sending it by now. Only a success is worth to be known.
    if (status !== 'delivered' && performance.now() - startedMs > sendAtMostMs) {
      lanes.end(delivery);
      return null;
    }
    settled.push([lane.orgId, settlement]);
    // As long as there is enough to send, nobody waits for this. After it comes the next look.
    settleWithin(isWellFilled(lane) ? settleLateMs : settleEveryMs);
    return status === 'delivered' ? latency_ms : null;
  }

  /**
   * Gathers what ends within a moment, so that a thousand receivers do not mean a thousand transactions. Meanwhile the
   * next deliveries are on their way: the end of an attempt frees its place.
   */
  function settleWithin(ms: number): void {
    const atMs = performance.now() + ms;
    if (atMs >= settlesAtMs) return;
    settlesAtMs = atMs;
    const due = new Promise((resolve) => setTimeout(resolve, ms));
    void underWay(due.then(() => (settlesAtMs === atMs ? settleAll() : undefined)));
  }

  async function settleAll(): Promise<void> {
    settlesAtMs = Number.POSITIVE_INFINITY;
    const batch = groupBy(settled, ([orgId]) => orgId);
    settled = [];
    const ended = await Promise.all(
      [...batch].map(async ([orgId, entries]) => {
        const settlements = entries.map(([, settlement]) => settlement);
        try {
          await settle(orgId, settlements);
        } catch (err) {
          log.error(
            { err, org_id: orgId, deliveries: settlements.length },
            'deliveries could not be settled; they will be attempted again',
          );
          // At least once, never lost; but not right now, since what cannot be settled would be sent over and over.
          setTimeout(() => settlements.forEach(lanes.end), heldSeconds * 1_000).unref();
          return [];
        }
        return endAll(orgId, settlements);
      }),
    );
    const changed = ended
      .flat()
      .filter((one) => one.has_room || one.held_until || one.retry_seconds !== null);
    if (changed.length === 0) return;
    await hurryWebhooks(db.queue, changed).catch((err) => log.debug({ err }, 'a turn comes later'));
    wake();
  }

  function endAll(orgId: OrganizationId, settlements: Settlement[]): Ended[] {
    const webhooks = groupBy(settlements, ({ webhook_id }) => webhook_id);
    return [...webhooks].map(([webhook_id, theirs]) => {
      const [lane] = theirs.map(lanes.end);
      const retries = theirs.flatMap(({ retry_seconds }) => retry_seconds ?? []);
      const has_room = !lane || isWorthALook(lane);
      if (lane && has_room) lane.isFull = false;
      return {
        org_id: orgId,
        webhook_id,
        retry_seconds: retries.length > 0 ? Math.min(...retries) : null,
        has_room,
        held_until: lane && isIdle(lane) ? lane.heldUntil : null,
      };
    });
  }

  async function settle(orgId: OrganizationId, batch: Settlement[]): Promise<void> {
    const outcomes = await settleDeliveries(db.upkeep(orgId), orgId, batch);
    const settled = batch.flatMap((settlement) => {
      const isFailing = outcomes.get(settlement.id);
      return isFailing === undefined ? [] : [{ ...settlement, isFailing }];
    });
    const webhooksOf = (list: Settlement[]) => [...new Set(list.map(({ webhook_id }) => webhook_id))];
    const recovered = settled.filter(({ status, isFailing }) => status === 'delivered' && isFailing);
    const failed = webhooksOf(settled.filter(({ status }) => status !== 'delivered'));
    if (recovered.length === 0 && failed.length === 0) return;
    const gone = webhooksOf(settled.filter((settlement) => settlement.gone));
    await db.upkeep(orgId, async (tx) => {
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
      lanes.close();
      await running;
      while (working.size > 0) await Promise.all(working);
    },
  };
}

/** What a look has found, given the first delivery that is not under way. */
function lookOf(lane: Lane, next: Claimed | undefined): WebhookLook {
  const pending = [...lane.held.values(), ...(next ? [next] : [])];
  const first = Math.min(...pending.map(({ next_attempt_at }) => next_attempt_at.getTime()));
  const isFull = next !== undefined && next.due_in <= 0 && roomIn(lane) <= 0;
  lane.isFull = isFull;
  const seconds = [
    ...(next && !isFull ? [Math.max(0, next.due_in)] : []),
    ...(lane.held.size > 0 ? [heldSeconds] : []),
  ];
  return {
    org_id: lane.orgId,
    webhook_id: lane.webhookId,
    next_at: pending.length > 0 ? new Date(first) : null,
    again_in: seconds.length > 0 ? Math.min(...seconds) : null,
    is_held: lane.held.size > 0,
    is_full: isFull,
  };
}

/** Webhooks that are disabled or deleted, or have just been enabled again. */
async function lookAtOthers(
  tx: UpkeepTx,
  orgId: OrganizationId,
  turns: WebhookTurn[],
): Promise<(id: WebhookId) => Pick<WebhookLook, 'next_at' | 'again_in'>> {
  const ids = turns.map(({ webhook_id }) => webhook_id);
  const waiting = new Map(
    (await findWaitingWebhooks(tx, orgId, ids)).map(({ webhook_id, next_at }) => [webhook_id, next_at]),
  );
  // What is pending for a disabled webhook is given up by whoever looks at the organization.
  if (waiting.size < ids.length) addTurn(tx, orgId, '', null);
  return (id) => ({ next_at: waiting.get(id) ?? null, again_in: waiting.has(id) ? 0.1 : null });
}
