import { expect, test } from 'vitest';
import type { OrganizationId } from '../contract/ids.ts';
import { claimAtMost, inFlight, shareOut } from './shares.ts';

test.each([
  [1, 250, 190],
  [5, 200, 300],
  [50, 20, 200],
  [500, 2, 100],
  [900, 1, 100],
])(
  '%i organizations that hang, each with %i webhooks and a backlog, leave %i places free',
  (orgs, webhooks, free) => {
    expect(inFlight - total(hang(orgs, webhooks))).toBeGreaterThanOrEqual(free);
  },
);

test('one organization alone may hold most places, and its webhooks that hang leave room for its others', () => {
  const alone = hang(1, 250);
  expect(total(alone)).toBeGreaterThan(inFlight / 2);
  expect(shareOut(alone).holders.get('org_0')?.places).toBeGreaterThanOrEqual(50);
});

/** How many places each holds once nobody can take another, where none ends; turns go round, as in the store. */
function hang(orgs: number, webhooks: number): Map<OrganizationId, number> {
  const held = new Map<OrganizationId, number>();
  const queue = Array.from({ length: orgs * webhooks }, (_, index) => ({
    orgId: `org_${index % orgs}` as OrganizationId,
    underWay: 0,
  }));
  for (let before = -1; before < total(held); ) {
    before = total(held);
    const { holders: shares, others } = shareOut(held);
    const left = new Map(queue.map(({ orgId }) => [orgId, (shares.get(orgId) ?? others).places]));
    for (const webhook of queue.slice()) {
      const places = left.get(webhook.orgId) ?? 0;
      const { perWebhook } = shares.get(webhook.orgId) ?? others;
      if (places <= 0 || webhook.underWay >= perWebhook) continue;
      if (total(held) === Math.min(inFlight, before + claimAtMost)) break;
      left.set(webhook.orgId, places - 1);
      webhook.underWay++;
      held.set(webhook.orgId, (held.get(webhook.orgId) ?? 0) + 1);
      queue.push(...queue.splice(queue.indexOf(webhook), 1));
    }
  }
  return held;
}

function total(held: Map<OrganizationId, number>): number {
  return [...held.values()].reduce((sum, count) => sum + count, 0);
}
