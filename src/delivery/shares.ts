import type { OrganizationId } from '../contract/ids.ts';
import type { Share, Shares } from '../store/delivery/turns.ts';

/** The places of a worker. Many, because receivers that hang hold theirs for the whole of an attempt. */
export const inFlight = 1_000;
/** At a time, so that signing them does not hold up everything else in the process. */
export const claimAtMost = 100;
export const inFlightPerWebhook = 10;

/** How many more places each organization may take, given how many each holds. */
export function shareOut(held: ReadonlyMap<OrganizationId, number>): Shares {
  const free = inFlight - [...held.values()].reduce((sum, count) => sum + count, 0);
  return {
    holders: new Map([...held].map(([orgId, count]) => [orgId, shareOf(mostOf(free + count) - count)])),
    others: shareOf(mostOf(free)),
  };
}

/**
 * How many places an organization may hold, of those that the others leave to it: the fewer these are, the smaller its
 * part of them, and of the last hundred, which one claim could take, a single one. So one organization alone can hold 810
 * of the 1,000 places. If organizations hang, all with more webhooks and deliveries than there are places, 5 of them leave
 * 300 places free and 50 leave 200. 500 leave 100, and whoever has nothing under way gets one of those. Only a thousand
 * organizations that hang at the same time fill a worker, until their attempts time out.
 */
function mostOf(left: number): number {
  return Math.max(1, Math.floor(Math.max(0, left - claimAtMost) ** 2 / inFlight));
}

/** The fewer places an organization has left, the fewer may each webhook hold: there is room for those that answer. */
function shareOf(places: number): Share {
  return { places, perWebhook: Math.max(1, Math.min(inFlightPerWebhook, Math.floor(places / 50))) };
}
