import { leaseSeconds } from '../store/delivery/due-webhooks.ts';

/** The constants of deliveries, which depend on each other: docs/understand/deliveries.md has the reasons. */

/** Deliveries that a worker has in hand. Many, because a receiver that hangs keeps its own for a whole attempt. */
export const maxInHand = 1_000;
/** Deliveries that are read at a time. */
export const maxPerRead = 100;
/** Organizations that are read at a time: each takes a statement. */
export const maxOrganizationsPerRead = 5;
/** Requests in flight to one webhook, over all workers. */
export const maxInFlight = 10;
/** Deliveries that a receiver accepts before it gets another request in flight, which may take another connection. */
export const acceptedPerConnection = 4;
/** Deliveries of one webhook in hand, if its receiver is fast: it never waits for the database. */
export const prefetch = 200;

/** Requests in flight to one origin, such as a platform that hosts many webhooks; slow ones do not count. */
export const maxInFlightPerOrigin = 20;
export const slowRequestMs = 100;

/** After a lost wake-up, a worker finds its work this late. */
export const pollMs = 1_000;
/** Results that come within this time are written together. */
export const settleMs = 50;
/** An attempt, from its start to the response. */
export const attemptTimeoutMs = 15_000;
/** No attempt begins later after the start of its lease: with a second to spare, it ends before the lease does. */
export const maxWaitMs = leaseSeconds * 1_000 - attemptTimeoutMs - 1_000;
/** A receiver is fast if it accepts everything that is prefetched within that time. */
export const fastMs = (maxWaitMs * maxInFlight) / prefetch;
