import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { transaction } from '../../src/store/db/connection.ts';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Received, type Receiver, startReceiver } from '../receiver.ts';
import { deadUrl, hangingUrl } from './dead-receivers.ts';
import { queue, type Subscription, subscribe } from './queue.ts';

/** For a machine that does much else: what is bounded is compared. */
const patience = { timeout: 200_000 };
vi.setConfig({ testTimeout: 300_000 });

let receiver: Receiver;
/** Two on one database. */
let services: [TestService, TestService];
beforeAll(async () => {
  receiver = await startReceiver();
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile, LOG_LEVEL: 'warn' };
  const first = await startTestService(env);
  services = [first, await startTestService(env, first.databaseUrl)];
});
afterAll(async () => {
  await Promise.all(services.map(({ close }) => close()));
  await receiver.close();
});

// What one test leaves in the queue, thousands of them, would be attempted again during the next. A worker that is about
// to claim some may meet this in a deadlock, after which it is tried again.
afterEach(() => transaction(services[0].pool, (tx) => tx.query('delete from webhooks')));

test('at most 10 requests of a webhook are in flight over all processes, and all ten are used', async () => {
  let open = (_reply: { status: number }) => {};
  const reply = new Promise<{ status: number }>((resolve) => {
    open = resolve;
  });
  // It accepts enough to have ten in flight before it blocks.
  receiver.reply = ({ path }) =>
    path === '/blocked' && at('/blocked').length > 60 ? reply : { status: 200 };
  const blocked = await subscribe(await services[0].organization(), `${receiver.url}/blocked`);
  await queue(services[0].pool, 120, [blocked]);
  await expect.poll(() => receiver.inFlight('/blocked').now, patience).toBeGreaterThanOrEqual(10);
  // By the time that these have arrived, the workers have looked at the queue many times.
  const other = await subscribe(await services[0].organization(), `${receiver.url}/other`);
  await queue(services[0].pool, 200, [other]);
  await expect.poll(() => arrived('/other').size, patience).toBe(200);
  expect(receiver.inFlight('/blocked').most).toBe(10);

  let flying = 0;
  let most = 0;
  receiver.reply = async () => {
    most = Math.max(most, ++flying);
    await new Promise((resolve) => setTimeout(resolve, 20));
    flying--;
    return { status: 200 };
  };
  open({ status: 200 });
  await expect.poll(() => delivered(blocked), patience).toBe(120);
  expect(arrived('/blocked').size).toBe(120);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(10);
});

test('receivers that hang or are dead, with thousands of deliveries waiting, delay nobody else', async () => {
  receiver.reply = () => ({ status: 200 });
  const org = await services[0].organization();
  await subscribe(org, `${receiver.url}/healthy`);
  const without = await slowestArrival(org, '/healthy', 'before');

  // Enough of them to take every slot that the workers have, if they got all that they could take.
  const hanging = await Promise.all(
    Array.from({ length: 60 }, async () => subscribe(await services[0].organization(), await hangingUrl())),
  );
  const [, dead] = await Promise.all([
    queue(services[0].pool, 100, hanging),
    subscribe(await services[0].organization(), await deadUrl()),
  ]);
  await queue(services[0].pool, 5_000, [dead]);
  await expect.poll(() => leasedWebhooks(), patience).toBeGreaterThanOrEqual(60);
  const beside = await slowestArrival(org, '/healthy', 'beside');
  // Had it to wait for an attempt that hangs, it would be up to 15 seconds.
  expect(beside).toBeLessThan(5 * without + 5_000);
});

