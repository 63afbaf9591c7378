import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { retrySteps } from '../../src/vocabulary.ts';
import { checkNow } from '../due-work.ts';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

type Reply = Awaited<ReturnType<Receiver['reply']>>;

let receiver: Receiver;
let service: TestService;
/** By path: what the receiver answers. */
const replies = new Map<string, Reply>();
/** The first attempt at a receiver that hangs, begun before everything else: its 15 seconds pass beside the other tests. */
let hanging: Promise<Logged | undefined>;

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.reply = ({ path }) => replies.get(path) ?? { status: 200 };
  service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile });
  const { deliveries } = await subscribe('hang');
  hanging = firstAttempt(deliveries);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

describe('an attempt that fails is in the log with what went wrong, and is tried again in 5 s ± 20 %', () => {
  test.each<[string, Reply, { response_code: number | null; error: string | null; response_body?: unknown }]>(
    [
      ['500', { status: 500, body: 'broken' }, { response_code: 500, error: null, response_body: 'broken' }],
      [
        '301, which is not followed',
        { status: 301, headers: { location: '/elsewhere' } },
        { response_code: 301, error: null },
      ],
      [
        '404 with 10 MB, of which 1 KiB is kept',
        { status: 404, body: 'x'.repeat(10_000_000) },
        { response_code: 404, error: null, response_body: 'x'.repeat(1024) },
      ],
      [
        '429 with a short Retry-After',
        { status: 429, headers: { 'retry-after': '1' } },
        { response_code: 429, error: null },
      ],
      ['a connection cut in the middle', 'cut', { response_code: null, error: 'connection closed' }],
    ],
  )('%s', async (_case, reply, logged) => {
    const { deliveries, path } = await subscribe(reply);
    await expect.poll(deliveries).toMatchObject([{ status: 'pending', attempts: 1, ...logged }]);
    expectDelay((await deliveries())[0], 5 * 0.8, 5 * 1.2);
    expect(at(path)).toHaveLength(1);
    expect(at('/elsewhere')).toHaveLength(0);
  });
});

test.each([
  ['20', 20],
  ['3600', 30],
])('Retry-After: %s is honoured, up to the length of the next step: %i s', async (seconds, waits) => {
  const { deliveries } = await subscribe({ status: 429, headers: { 'retry-after': seconds } });
  await expect.poll(deliveries).toMatchObject([{ status: 'pending', attempts: 1, response_code: 429 }]);
  expectDelay((await deliveries())[0], waits, waits);
});

test('a success with 10 MB is a success, and 1 KiB of it is kept', async () => {
  const { deliveries } = await subscribe({ status: 200, body: 'y'.repeat(10_000_000) });
  await expect.poll(deliveries).toMatchObject([
    {
      status: 'delivered',
      attempts: 1,
      response_code: 200,
      response_body: 'y'.repeat(1024),
      next_attempt_at: null,
    },
  ]);
});

