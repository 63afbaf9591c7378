import { expect, test } from 'vitest';
import type { DeliveryId } from '../contract/ids.ts';
import type { LeasedWebhook } from '../store/delivery/due-webhooks.ts';
import type { PendingDelivery } from '../store/delivery/outbox.ts';
import { createLeases, type Due, roomIn } from './leases.ts';

const webhook: LeasedWebhook = {
  ...{ org_id: 'org_1', webhook_id: 'whk_1', leased_until: 'later' },
  ...{ since: new Date(0) },
};
const next_attempt_at = new Date('2026-02-25T06:13:20Z');
const delivery = (index: number) =>
  ({ id: `dlv_${index}`, webhook_id: webhook.webhook_id, next_attempt_at }) as PendingDelivery;
const dueIn = (ms: number): Due => ({ at: new Date('2026-02-25T07:00:00Z'), ms: performance.now() + ms });

/**
 * A lease with so many deliveries in hand, and the receiver that answers them one by one. It has accepted `accepted` others,
 * by default enough for ten requests in flight.
 */
async function leaseWith(
  count: number,
  { next = null as Due | null, ageMs = 0, perWebhook = 10, accepted = 36 } = {},
) {
  const share = { slots: 100, perWebhook };
  const answers: ((latencyMs: number | null) => void)[] = [];
  const leases = createLeases(
    () => new Promise((resolve) => answers.push(resolve)),
    () => {},
  );
  const lease = leases.begin(webhook, share, performance.now());
  const answer = async (latencyMs: number | null) => {
    answers.shift()?.(latencyMs);
    await new Promise(setImmediate);
  };
  const settle = (count: number, retry: Due | null = null) => {
    for (let index = 0; index < count; index++)
      leases.settle({ id: `dlv_${index}` as DeliveryId, webhook_id: webhook.webhook_id }, retry);
  };
  const deliveries = (count: number) => Array.from({ length: count }, (_, index) => delivery(index));
  leases.fill(lease, deliveries(accepted), null);
  for (let index = 0; index < accepted; index++) await answer(1_000);
  settle(accepted);
  leases.begin(webhook, share, performance.now() - ageMs);
  leases.fill(lease, deliveries(count), next);
  const ready = () => leases.ready(() => share);
  return { leases, ready, lease, answers, answer, settle };
}

test('a webhook has at most ten requests in flight, however many of its deliveries are in hand', async () => {
  const { lease, answers, answer } = await leaseWith(60);
  expect(answers).toHaveLength(10);
  await answer(5);
  expect(answers).toHaveLength(10);
  expect(lease).toMatchObject({ inFlight: 10, waiting: { length: 49 } });
});

test('a webhook starts with one request in flight, and gets one more for every four that are accepted', async () => {
  const { lease, answer } = await leaseWith(60, { accepted: 0 });
  const inFlight = [lease.inFlight];
  for (let index = 0; index < 12; index++) {
    await answer(5);
    inFlight.push(lease.inFlight);
  }
  expect(inFlight).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4]);
  await answer(null);
  for (let index = 0; index < 3; index++) await answer(5);
  expect(lease.inFlight).toBe(0);
  expect(roomIn(lease)).toBe(200);
});

test.each<[string, number, number]>([
  ['takes no time', 0, 200],
  ['takes 200 ms', 200, 200],
  ['takes 201 ms', 201, 10],
])('a receiver that %s has so many deliveries waiting or in flight', async (_case, latencyMs, most) => {
  const { lease, answer } = await leaseWith(10);
  expect(roomIn(lease)).toBe(0);
  await answer(latencyMs);
  expect(roomIn(lease) + lease.waiting.length + lease.inFlight).toBe(most);
});

test('if its organization has few slots left, nothing is prefetched', async () => {
  const { lease, answer } = await leaseWith(1, { perWebhook: 3 });
  await answer(5);
  expect(roomIn(lease)).toBe(3);
});

test.each<[string, number | null, number]>([
  ['after a failure', null, 0],
  ['when the lease is about to expire', 5, 5_000],
])('%s, deliveries that wait are put back and read again', async (_case, latencyMs, ageMs) => {
  const { leases, ready, answers, answer, settle } = await leaseWith(60, { ageMs });
  await answer(latencyMs);
  expect(answers).toHaveLength(9);
  expect(leases.inHand.get('org_1')).toBe(10);
  for (let index = 0; index < 9; index++) await answer(latencyMs);
  settle(10);
  expect(ready()).toMatchObject([{ webhook_id: 'whk_1', next_at: next_attempt_at }]);
});

test('a lease is ready for more when something is due and half of what is prefetched is used up', async () => {
  const waits = await leaseWith(2, { next: dueIn(60_000) });
  expect(waits.ready()).toEqual([]);
  const slow = await leaseWith(10, { next: dueIn(0) });
  expect(slow.ready()).toEqual([]);
  await slow.answer(1_000);
  expect(slow.ready()).toHaveLength(1);
  const fast = await leaseWith(102, { next: dueIn(0) });
  await fast.answer(5);
  expect(fast.ready()).toEqual([]);
  await fast.answer(5);
  expect(fast.ready()).toHaveLength(1);
});

test('a lease with nothing in hand is idle once, with the time of the next attempt', async () => {
  const { leases, settle } = await leaseWith(2);
  expect(leases.takeIdle()).toEqual([]);
  settle(1, dueIn(9_000));
  settle(2, dueIn(5_000));
  expect([leases.size(), leases.inHand.size]).toEqual([0, 0]);
  expect(leases.takeIdle()).toEqual([
    { org_id: 'org_1', webhook_id: 'whk_1', leased_until: 'later', next_at: dueIn(0).at },
  ]);
  expect(leases.takeIdle()).toEqual([]);
});

test('a retry that is settled during a read is not forgotten', async () => {
  const { leases, settle } = await leaseWith(1);
  const lease = leases.begin(webhook, { slots: 100, perWebhook: 10 }, performance.now());
  settle(1, dueIn(5_000));
  expect(leases.takeIdle()).toEqual([]);
  leases.fill(lease, [], null);
  expect(leases.takeIdle()).toMatchObject([{ next_at: dueIn(0).at }]);
});