test('of 100 webhooks at one origin, ten that hang do not delay the others', async () => {
  receiver.reply = ({ path }) => (path === '/hang' ? 'hang' : { status: 200 });
  const org = await services[0].organization();
  await subscribe(org, `${receiver.url}/living`);
  const without = await slowestArrival(org, '/living', 'before');

  const others = await Promise.all(
    Array.from({ length: 89 }, async () =>
      subscribe(await services[0].organization(), `${receiver.url}/others`),
    ),
  );
  const burst = async () => {
    const begunMs = Date.now();
    // Few enough for a process that gets little of the machine: an attempt has 15 seconds.
    const ids = await queue(services[0].pool, 1, others);
    const times = () => {
      const byId = arrived('/others');
      return ids.map((id) => byId.get(id) ?? Number.NaN);
    };
    await expect.poll(() => times().filter(Number.isNaN), patience).toEqual([]);
    return Math.max(...times()) - begunMs;
  };
  const burstWithout = await burst();

  const at10 = await Promise.all(
    Array.from({ length: 10 }, async () =>
      subscribe(await services[0].organization(), `${receiver.url}/hang`),
    ),
  );
  await queue(services[0].pool, 50, at10);
  await expect.poll(() => receiver.inFlight('/hang').now, patience).toBe(10);
  // Had they to wait for an attempt that hangs, it would be 15 seconds.
  expect(await slowestArrival(org, '/living', 'beside')).toBeLessThan(5 * without + 5_000);
  expect(await burst()).toBeLessThan(5 * burstWithout + 5_000);
  // Each that hangs has one request in flight and no more, also if its first one has timed out by now.
  expect(receiver.inFlight('/hang').most).toBe(10);
});

test('organizations are served in turns: one with a long queue does not hold up those with one delivery', async () => {
  receiver.reply = () => ({ status: 200 });
  const busy = await services[0].organization();
  const theirs = await Promise.all(Array.from({ length: 30 }, () => subscribe(busy, `${receiver.url}/busy`)));
  const others = await Promise.all(
    Array.from({ length: 20 }, async () =>
      subscribe(await services[0].organization(), `${receiver.url}/single`),
    ),
  );
  receiver.received.length = 0;
  await queue(services[0].pool, 50, theirs, 1, others);
  await expect.poll(() => arrived('/single').size, patience).toBe(20);
  const last = receiver.received.findLastIndex(({ path }) => path === '/single');
  expect(last).toBeLessThan(750);
  await expect.poll(() => arrived('/busy').size, patience).toBe(1_500);
});

function at(path: string): Received[] {
  return receiver.received.filter((one) => one.path === path);
}

/** Each event with the time at which it first came: on a machine that is too slow for a lease, it comes again. */
function arrived(path: string): Map<string, number> {
  return new Map(
    at(path)
      .map(({ headers, at }) => [String(headers['webhook-id']), at] as const)
      .reverse(),
  );
}

async function delivered({ webhook_id }: Subscription): Promise<number> {
  const { rows } = await services[0].pool.query(
    `select count(*) from deliveries where webhook_id = $1 and status = 'delivered'`,
    [webhook_id],
  );
  return rows[0].count;
}

async function leasedWebhooks(): Promise<number> {
  const { rows } = await services[0].pool.query(
    'select count(*) from due_webhooks where leased_until > now()',
  );
  return rows[0].count;
}

/** Milliseconds from the fact to its event's arrival, the worst of ten one after the other. */
async function slowestArrival(org: TestOrganization, path: string, name: string): Promise<number> {
  await loadFacts(org, { partners: [{}] });
  let slowest = 0;
  for (let index = 0; index < 10; index++) {
    const crm_id = `${name}-${index}`;
    await loadFacts(org, { accounts: [{ crm_id }] });
    const begunMs = Date.now();
    await loadFacts(org, { partner_accounts: [{ domain: `${crm_id}.example` }] });
    const arrived = () => at(path).find(({ body }) => body.includes(`"${crm_id}"`));
    await expect.poll(arrived, { ...patience, interval: 5 }).toBeDefined();
    slowest = Math.max(slowest, (arrived()?.at ?? Number.NaN) - begunMs);
  }
  return slowest;
}