test('eleven attempts after growing pauses send the same bytes under the same id at their own time; then it is given up', async () => {
  const { deliveries, webhook, path } = await subscribe({ status: 503 });
  for (const [index, step] of retrySteps.entries()) {
    await expect
      .poll(deliveries, { interval: 20 })
      .toMatchObject([{ status: 'pending', attempts: index + 1, response_code: 503 }]);
    expectDelay((await deliveries())[0], step * 0.8, step * 1.2);
    // The attempts would otherwise fall into one second, and their times would be the same.
    if (index === 0) {
      const second = Number(at(path)[0]?.headers['webhook-timestamp']);
      await expect.poll(() => Math.floor(Date.now() / 1000)).toBeGreaterThan(second);
    }
    await makeDue(webhook);
  }
  await expect.poll(deliveries).toMatchObject([{ status: 'failed', attempts: 11, next_attempt_at: null }]);

  const requests = at(path);
  expect(requests).toHaveLength(11);
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  expect(new Set(requests.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set([(await deliveries())[0]?.event_id]),
  );
  for (const { headers, at: arrivedMs } of requests) {
    const ageMs = arrivedMs - Number(headers['webhook-timestamp']) * 1000;
    expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(ageMs).toBeLessThan(5_000);
  }
  expect(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBeGreaterThan(1);
});

describe('a webhook', () => {
  test('that answers 410 is disabled at once, what it had to get is given up, and redelivery brings it and what came meanwhile', async () => {
    const { org, deliveries, webhook, read, path } = await subscribe({ status: 500 }, 3);
    await expect
      .poll(deliveries)
      .toMatchObject(Array(3).fill({ status: 'pending', attempts: 1, response_code: 500 }));
    replies.set(path, { status: 410 });
    const [first] = await deliveries();
    await makeDue(webhook, first?.id);
    const reason = 'the receiver answered 410 Gone';
    await expect.poll(read).toMatchObject({ status: 'disabled', disabled_reason: reason });
    await expect.poll(deliveries).toHaveLength(3);
    const given = await deliveries();
    const error = `the webhook was disabled: ${reason}`;
    expect(given).toMatchObject(Array(3).fill({ status: 'failed', next_attempt_at: null, error }));
    expect(given.map(({ response_code }) => response_code).sort()).toEqual([410, 500, 500]);

    await cause(org, 1, 'meanwhile');
    expect(await deliveries()).toHaveLength(3);
    replies.delete(path);
    await org.call('PATCH', `/v1/webhooks/${webhook}`, { body: { status: 'enabled' } });
    await org.call('POST', `/v1/webhooks/${webhook}/redeliver`, {
      body: {
        since: new Date(Date.now() - 3_600_000).toISOString(),
        until: new Date(Date.now() + 3_600_000).toISOString(),
        only: 'all',
      },
    });
    await expect
      .poll(deliveries)
      .toMatchObject(Array(4).fill({ status: 'delivered', attempts: 1, error: null }));
    const feed = (await org.get('/v1/events')).body.data;
    expect(new Set(feed.map(({ id }: { id: string }) => id))).toEqual(
      new Set(at(path).map(({ headers }) => headers['webhook-id'])),
    );
  });

  test('with nothing but failures is disabled after five days of them, and not before', async () => {
    const { deliveries, webhook, read } = await subscribe({ status: 500 });
    await expect.poll(deliveries).toMatchObject([{ attempts: 1, response_code: 500 }]);
    await failingSince(webhook, '4 days 23 hours');
    await makeDue(webhook);
    await expect.poll(deliveries).toMatchObject([{ attempts: 2, response_code: 500 }]);
    expect(await read()).toMatchObject({ status: 'enabled', disabled_reason: null });
    await failingSince(webhook, '5 days 1 minute');
    await makeDue(webhook);
    await expect
      .poll(read)
      .toMatchObject({ status: 'disabled', disabled_reason: 'nothing but failures for five days' });
    await expect.poll(deliveries).toMatchObject([{ status: 'failed', attempts: 3 }]);
  });

  test('that takes one delivery starts its five days over', async () => {
    const { deliveries, webhook, read, path } = await subscribe({ status: 500 });
    await expect.poll(deliveries).toMatchObject([{ attempts: 1, response_code: 500 }]);
    await failingSince(webhook, '6 days');
    replies.delete(path);
    await makeDue(webhook);
    await expect.poll(deliveries).toMatchObject([{ status: 'delivered', attempts: 2, response_code: 200 }]);
    expect(await read()).toMatchObject({ status: 'enabled', disabled_reason: null });
    const { rows } = await service.pool.query('select failing_since from webhooks where id = $1', [webhook]);
    expect(rows).toEqual([{ failing_since: null }]);
  });
});

test('a receiver that hangs is left after 15 seconds, and is tried again', async () => {
  const delivery = await hanging;
  expect(delivery).toMatchObject({
    ...{ status: 'pending', attempts: 1, response_code: null, error: 'timed out after 15 s' },
  });
  expect(delivery?.latency_ms).toBeGreaterThanOrEqual(14_900);
  expectDelay(delivery, 5 * 0.8, 5 * 1.2);
});

type Logged = {
  id: string;
  event_id: string;
  status: string;
  attempts: number;
  next_attempt_at: string;
  attempted_at: string;
  response_code: number | null;
  latency_ms: number;
  /** The database's clock, after the row was read. */
  read_at: number;
};

type Subscription = {
  org: TestOrganization;
  webhook: string;
  path: string;
  read(): Promise<unknown>;
  /** What the log says once no worker has the lease of the webhook. */
  deliveries(): Promise<Logged[]>;
};

/** A new organization with a webhook that gets this reply, and so many signals that fired for it. */
async function subscribe(reply: Reply, signals = 1): Promise<Subscription> {
  const org = await service.organization();
  const path = `/${org.orgId}`;
  replies.set(path, reply);
  const made = await org.call('POST', '/v1/webhooks', {
    body: { url: receiver.url + path, events: ['signal.created'] },
  });
  const webhook = made.body.data.id as string;
  await cause(org, signals, 'first');
  return {
    org,
    webhook,
    path,
    read: async () => (await org.get(`/v1/webhooks/${webhook}`)).body.data,
    async deliveries() {
      const before = await attempts(webhook);
      const { data } = (await org.get(`/v1/webhooks/${webhook}/deliveries`)).body;
      const after = await attempts(webhook);
      if (after.leased > 0 || before.leased > 0 || after.made !== before.made) return [];
      const { rows } = await service.pool.query('select clock_timestamp() as now');
      return data.map((delivery: Logged) => ({ ...delivery, read_at: rows[0].now.getTime() }));
    },
  };
}

async function cause(org: TestOrganization, signals: number, name: string): Promise<void> {
  const ids = Array.from({ length: signals }, (_, index) => `${name}-${index}`);
  await loadFacts(org, {
    partners: [{}],
    accounts: ids.map((crm_id) => ({ crm_id })),
    partner_accounts: ids.map((id) => ({ domain: `${id}.example` })),
  });
}

function at(path: string) {
  return receiver.received.filter((one) => one.path === path);
}

/** The pause began after the attempt did and before the row was read: both bounds hold however slow the machine is. */
async function firstAttempt(deliveries: () => Promise<Logged[]>): Promise<Logged | undefined> {
  for (;;) {
    const [delivery] = await deliveries();
    if (delivery && delivery.attempts > 0) return delivery;
    await delay(100);
  }
}

function expectDelay(delivery: Logged | undefined, least: number, most: number): void {
  const next = Date.parse(delivery?.next_attempt_at ?? '');
  expect(next - Date.parse(delivery?.attempted_at ?? '')).toBeGreaterThanOrEqual(least * 1000 - 1);
  expect(next - (delivery?.read_at ?? 0)).toBeLessThanOrEqual(most * 1000 + 1);
}

/** Ends the pause before the next attempt, of one delivery or of all of a webhook. */
async function makeDue(webhook: string, id?: string): Promise<void> {
  await service.pool.query(
    `update deliveries set next_attempt_at = now()
     where webhook_id = $1 and status = 'pending' and id = coalesce($2, id)`,
    [webhook, id],
  );
  await checkNow(service.pool, { webhookId: webhook });
  await service.pool.query(`select pg_notify('partner_signals_deliveries', '')`);
}

/** How many have ended, and whether a worker may be making another. */
async function attempts(webhook: string): Promise<{ made: number; leased: number }> {
  const { rows } = await service.pool.query(
    `select (select sum(attempts) from deliveries where webhook_id = $1) as made,
       (select count(*) from due_webhooks where webhook_id = $1 and leased_until > now()) as leased`,
    [webhook],
  );
  return rows[0];
}

async function failingSince(webhook: string, ago: string): Promise<void> {
  await service.pool.query(
    'update webhooks set failing_since = now() - $2::interval where id = $1 and failing_since is not null',
    [webhook, ago],
  );
}
