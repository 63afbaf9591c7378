import { expect, test } from 'vitest';
import type { OrganizationId } from '../contract/ids.ts';
import { shareOut } from './fair-share.ts';
import { maxInHand, maxPerRead } from './limits.ts';

test.each([
  [1, 250, 190],
  [5, 200, 300],
  [50, 20, 200],
  [500, 2, 100],
  [900, 1, 100],
])(
  '%i organizations that hang, each with %i webhooks and a backlog, leave %i slots free',
  (orgs, webhooks, free) => {
    expect(maxInHand - total(hang(orgs, webhooks))).toBeGreaterThanOrEqual(free);
  },
);

test('one organization alone may use most slots, and its webhooks that hang leave some for its others', () => {
  const alone = hang(1, 250);
  expect(total(alone)).toBeGreaterThan(maxInHand / 2);
  expect(shareOut(alone).holders.get('org_0')?.slots).toBeGreaterThanOrEqual(50);
});

/** How many deliveries each has in hand once nobody can take another, if none ends. They take turns, as in the store. */
function hang(orgs: number, webhooks: number): Map<OrganizationId, number> {
  const inHand = new Map<OrganizationId, number>();
  const queue = Array.from({ length: orgs * webhooks }, (_, index) => ({
    orgId: `org_${index % orgs}` as OrganizationId,
    inFlight: 0,
  }));
  for (let before = -1; before < total(inHand); ) {
    before = total(inHand);
    const { holders: shares, others } = shareOut(inHand);
    const left = new Map(queue.map(({ orgId }) => [orgId, (shares.get(orgId) ?? others).slots]));
    for (const webhook of queue.slice()) {
      const slots = left.get(webhook.orgId) ?? 0;
      const { perWebhook } = shares.get(webhook.orgId) ?? others;
      if (slots <= 0 || webhook.inFlight >= perWebhook) continue;
      if (total(inHand) === Math.min(maxInHand, before + maxPerRead)) break;
      left.set(webhook.orgId, slots - 1);
      webhook.inFlight++;
      inHand.set(webhook.orgId, (inHand.get(webhook.orgId) ?? 0) + 1);
      queue.push(...queue.splice(queue.indexOf(webhook), 1));
    }
  }
  return inHand;
}

function total(inHand: Map<OrganizationId, number>): number {
  return [...inHand.values()].reduce((sum, count) => sum + count, 0);
}
