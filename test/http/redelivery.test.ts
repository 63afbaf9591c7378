import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/contract/webhook.ts';
import { loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Received, type Receiver, startReceiver } from '../receiver.ts';

let receiver: Receiver;
let service: TestService;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

/** Every test has an organization with one webhook at its own URL. */
let org: TestOrganization;
let id: string;
let path: string;
let places = 0;
beforeEach(async () => {
  receiver.reply = () => ({ status: 200 });
  org = await service.organization();
  path = `/${++places}`;
  id = await register(receiver.url + path);
});

async function register(url: string, events = ['signal.created']): Promise<string> {
  const answer = await org.call('POST', '/v1/webhooks', {
    body: { url, events, secret: 'a-secret-of-the-tests' },
  });
  expect(answer.status).toBe(201);
  return answer.body.data.id;
}

type Listed = { id: string; timestamp: string };
const received = () => receiver.received.filter((one) => one.path === path);
/** How often each event arrived. */
const arrivals = () => {
  const counts: Record<string, number> = {};
  for (const { headers } of received()) {
    const event = String(headers['webhook-id']);
    counts[event] = (counts[event] ?? 0) + 1;
  }
  return counts;
};
const deliveries = (): Promise<Delivery[]> => readAll(org, `/v1/webhooks/${id}/deliveries`);
const set = (body: object) => org.call('PATCH', `/v1/webhooks/${id}`, { body });
const redeliver = (deliveryId: string) => org.call('POST', `/v1/deliveries/${deliveryId}/redeliver`);
const redeliverSpan = (body: object, webhookId = id) =>
  org.call('POST', `/v1/webhooks/${webhookId}/redeliver`, { body });
/** The next attempt is so late that no test sees it. */
const busy = { status: 503, headers: { 'retry-after': '30' }, body: 'busy' };

/** Creates one signal per account, each in its own transaction; returns their events, oldest first. */
async function fire(crmIds: string[], options = {}): Promise<Listed[]> {
  const before = new Set((await logged()).map((event) => event.id));
  for (const crm_id of crmIds) {
    await loadFacts(
      org,
      { partners: [{}], accounts: [{ crm_id }], partner_accounts: [{ domain: `${crm_id}.example` }] },
      options,
    );
  }
  const made = (await logged()).filter((event) => !before.has(event.id));
  expect(made).toHaveLength(crmIds.length);
  return made;
}

const logged = () => readAll<Listed>(org, '/v1/events');

