import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EventId, newId, type OrganizationId, type WebhookId } from '../../src/contract/ids.ts';
import { shareOut } from '../../src/delivery/fair-share.ts';
import { addDeliveries, requeueDelivery } from '../../src/store/delivery/deliveries.ts';
import { leaseSeconds, leaseWebhooks } from '../../src/store/delivery/due-webhooks.ts';
import { insertEvents } from '../../src/store/delivery/events.ts';
import {
  type PendingDelivery,
  readDeliveries,
  type Settlement,
  settleDeliveries,
} from '../../src/store/delivery/outbox.ts';
import { checkNow } from '../due-work.ts';
import { loadFacts, readAll } from '../facts.ts';
import {
  sharedEnv,
  startTestService,
  type TestOrganization,
  type TestService,
  testPool,
} from '../harness.ts';
import { type ServiceProcess, spawnService } from '../process.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

let receiver: Receiver;
let delivering: Record<string, string>;
let dir: string;
beforeAll(async () => {
  receiver = await startReceiver();
  delivering = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile };
  dir = await mkdtemp(join(tmpdir(), 'ps-kill-'));
});
afterAll(async () => {
  await receiver.close();
  await rm(dir, { recursive: true, force: true });
});

test('while workers are killed again and again, every event of a committed cause arrives, and none of one rolled back', async () => {
  receiver.reply = async () => {
    await delay(Math.random() * 100);
    return { status: 200 };
  };
  const api = await startTestService({ ...delivering, ROLE: 'api' });
  const startWorker = (name: string) =>
    spawnService({
      ...sharedEnv(api.databaseUrl),
      ...delivering,
      ROLE: 'worker',
      DATA_DIR: join(dir, name),
    });
  const workers = await Promise.all(['one', 'two'].map(startWorker));
  const org = await api.organization();
  const webhooks = await Promise.all(['/a', '/b'].map((path) => subscribe(org, path)));

  const untilMs = Date.now() + 15_000;
  let kills = 0;
  // On a busy machine a kill takes long: the stream lasts for as many as prove something.
  const goesOn = () => Date.now() < untilMs || kills < 4;
  const streaming = stream(api, org, webhooks, goesOn);
  while (goesOn()) {
    const victim = kills % 2;
    const arrived = receiver.received.length;
    const often = { interval: 2 };
    await expect.poll(() => receiver.received.length, often).toBeGreaterThan(arrived + 10);
    await expect.poll(() => receiver.inFlight().now, often).toBeGreaterThan(0);
    await kill(workers[victim]);
    kills++;
    // The leases of the dead expire after 20 seconds; this only hastens it.
    await expireLeases(api, 1);
    workers[victim] = await startWorker(['one', 'two'][victim] as string);
  }
  const rolledBack = await streaming;
  await Promise.all(workers.map(kill));
  await expireLeases(api);
  const last = await startWorker('one');
  await expect.poll(() => unfinished(api, org)).toBe(0);
  await kill(last);

  const events = await readAll<{ id: string; event: string }>(org, '/v1/events');
  const committed = new Set(events.filter(({ event }) => event === 'signal.created').map(({ id }) => id));
  expect(committed.size).toBeGreaterThan(50);
  expect(rolledBack.length).toBeGreaterThan(5);
  for (const path of ['/a', '/b']) {
    const requests = receiver.received.filter((one) => one.path === path);
    const arrived = new Set(requests.map(({ headers }) => headers['webhook-id'] as string));
    expect([...committed].filter((id) => !arrived.has(id))).toEqual([]);
    expect([...arrived].filter((id) => !committed.has(id))).toEqual([]);
    expect(rolledBack.filter((id) => arrived.has(id))).toEqual([]);
  }
  // Otherwise the kills fell between the deliveries and have proved nothing.
  expect(kills).toBeGreaterThan(2);
  expect(receiver.received.length).toBeGreaterThan(2 * committed.size);
  await api.close();
});

describe('a worker whose lease expired', () => {
  let api: TestService;
  beforeAll(async () => {
    api = await startTestService({ ...delivering, ROLE: 'api' });
  });
  afterAll(() => api.close());

  test('settles nothing once another has', async () => {
    const delivery = await oneDelivery(api);
    const [late] = await claim(api, 'late');
    expect(late).toMatchObject({ id: delivery.id, attempts: 0 });
    expect(await claim(api, 'other')).toEqual([]);
    await expireLeases(api);
    const [other] = await claim(api, 'other');
    expect(other).toMatchObject({ id: delivery.id, attempts: 0 });

    expect(await settle(api, delivery, settlement(other))).toHaveLength(1);
    const failure = { status: 'failed', retry_seconds: null, response_code: 500 } as const;
    expect(await settle(api, delivery, settlement(late, failure))).toEqual([]);
    expect(await settle(api, delivery, settlement(other, failure))).toEqual([]);
    expect(await read(api, delivery)).toMatchObject({ status: 'delivered', attempts: 1, response_code: 200 });
  });

  test('leaves a delivery alone that was redelivered meanwhile', async () => {
    const delivery = await oneDelivery(api);
    const [late] = await claim(api, 'late');
    await api.db.write(delivery.org_id, (tx) => requeueDelivery(tx, delivery.org_id, delivery.id));
    expect(await settle(api, delivery, settlement(late))).toEqual([]);
    expect(await read(api, delivery)).toMatchObject({ status: 'pending', attempts: 0 });
  });
});

