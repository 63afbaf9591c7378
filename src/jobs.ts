import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OrganizationId } from './contract/ids.ts';
import { expireStep, recheckStep } from './domain/due-signals.ts';
import type { Fired } from './domain/evaluate-pairs.ts';
import { suggestStep } from './domain/match-suggestions.ts';
import { rescoreStep } from './domain/priority.ts';
import { continueRedelivery } from './domain/redeliver.ts';
import type { Db } from './store/db/db.ts';
import { refreshStatistics } from './store/db/statistics.ts';
import { deleteOldDeliveries, giveUpOfDisabled } from './store/delivery/deliveries.ts';
import {
  type LeasedOrganization,
  leaseOrganizations,
  releaseOrganization,
} from './store/delivery/due-organizations.ts';
import { addMissingWebhooks } from './store/delivery/due-webhooks.ts';
import { type DueWork, findDueWork, findWaitingWebhooks } from './store/delivery/due-work.ts';
import { deleteOldEvents } from './store/delivery/events.ts';
import { deleteEndedSecrets } from './store/delivery/secrets.ts';
import { deleteOldIdempotencyKeys } from './store/keys/idempotency.ts';

/** Signals must expire within five seconds. Checking every second leaves time for a slow step. */
const everyMs = 1_000;
/** How many organizations are leased at a time, and how many of them are processed concurrently. */
const leaseAtMost = 20;
const atOnce = 2;
/** A step that failed, or that a batch blocked, is retried after this. */
const blockedSeconds = 1;

type Options = {
  db: Db;
  log: Logger;
  onFired: (signals: Fired) => void;
  onSuggested: (records: number) => void;
  isPaused: () => boolean;
};
type Step = (options: Options & { whatCanWait: Pace }, orgId: OrganizationId, now: Date) => Promise<unknown>;

/** Returns null if the work has to wait. */
type Pace = <T>(run: () => Promise<T>) => Promise<T | null>;

/** Gives background work a twentieth of the time while data is being loaded, and all of it otherwise. */
export function createPace(isLoading: () => boolean): Pace {
  let restsUntil = Number.NEGATIVE_INFINITY;
  return async (run) => {
    const begun = performance.now();
    if (begun < restsUntil && isLoading()) return null;
    try {
      return await run();
    } finally {
      const ended = performance.now();
      restsUntil = ended + 19 * (ended - begun);
    }
  };
}

const steps: Record<keyof DueWork, Step> = {
  expire: ({ db }, orgId, now) => db.write(orgId, (tx) => expireStep(tx, orgId, now, true)),
  recheck: async ({ db, onFired }, orgId, now) => {
    const fired = await db.factsIfFree(orgId, (tx) => recheckStep(tx, orgId, now, true));
    if (fired) onFired(fired);
    return fired !== null;
  },
  rescore: ({ db }, orgId, now) =>
    db.factsIfFree(orgId, async (tx) => {
      await rescoreStep(tx, orgId, now);
      return true;
    }),
  suggest: async ({ db, onSuggested, whatCanWait }, orgId, now) => {
    // Does not slow down a batch. A batch that begins now does not wait for this step, which needs no facts lock.
    const isFree = await db.factsIfFree(orgId, async () => true);
    const records = isFree && (await whatCanWait(() => db.write(orgId, (tx) => suggestStep(tx, orgId, now))));
    if (records) onSuggested(records);
    return records !== null;
  },
  redeliver: ({ db }, orgId) => db.upkeep(orgId, (tx) => continueRedelivery(tx, orgId)),
  give_up: ({ db }, orgId) => giveUpOfDisabled(db.upkeep(orgId), orgId),
  secrets: ({ db }, orgId) => deleteEndedSecrets(db.upkeep(orgId), orgId),
  idempotency: ({ db }, orgId) => deleteOldIdempotencyKeys(db.upkeep(orgId), orgId),
  deliveries: ({ db }, orgId) => deleteOldDeliveries(db.upkeep(orgId), orgId),
  events: ({ db }, orgId) => deleteOldEvents(db.upkeep(orgId), orgId),
};

/**
 * Does the due work of each organization in small steps, alternating between organizations. Any number of processes can run
 * it; if one dies, the others take over.
 */
export function startBackground(given: Options): () => Promise<void> {
  const options = { ...given, whatCanWait: createPace(given.db.isLoading) };
  const { db, log, isPaused } = options;
  const stop = new AbortController();
  const workerId = randomUUID();

  /** Returns whether it did anything. A failure is logged, retried later, and stops nothing else. */
  async function attempt(
    job: string,
    run: () => Promise<unknown>,
    org_id?: OrganizationId,
  ): Promise<boolean> {
    try {
      return Boolean(await run());
    } catch (err) {
      if (!stop.signal.aborted) log.warn({ err, job, org_id }, 'a background step failed; it is tried again');
      return false;
    }
  }

  async function loop(job: string, step: () => Promise<boolean>): Promise<void> {
    while (!stop.signal.aborted) {
      const more = !isPaused() && (await attempt(job, step));
      if (!more) await delay(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => {});
    }
  }

  async function checkDue(): Promise<boolean> {
    const leased = await leaseOrganizations(db.queue, workerId, leaseAtMost);
    const rest = [...leased];
    let more = leased.length === leaseAtMost;
    const work = async () => {
      while (!stop.signal.aborted) {
        const next = rest.shift();
        if (!next) break;
        if (await attempt('check', () => check(next), next.org_id)) more = true;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return more;
  }

  /** Returns true if it did something, and there may be more. */
  async function check(leased: LeasedOrganization): Promise<boolean> {
    const { org_id, now } = leased;
    const times = Object.entries(await findDueWork(db.upkeep(org_id), org_id)) as [
      keyof DueWork,
      Date | null,
    ][];
    const due = times.flatMap(([kind, at]) => (at && at <= now ? [kind] : []));
    let done = false;
    for (const kind of due)
      if (await attempt(kind, () => steps[kind](options, org_id, now), org_id)) done = true;
    if (due.length > 0) {
      await releaseOrganization(db.queue, workerId, leased, { inSeconds: done ? 0 : blockedSeconds });
      return done;
    }
    if (leased.empty_checks > 0) {
      const waiting = await findWaitingWebhooks(db.upkeep(org_id), org_id);
      if (waiting.length > 0) await addMissingWebhooks(db.queue, waiting);
    }
    const next = times.flatMap(([, at]) => at?.getTime() ?? []);
    await releaseOrganization(db.queue, workerId, leased, {
      at: next.length > 0 ? new Date(Math.min(...next)) : null,
    });
    return false;
  }

  const running = [
    loop('check organizations', checkDue),
    loop('refresh statistics', () => refreshStatistics(db.queue)),
  ];
  return async () => {
    stop.abort();
    await Promise.all(running);
  };
}