const everything = { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' };
const allSettled = () =>
  expect.poll(async () => (await deliveries()).every(({ status }) => status !== 'pending')).toBe(true);

describe('the list of deliveries', () => {
  test('tells what came of each: the first KiB of the answer included', async () => {
    receiver.reply = () => ({ status: 201, body: 'é'.repeat(2_000) });
    const [event] = await fire(['a1']);
    await allSettled();
    const [one, ...others] = await deliveries();
    expect(others).toEqual([]);
    expect(one).toEqual({
      id: expect.stringMatching(/^dlv_[0-9a-z]{26}$/),
      webhook_id: id,
      event_id: event?.id,
      status: 'delivered',
      attempts: 1,
      next_attempt_at: null,
      response_code: 201,
      response_body: 'é'.repeat(512),
      error: null,
      latency_ms: expect.any(Number),
      created_at: event?.timestamp,
      attempted_at: expect.stringMatching(/Z$/),
    });
    expect(one?.latency_ms).toBeGreaterThanOrEqual(0);
  });

  test('shows a refusal, and when it is tried again', async () => {
    receiver.reply = () => busy;
    await fire(['a1']);
    await expect.poll(deliveries).toMatchObject([{ status: 'pending', response_code: 503 }]);
    const [one] = await deliveries();
    expect(one).toMatchObject({ attempts: 1, response_body: 'busy', error: null });
    expect(Date.parse(String(one?.next_attempt_at))).toBeGreaterThan(Date.parse(String(one?.attempted_at)));
  });

  test('shows why no answer came', async () => {
    const gone = await startReceiver();
    await gone.close();
    await set({ url: gone.url });
    await fire(['a1']);
    await expect.poll(deliveries).toMatchObject([
      {
        status: 'pending',
        attempts: 1,
        response_code: null,
        response_body: null,
        error: 'connection refused',
      },
    ]);
  });

  test('has the newest first, and pages', async () => {
    const events = await fire(['a1', 'a2', 'a3', 'a4', 'a5']);
    await allSettled();
    const list = `/v1/webhooks/${id}/deliveries?limit=2`;
    const first = (await org.get(list)).body;
    const second = (await org.get(`${list}&cursor=${first.next_cursor}`)).body;
    const third = (await org.get(`${list}&cursor=${second.next_cursor}`)).body;
    expect([first, second, third].map((page) => page.data.length)).toEqual([2, 2, 1]);
    expect([first, second, third].map((page) => page.has_more)).toEqual([true, true, false]);
    expect(third).not.toHaveProperty('next_cursor');
    const seen = [...first.data, ...second.data, ...third.data].map((delivery) => delivery.event_id);
    expect(seen).toEqual(events.map((event) => event.id).reverse());
    const other = await register(receiver.url);
    const elsewhere = await org.get(`/v1/webhooks/${other}/deliveries?cursor=${first.next_cursor}`);
    expect(elsewhere.body.error.code).toBe('invalid_cursor');
  });
});

describe('one delivery', () => {
  test('that succeeded is sent again: the same bytes under the same id, on the same line of the log', async () => {
    const [event] = await fire(['a1']);
    await allSettled();
    const [before] = (await deliveries()) as [Delivery];
    // The event keeps its content, even if the resource has changed.
    await loadFacts(org, { partners: [{ name: 'Renamed' }] });
    const answer = await redeliver(before.id);
    expect(answer.status).toBe(202);
    expect(answer.body.data).toMatchObject({
      id: before.id,
      event_id: event?.id,
      status: 'pending',
      attempts: 0,
    });
    await expect.poll(() => received().length).toBe(2);
    const [first, second] = received() as [Received, Received];
    expect(second.body).toBe(first.body);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    expect(first.headers['webhook-id']).toBe(event?.id);
    await allSettled();
    const after = await deliveries();
    expect(after).toMatchObject([
      { ...before, attempted_at: expect.any(String), latency_ms: expect.any(Number) },
    ]);
    expect(after[0]?.attempted_at).not.toBe(before.attempted_at);
  });

  test('that waits for its next attempt is sent at once', async () => {
    receiver.reply = () => busy;
    await fire(['a1']);
    await expect.poll(deliveries).toMatchObject([{ status: 'pending', attempts: 1 }]);
    receiver.reply = () => ({ status: 200 });
    const [waiting] = (await deliveries()) as [Delivery];
    await redeliver(waiting.id);
    await allSettled();
    expect(await deliveries()).toMatchObject([{ id: waiting.id, status: 'delivered', response_code: 200 }]);
  });

  test('that was a test is marked as one again', async () => {
    const { id: deliveryId } = (await org.call('POST', `/v1/webhooks/${id}/test`)).body.data;
    await allSettled();
    await redeliver(deliveryId);
    await expect.poll(() => received().length).toBe(2);
    const [first, second] = received() as [Received, Received];
    expect(second.body).toBe(first.body);
    expect(second.headers).toMatchObject({ 'x-webhook-test': 'true', 'webhook-id': deliveryId });
  });

  test('takes no body or {}, and nothing else', async () => {
    await fire(['a1']);
    await allSettled();
    const [one] = (await deliveries()) as [Delivery];
    const call = (raw: string) => org.call('POST', `/v1/deliveries/${one.id}/redeliver`, { raw });
    expect((await call('{}')).status).toBe(202);
    for (const raw of ['{"force":true}', '[]', 'null']) expect((await call(raw)).status).toBe(400);
  });
});

describe('a span of time', () => {
  /** One event that arrived, one that was given up, and one from when the webhook was disabled. */
  async function threeFates(): Promise<[arrived: Listed, failed: Listed, missed: Listed]> {
    const [arrived] = await fire(['a1']);
    await allSettled();
    receiver.reply = () => busy;
    const [failed] = await fire(['a2']);
    await expect.poll(() => received().length).toBe(2);
    await set({ status: 'disabled' });
    const [missed] = await fire(['a3']);
    receiver.reply = () => ({ status: 200 });
    await set({ status: 'enabled' });
    return [arrived, failed, missed] as [Listed, Listed, Listed];
  }

  test('sends again what failed, what was missed, or everything, and tells how many', async () => {
    const [arrived, failed, missed] = await threeFates();
    const queued = async (only: string) => {
      const answer = await redeliverSpan({ ...everything, only });
      expect(answer.status, answer.text).toBe(202);
      await allSettled();
      return answer.body.data;
    };
    expect(arrivals()).toEqual({ [arrived.id]: 1, [failed.id]: 1 });
    expect(await queued('failed')).toEqual({ queued: 1 });
    expect(arrivals()).toEqual({ [arrived.id]: 1, [failed.id]: 2 });
    expect(await queued('missed')).toEqual({ queued: 1 });
    expect(arrivals()).toEqual({ [arrived.id]: 1, [failed.id]: 2, [missed.id]: 1 });
    expect(await queued('failed')).toEqual({ queued: 0 });
    expect(await queued('missed')).toEqual({ queued: 0 });
    expect(await queued('all')).toEqual({ queued: 3 });
    expect(arrivals()).toEqual({ [arrived.id]: 2, [failed.id]: 3, [missed.id]: 2 });
    expect(await deliveries()).toHaveLength(3);
  });

  test('with missed includes what failed for good: the receiver missed that too', async () => {
    const [arrived, failed, missed] = await threeFates();
    expect((await redeliverSpan({ ...everything, only: 'missed' })).body.data).toEqual({ queued: 2 });
    await allSettled();
    expect(arrivals()).toEqual({ [arrived.id]: 1, [failed.id]: 2, [missed.id]: 1 });
  });

  test('with all includes what was missed', async () => {
    const [arrived, failed, missed] = await threeFates();
    expect((await redeliverSpan({ ...everything, only: 'all' })).body.data).toEqual({ queued: 3 });
    await allSettled();
    expect(arrivals()).toEqual({ [arrived.id]: 2, [failed.id]: 2, [missed.id]: 1 });
  });

  test.each(['failed', 'missed', 'all'])(
    'begins with since, and ends before until, where only is %s',
    async (only) => {
      if (only === 'failed') receiver.reply = () => busy;
      if (only === 'missed') await set({ status: 'disabled' });
      const events = await fire(['a1', 'a2', 'a3', 'a4']);
      const [first, second, third, fourth] = events as [Listed, Listed, Listed, Listed];
      if (only === 'all') await allSettled();
      if (only === 'failed') {
        await expect.poll(() => received().length).toBe(4);
        await set({ status: 'disabled' });
      }
      await set({ status: 'enabled' });
      receiver.reply = () => ({ status: 200 });
      const sofar = received().length;
      const answer = await redeliverSpan({ since: second.timestamp, until: fourth.timestamp, only });
      expect(answer.body.data).toEqual({ queued: 2 });
      await expect.poll(() => received().length).toBe(sofar + 2);
      const again = received()
        .slice(sofar)
        .map(({ headers }) => headers['webhook-id']);
      expect(new Set(again)).toEqual(new Set([second.id, third.id]));
      const before = await redeliverSpan({ since: '2020-01-01T00:00:00Z', until: first.timestamp, only });
      expect(before.body.data).toEqual({ queued: 0 });
    },
  );

  test.each(['missed', 'all'])('leaves out what was there before the webhook: only %s', async (only) => {
    await fire(['a1', 'a2']);
    const place = `${path}/late`;
    const late = await register(receiver.url + place);
    expect((await redeliverSpan({ ...everything, only }, late)).body.data).toEqual({ queued: 0 });
    await org.call('PATCH', `/v1/webhooks/${late}`, { body: { status: 'disabled' } });
    const [missed] = (await fire(['a3'])) as [Listed];
    await org.call('PATCH', `/v1/webhooks/${late}`, { body: { status: 'enabled' } });
    expect((await redeliverSpan({ ...everything, only }, late)).body.data).toEqual({ queued: 1 });
    const arrived = () => receiver.received.filter((one) => one.path === place);
    await expect.poll(() => arrived().map(({ headers }) => headers['webhook-id'])).toEqual([missed.id]);
  });

  test('leaves out events of a kind from before the webhook took it, and has those missed since', async () => {
    await set({ events: ['attribution.created'] });
    await fire(['a1']);
    await set({ events: ['attribution.created', 'signal.created'] });
    for (const only of ['missed', 'all']) {
      expect((await redeliverSpan({ ...everything, only })).body.data).toEqual({ queued: 0 });
    }
    await set({ status: 'disabled' });
    const [missed] = (await fire(['a2'])) as [Listed];
    await set({ status: 'enabled', events: ['signal.created', 'attribution.updated'] });
    expect((await redeliverSpan({ ...everything, only: 'missed' })).body.data).toEqual({ queued: 1 });
    await allSettled();
    expect(arrivals()).toEqual({ [missed.id]: 1 });
  });

  test('leaves out events of other kinds', async () => {
    await fire(['a1']);
    const other = await register(`${receiver.url}/other`, ['attribution.created', 'attribution.updated']);
    for (const only of ['missed', 'all']) {
      expect((await redeliverSpan({ ...everything, only }, other)).body.data).toEqual({ queued: 0 });
    }
  });

  test('leaves out what a backfill made, which is for nobody', async () => {
    await set({ status: 'disabled' });
    await fire(['a1'], { backfill: true });
    const [real] = (await fire(['a2'])) as [Listed];
    await set({ status: 'enabled' });
    for (const only of ['missed', 'all']) {
      expect((await redeliverSpan({ ...everything, only })).body.data).toEqual({ queued: 1 });
      await allSettled();
    }
    expect(arrivals()).toEqual({ [real.id]: 2 });
  });

  test.each([
    [{ ...everything, until: everything.since, only: 'all' }, ['until']],
    [{ since: everything.until, until: everything.since, only: 'all' }, ['until']],
    [{ since: '2026-01-01T02:00:00+02:00', until: '2026-01-01T00:00:00Z', only: 'all' }, ['until']],
    [{ since: 'yesterday', until: '2026-02-30T00:00:00Z', only: 'some' }, ['since', 'until', 'only']],
    [{ since: 1, until: null }, ['since', 'until', 'only']],
    [{ ...everything, only: 'all', limit: 5 }, ['limit']],
    [{}, ['since', 'until', 'only']],
  ])('%o is refused, by name', async (body, bad) => {
    const answer = await redeliverSpan(body);
    expect(answer.status).toBe(400);
    const named = answer.body.error.details.map(({ field }: { field: string }) => field);
    expect(named.sort()).toEqual(bad.sort());
  });
});

test('a disabled webhook is sent nothing again: 409, and all stays as it was', async () => {
  await fire(['a1']);
  await allSettled();
  await set({ status: 'disabled' });
  const before = await deliveries();
  for (const answer of [
    await redeliver(before[0]?.id ?? ''),
    await redeliverSpan({ ...everything, only: 'failed' }),
    await redeliverSpan({ ...everything, only: 'missed' }),
    await redeliverSpan({ ...everything, only: 'all' }),
  ]) {
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({
      code: 'webhook_disabled',
      message: expect.stringMatching(/disabled by a client.*PATCH.*"enabled"/),
    });
  }
  expect(await deliveries()).toEqual(before);
  expect(received()).toHaveLength(1);
});