test('a service that closes lets its attempts under way end, and settles them', async () => {
  const requests = () => receiver.received.filter(({ path }) => path === '/closing').length;
  let open = (_reply: { status: number }) => {};
  const reply = new Promise<{ status: number }>((resolve) => {
    open = resolve;
  });
  // After twelve that are accepted, four are in flight at once.
  receiver.reply = () => (requests() > 12 ? reply : { status: 200 });
  const service = await startTestService(delivering);
  const org = await service.organization();
  await subscribe(org, '/closing');
  await loadFacts(org, signals('closing', 30));
  await expect.poll(() => receiver.inFlight('/closing').now).toBe(4);

  const closing = service.close();
  await expect
    .poll(() =>
      service.call('GET', '/').then(
        () => '',
        (error: NodeJS.ErrnoException) => error.code,
      ),
    )
    .toBe('ECONNREFUSED');
  open({ status: 200 });
  await closing;
  const pool = testPool(service.databaseUrl);
  const { rows } = await pool.query(
    'select status, count(*) from deliveries group by status order by status',
  );
  const leased = await pool.query('select from due_webhooks where leased_until > now()');
  await pool.end();
  expect(rows).toEqual([
    { status: 'delivered', count: requests() },
    { status: 'pending', count: 30 - requests() },
  ]);
  expect(leased.rowCount).toBe(0);
});

/** Causes signals one lot after the other, and beside each a transaction that fails; answers the events of those. */
async function stream(
  api: TestService,
  org: TestOrganization,
  webhooks: WebhookId[],
  goesOn: () => boolean,
): Promise<string[]> {
  const rolledBack: string[] = [];
  for (let lot = 0; goesOn(); lot++) {
    const ids = [newId('evt'), newId('evt')];
    const orgId = org.orgId as OrganizationId;
    const failing = api.db.write(orgId, async (tx) => {
      await insertWithDeliveries(tx, orgId, ids, webhooks);
      await tx.query({ text: `select pg_notify('partner_signals_deliveries', '')` });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    rolledBack.push(...ids);
    await loadFacts(org, signals(`lot${lot}`, 12));
    // Three requests a lot: a fast machine would otherwise reach the limit of the plan.
    await delay(700);
  }
  return rolledBack;
}

async function insertWithDeliveries(
  tx: Parameters<typeof insertEvents>[0],
  orgId: OrganizationId,
  ids: EventId[],
  webhooks: WebhookId[],
): Promise<void> {
  const events = ids.map((id) => ({ id, kind: 'signal.created' as const, data: { id } }));
  const deliveries = webhooks.flatMap((webhook_id) =>
    ids.map((event_id) => ({ id: newId('dlv'), webhook_id, event_id })),
  );
  await insertEvents(tx, orgId, events, true);
  addDeliveries(tx, orgId, deliveries);
}

function signals(name: string, count: number) {
  const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  return {
    partners: [{}],
    accounts: ids.map((crm_id) => ({ crm_id })),
    partner_accounts: ids.map((id) => ({ domain: `${id}.example` })),
  };
}

async function subscribe(org: TestOrganization, path: string): Promise<WebhookId> {
  const body = { url: receiver.url + path, events: ['signal.created'] };
  return (await org.call('POST', '/v1/webhooks', { body })).body.data.id;
}

async function kill(worker: ServiceProcess | undefined): Promise<void> {
  worker?.child.kill('SIGKILL');
  expect(await worker?.ended).toBe('SIGKILL');
}

async function unfinished(api: TestService, org: TestOrganization): Promise<number> {
  const { rows } = await api.pool.query(
    `select count(*) from deliveries where org_id = $1 and status <> 'delivered'`,
    [org.orgId],
  );
  return rows[0].count;
}

type Reference = { org_id: OrganizationId; id: Settlement['id']; webhook_id: WebhookId };

async function oneDelivery(api: TestService): Promise<Reference> {
  const org = await api.organization();
  const webhook = await subscribe(org, '/nobody');
  const orgId = org.orgId as OrganizationId;
  await api.db.write(orgId, (tx) => insertWithDeliveries(tx, orgId, [newId('evt')], [webhook]));
  const { rows } = await api.pool.query('select org_id, id, webhook_id from deliveries where org_id = $1', [
    orgId,
  ]);
  return rows[0];
}

async function claim(api: TestService, by: string) {
  const limits = { organizations: 100, webhooksOfEach: 100 };
  const leased = await leaseWebhooks(api.pool, by, [], shareOut(new Map()), limits);
  const read = leased.map(async ({ org_id, webhook_id: webhookId, since }) => {
    const found = await readDeliveries(api.pool, org_id, [{ webhookId, since, limit: 10, inHand: [] }]);
    return found.get(webhookId) ?? [];
  });
  return (await Promise.all(read)).flat();
}

async function settle(api: TestService, { org_id }: Reference, one: Settlement) {
  return settleDeliveries(api.pool, org_id, [one]);
}

function settlement(
  claimed: PendingDelivery | undefined,
  outcome: Pick<Settlement, 'status' | 'retry_seconds' | 'response_code'> = {
    status: 'delivered',
    retry_seconds: null,
    response_code: 200,
  },
): Settlement {
  const { id, webhook_id, due_at } = claimed as PendingDelivery;
  return { id, webhook_id, due_at, response_body: '', error: null, latency_ms: 1, gone: false, ...outcome };
}

async function expireLeases(api: TestService, olderThanSeconds = 0): Promise<void> {
  await api.pool.query(
    `update due_webhooks set leased_until = '-infinity' where leased_until <= now() + make_interval(secs => $1)`,
    [leaseSeconds - olderThanSeconds],
  );
  await checkNow(api.pool);
}

async function read(api: TestService, { id }: Reference): Promise<unknown> {
  const { rows } = await api.pool.query('select * from deliveries where id = $1', [id]);
  return rows[0];
}
