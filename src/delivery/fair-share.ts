import type { OrganizationId } from '../contract/ids.ts';
import type { Share, Shares } from '../store/delivery/due-webhooks.ts';
import { maxInFlight, maxInHand, maxPerRead } from './limits.ts';

export function shareOf({ holders, others }: Shares, orgId: OrganizationId): Share {
  return holders.get(orgId) ?? others;
}

/** How many more deliveries each organization may have in hand, given how many each has. */
export function shareOut(inHand: ReadonlyMap<OrganizationId, number>): Shares {
  const free = maxInHand - [...inHand.values()].reduce((sum, count) => sum + count, 0);
  return {
    holders: new Map([...inHand].map(([orgId, count]) => [orgId, toShare(slotsOf(free + count) - count)])),
    others: toShare(slotsOf(free)),
  };
}

/**
 * How many slots an organization may use of those that the others leave to it. The fewer these are, the smaller its part;
 * of the last hundred, it gets one. So one organization alone can use 810 of 1,000 slots. Organizations whose receivers all
 * hang leave 300 slots free if they are 5, 200 if they are 50 and 100 if they are 500.
 */
function slotsOf(left: number): number {
  return Math.max(1, Math.floor(Math.max(0, left - maxPerRead) ** 2 / maxInHand));
}

/** The fewer slots an organization has left, the fewer each webhook gets: some remain for receivers that respond. */
function toShare(slots: number): Share {
  return { slots, perWebhook: Math.max(1, Math.min(maxInFlight, Math.floor(slots / 50))) };
}
