import { expect, test } from 'vitest';
import type { DeliveryId } from '../contract/ids.ts';
import type { Claimed } from '../store/delivery/outbox.ts';
import type { WebhookTurn } from '../store/delivery/turns.ts';
import { createLanes, isWorthALook, type Lane, readAtMost, roomIn } from './lanes.ts';

const turn: WebhookTurn = {
  org_id: 'org_1',
  webhook_id: 'whk_1',
  since: '',
  held_until: 'later',
  places: 100,
  per_webhook: 10,
};

const delivery = (index: number) => ({ id: `dlv_${index}`, webhook_id: turn.webhook_id }) as Claimed;

/** A lane with so many deliveries, and the receiver that ends them one by one. */
function laneWith(count: number) {
  const answers: ((latencyMs: number | null) => void)[] = [];
  const lanes = createLanes(() => new Promise((resolve) => answers.push(resolve)));
  const deliveries = Array.from({ length: count }, (_, index) => delivery(index));
  const lane = lanes.enter(turn, performance.now());
  lanes.add(lane, deliveries);
  const answer = async (latencyMs: number | null) => {
    answers.shift()?.(latencyMs);
    await new Promise(setImmediate);
  };
  return { lanes, lane, answers, answer };
}

test('a webhook has at most ten requests in flight, however many of its deliveries are held', async () => {
  const { lane, answers, answer } = laneWith(60);
  expect(answers).toHaveLength(10);
  await answer(5);
  expect(answers).toHaveLength(10);
  expect(lane).toMatchObject({ inFlight: 10, waiting: { length: 49 } });
});

test.each<[string, number | null, number]>([
  ['takes no time', 0, 200],
  ['takes 125 ms', 125, 200],
  ['takes 250 ms', 250, 100],
  ['takes 900 ms', 900, 27],
  ['takes 2,600 ms', 2_600, 10],
  ['fails', null, 10],
])('a receiver that %s is read ahead by what it accepts in 2.5 seconds', async (_case, latencyMs, most) => {
  const { lane, answer } = laneWith(10);
  expect(roomIn(lane)).toBe(0);
  await answer(latencyMs);
  expect(roomIn(lane) + lane.held.size).toBe(most);
});

test('one that has emptied its lane is read ahead from the start of the next, until it is slow', async () => {
  const { lanes, lane, answer } = laneWith(2);
  await answer(5);
  await answer(5);
  end(lanes, lane, 0);
  end(lanes, lane, 1);
  const next = lanes.enter(turn, performance.now());
  expect([next === lane, roomIn(next)]).toEqual([false, 200]);
  lanes.add(next, [delivery(9)]);
  await answer(3_000);
  end(lanes, next, 9);
  expect(roomIn(lanes.enter(turn, performance.now()))).toBe(10);
});

test('a look reads twice as many where some still wait, as far as there is room', async () => {
  const busy = laneWith(60);
  await busy.answer(5);
  expect([20, 100].map((each) => readAtMost(busy.lane, each))).toEqual([40, 140]);
  const empty = laneWith(1);
  await empty.answer(5);
  expect([20, 300].map((each) => readAtMost(empty.lane, each))).toEqual([20, 199]);
});

test('where places are scarce, nothing is read ahead', async () => {
  const { lanes, lane, answer } = laneWith(1);
  lanes.add(lanes.enter({ ...turn, per_webhook: 3 }, performance.now()), []);
  await answer(5);
  expect([roomIn(lane), readAtMost(lane, 100)]).toEqual([2, 2]);
});

test.each<[string, number | null, number]>([
  ['after a failure', null, 0],
  ['when its hold is about to end', 5, 5_000],
])('%s, what waits is let go, and looked for again', async (_case, latencyMs, ageMs) => {
  const { lanes, lane, answers, answer } = laneWith(60);
  lane.takenMs -= ageMs;
  await answer(latencyMs);
  expect(answers).toHaveLength(9);
  expect(lanes.held.get('org_1')).toBe(10);
  for (let index = 0; index < 6; index++) end(lanes, lane, index);
  expect(isWorthALook(lane)).toBe(true);
});

test('a lane that is empty holds no places', () => {
  const { lanes, lane } = laneWith(2);
  expect(lanes.size()).toBe(2);
  end(lanes, lane, 0);
  end(lanes, lane, 1);
  expect([lanes.size(), lanes.held.size]).toEqual([0, 0]);
});

function end(lanes: ReturnType<typeof createLanes>, { webhookId }: Lane, index: number): void {
  lanes.end({ id: `dlv_${index}` as DeliveryId, webhook_id: webhookId });
}
