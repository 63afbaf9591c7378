import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareOut } from '../../src/delivery/fair-share.ts';
import {
  addDueWebhook,
  type LeasedWebhook,
  leaseWebhooks,
  releaseWebhooks,
} from '../../src/store/delivery/due-webhooks.ts';
import { checkNow } from '../due-work.ts';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestService } from '../harness.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

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

async function subscribed(path: string) {
  const org = await service.organization();
  const made = await org.call('POST', '/v1/webhooks', {
    body: { url: `${receiver.url}${path}`, events: ['signal.created'] },
  });
  return { org, id: made.body.data.id as string };
}

const fire = { partners: [{}], accounts: [{}], partner_accounts: [{}] };
const rowsOf = async (webhookId: string) =>
  (await service.pool.query('select * from due_webhooks where webhook_id = $1', [webhookId])).rows;
const arrived = (path: string) => receiver.received.filter((one) => one.path === path).length;

test('a delivery whose webhook lost its row is found by the regular check of its organization', async () => {
  receiver.reply = () => ({ status: 500 });
  const { org, id } = await subscribed('/lost');
  await loadFacts(org, fire);
  await expect.poll(() => arrived('/lost')).toBe(1);
  await expect
    .poll(async () => (await org.get(`/v1/webhooks/${id}/deliveries`)).body.data)
    .toMatchObject([{ status: 'pending', response_code: 500 }]);
  receiver.reply = () => ({ status: 200 });
  // As if a machine had died between the two commits: the next attempt is due, and nobody knows.
  await service.pool.query('delete from due_webhooks where webhook_id = $1', [id]);
  await service.pool.query('update deliveries set next_attempt_at = now() where org_id = $1', [org.orgId]);
  await checkNow(service.pool, org);
  await expect.poll(() => arrived('/lost')).toBe(2);
});

test('a row is deleted when its webhook has nothing left', async () => {
  receiver.reply = () => ({ status: 200 });
  const { org, id } = await subscribed('/done');
  await loadFacts(org, fire);
  await expect.poll(() => arrived('/done')).toBe(1);
  await expect.poll(() => rowsOf(id)).toEqual([]);
});

test('a webhook without pending deliveries is read once more before its row is deleted', async () => {
  const { api, add, lease } = await queueOnly();
  await add(['whk_empty']);
  const found: Date[][] = [];
  for (let read = 0; read < 2; read++) {
    const leased = await lease(1);
    await releaseWebhooks(
      api.pool,
      leased.map((one) => ({ ...one, next_at: null })),
    );
    const { rows } = await api.pool.query(`select next_at from due_webhooks where webhook_id = 'whk_empty'`);
    found.push(rows.map(({ next_at }) => next_at));
    await api.pool.query(`update due_webhooks set due_at = now()`);
  }
  expect(found).toEqual([[Number.POSITIVE_INFINITY], []]);
  await api.close();
});

test('deliveries that are added during a lease are not lost when it is released', async () => {
  const { api, org, add, lease } = await queueOnly();
  await add(['whk_new']);
  const [leased] = await lease(1);
  expect(await lease(1)).toEqual([]);
  const { org_id, webhook_id } = leased as LeasedWebhook;
  await api.db.write(org_id, async (tx) => addDueWebhook(tx, org_id, webhook_id));
  expect(await lease(1, 'another worker')).toEqual([]);
  await releaseWebhooks(api.pool, [{ ...(leased as LeasedWebhook), next_at: null }]);
  expect(await lease(1, 'another worker')).toMatchObject([{ org_id: org.orgId, webhook_id: 'whk_new' }]);
  // The first worker comes back late: the lease is no longer its own.
  await releaseWebhooks(api.pool, [{ ...(leased as LeasedWebhook), next_at: null }]);
  expect(await lease(1)).toEqual([]);
  await api.close();
});

test('a worker that died keeps a webhook until its lease expires', async () => {
  receiver.reply = () => ({ status: 200 });
  const { org, id } = await subscribed('/leased');
  await service.pool.query(
    `insert into due_webhooks (org_id, webhook_id, due_at, next_at, leased_by, leased_until)
     values ($1, $2, now() + interval '2 s', now(), 'the dead', now() + interval '2 s')`,
    [org.orgId, id],
  );
  const begunMs = Date.now();
  await loadFacts(org, fire);
  await expect.poll(() => arrived('/leased')).toBe(1);
  expect(Date.now() - begunMs).toBeGreaterThan(1_000);
});

test('the webhooks of an organization take turns: whoever was served longest ago comes first', async () => {
  const { api, add, lease } = await queueOnly();
  const ids = Array.from({ length: 6 }, (_, index) => `whk_${index}`);
  await add(ids);
  const served: string[][] = [];
  for (let read = 0; read < 6; read++) {
    const leased = await lease(2);
    served.push(leased.map(({ webhook_id }) => webhook_id));
    await releaseWebhooks(
      api.pool,
      leased.map((one) => ({ ...one, next_at: new Date() })),
    );
  }
  // After six reads of two, each of the six has been served twice.
  expect(served.flat().sort()).toEqual([...ids, ...ids].sort());
  await api.close();
});

/** A service without a worker, with an organization whose webhooks are in the queue alone. */
async function queueOnly() {
  const api = await startTestService({ ROLE: 'api' });
  const org = await api.organization();
  return {
    api,
    org,
    add: (ids: string[]) =>
      api.pool.query(
        `insert into due_webhooks (org_id, webhook_id, due_at, next_at) select $1, unnest($2::text[]), now(), now()`,
        [org.orgId, ids],
      ),
    lease: (webhooksOfEach: number, by = 'a worker') =>
      leaseWebhooks(api.pool, by, [], shareOut(new Map()), { organizations: 5, webhooksOfEach }),
  };
}
