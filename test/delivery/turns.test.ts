import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareOut } from '../../src/delivery/shares.ts';
import { returnWebhooks, takeWebhooks, type WebhookTurn } from '../../src/store/delivery/turns.ts';
import { loadFacts } from '../facts.ts';
import { startTestService, type TestService } from '../harness.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { lookNow } from '../turns.ts';

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

const soon = { timeout: 30_000, interval: 100 };

async function subscribed(path: string) {
  const org = await service.organization();
  const made = await org.call('POST', '/v1/webhooks', {
    body: { url: `${receiver.url}${path}`, events: ['signal.created'] },
  });
  return { org, id: made.body.data.id as string };
}

const fire = { partners: [{}], accounts: [{}], partner_accounts: [{}] };
const turnsOf = async (webhookId: string) =>
  (await service.pool.query('select * from turns where webhook_id = $1', [webhookId])).rows;
const arrived = (path: string) => receiver.received.filter((one) => one.path === path).length;

test('a delivery that lost its turn is found by the regular look at its organization', async () => {
  receiver.reply = () => ({ status: 500 });
  const { org, id } = await subscribed('/lost');
  await loadFacts(org, fire);
  await expect.poll(() => arrived('/lost'), soon).toBe(1);
  await expect
    .poll(async () => (await org.get(`/v1/webhooks/${id}/deliveries`)).body.data, soon)
    .toMatchObject([{ status: 'pending', response_code: 500 }]);
  receiver.reply = () => ({ status: 200 });
  // As if a machine had died between the two commits: the next attempt is due, and nobody knows.
  await service.pool.query('delete from turns where webhook_id = $1', [id]);
  await service.pool.query('update deliveries set next_attempt_at = now() where org_id = $1', [org.orgId]);
  await lookNow(service.pool, org);
  await expect.poll(() => arrived('/lost'), soon).toBe(2);
});

test('a turn goes when its webhook has nothing left', async () => {
  receiver.reply = () => ({ status: 200 });
  const { org, id } = await subscribed('/done');
  await loadFacts(org, fire);
  await expect.poll(() => arrived('/done'), soon).toBe(1);
  await expect.poll(() => turnsOf(id), soon).toEqual([]);
});

test('a turn that was found empty is looked at once more before it goes', async () => {
  const api = await startTestService({ ROLE: 'api' });
  const org = await api.organization();
  await api.pool.query(
    `insert into turns (org_id, webhook_id, due_at, next_at) values ($1, 'whk_empty', now(), now())`,
    [org.orgId],
  );
  const found: number[][] = [];
  for (let look = 0; look < 2; look++) {
    const most = { organizations: 1, webhooksOfEach: 1 };
    const [turn] = await takeWebhooks(api.pool, 'a worker', shareOut(new Map()), most);
    const { org_id, webhook_id } = turn as WebhookTurn;
    const empty = { next_at: null, again_in: null, is_held: false, is_full: false };
    await returnWebhooks(api.pool, 'a worker', [{ org_id, webhook_id, ...empty }]);
    const { rows } = await api.pool.query(`select empty_looks from turns where webhook_id = 'whk_empty'`);
    found.push(rows.map(({ empty_looks }) => empty_looks));
    await api.pool.query(`update turns set due_at = now() where webhook_id = 'whk_empty'`);
  }
  expect(found).toEqual([[1], []]);
  await api.close();
});

test('a worker that died keeps a turn for a moment only', async () => {
  receiver.reply = () => ({ status: 200 });
  const { org, id } = await subscribed('/taken');
  await loadFacts(org, fire);
  await expect.poll(() => arrived('/taken'), soon).toBe(1);
  await service.pool.query(
    `update turns set taken_by = 'the dead', due_at = now() + interval '1 s' where webhook_id = $1`,
    [id],
  );
  await expect.poll(async () => (await turnsOf(id))[0]?.taken_by, soon).not.toBe('the dead');
});

test('the webhooks of an organization take turns: whoever was served longest ago comes first', async () => {
  const api = await startTestService({ ROLE: 'api' });
  const org = await api.organization();
  const ids = Array.from({ length: 6 }, (_, index) => `whk_${index}`);
  await api.pool.query(
    `insert into turns (org_id, webhook_id, due_at, next_at) select $1, unnest($2::text[]), now(), now()`,
    [org.orgId, ids],
  );
  const served: string[][] = [];
  for (let claim = 0; claim < 6; claim++) {
    const most = { organizations: 5, webhooksOfEach: 2 };
    const turns = await takeWebhooks(api.pool, 'a worker', shareOut(new Map()), most);
    served.push(turns.map(({ webhook_id }) => webhook_id));
    const looks = turns.map(({ org_id, webhook_id }) => ({ org_id, webhook_id, next_at: new Date() }));
    await returnWebhooks(
      api.pool,
      'a worker',
      looks.map((look) => ({ ...look, again_in: 0, is_held: false, is_full: false })),
    );
  }
  // After six claims of two, each of the six has been served twice.
  expect(served.flat().sort()).toEqual([...ids, ...ids].sort());
  await api.close();
});
