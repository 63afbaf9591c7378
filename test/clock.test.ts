import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery } from '../src/contract/webhook.ts';
import { checkNow } from './due-work.ts';
import { loadFacts, readAll } from './facts.ts';
import { sharedEnv, startTestService, type TestOrganization, type TestService } from './harness.ts';
import { type ServiceProcess, spawnService } from './process.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** The real process with another clock, which affects only what reads `Date`. */
function withClockShifted(minutes: number): Record<string, string> {
  const code = `
    const Real = Date;
    globalThis.Date = class Date extends Real {
      constructor(...given) { given.length ? super(...given) : super(Date.now()); }
      static now() { return Real.now() + ${minutes * 60_000}; }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

let receiver: Receiver;
/** Sends deliveries; its clock is right. */
let service: TestService;
let dir: string;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile });
  dir = await mkdtemp(join(tmpdir(), 'ps-clock-'));
});
afterAll(async () => {
  await service.close();
  await receiver.close();
  await rm(dir, { recursive: true, force: true });
});

describe.each([
  ['ahead', 10],
  ['behind', -10],
])('an API process whose clock is ten minutes %s', (name, minutes) => {
  let shifted: ServiceProcess;
  beforeAll(async () => {
    shifted = await spawnService({
      ...sharedEnv(service.databaseUrl),
      ...withClockShifted(minutes),
      ROLE: 'api',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      DATA_DIR: join(dir, name),
    });
  });
  afterAll(async () => {
    shifted.child.kill('SIGTERM');
    await shifted.ended;
  });

  /** One organization, served by both processes. */
  async function organization(path: string) {
    const right = await service.organization();
    const wrong: TestOrganization = {
      ...right,
      call: (method, url, options) => shifted.call(method, url, { key: right.key, ...options }),
      get: (url) => shifted.call('GET', url, { key: right.key }),
    };
    const body = { url: receiver.url + path, events: ['signal.created'] };
    const webhook = (await wrong.call('POST', '/v1/webhooks', { body })).body.data;
    return { right, wrong, webhook: `/v1/webhooks/${webhook.id}`, path };
  }

  const fire = (org: TestOrganization, crm_id: string) =>
    loadFacts(org, {
      partners: [{}],
      accounts: [{ crm_id }],
      partner_accounts: [{ domain: `${crm_id}.example` }],
    });
  const arrived = (path: string) => receiver.received.filter((one) => one.path === path);

  test('has that clock', async () => {
    const { wrong } = await organization(`/${name}/clock`);
    const { timestamp } = (await wrong.get('/v1/signals')).body.meta;
    expect(Math.abs(Date.parse(timestamp) - Date.now() - minutes * 60_000)).toBeLessThan(120_000);
  });

  test('has its deliveries sent at once: of events, of a test, and again', async () => {
    const { wrong, webhook, path } = await organization(`/${name}/sent`);
    await fire(wrong, 'a1');
    await expect.poll(() => arrived(path).length).toBe(1);
    expect((await wrong.call('POST', `${webhook}/test`)).status).toBe(202);
    await expect.poll(() => arrived(path).length).toBe(2);
    const deliveries = () => readAll<Delivery>(wrong, `${webhook}/deliveries`);
    await expect
      .poll(async () => (await deliveries()).map(({ status }) => status))
      .toEqual(['delivered', 'delivered']);
    const [of] = (await deliveries()).filter(({ event_id }) => event_id !== null);
    expect((await wrong.call('POST', `/v1/deliveries/${of?.id}/redeliver`)).status).toBe(202);
    await expect.poll(() => arrived(path).length).toBe(3);
    const span = { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z', only: 'all' };
    await expect
      .poll(async () => (await deliveries()).every(({ status }) => status === 'delivered'))
      .toBe(true);
    await wrong.call('POST', `${webhook}/redeliver`, { body: span });
    await expect.poll(() => arrived(path).length).toBe(4);
  });

  test('and one whose clock is right agree on what a webhook has missed, and on what came before it', async () => {
    const { right, wrong, webhook, path } = await organization(`/${name}/missed`);
    await wrong.call('PATCH', webhook, { body: { status: 'disabled' } });
    await fire(right, 'a1');
    await fire(wrong, 'a2');
    await wrong.call('PATCH', webhook, { body: { status: 'enabled' } });
    const span = { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z', only: 'missed' };
    expect((await right.call('POST', `${webhook}/redeliver`, { body: span })).body.data).toEqual({
      queued: 2,
    });
    await expect.poll(() => arrived(path).length).toBe(2);

    const body = { url: `${receiver.url}/${name}/later`, events: ['signal.created'] };
    const later = (await right.call('POST', '/v1/webhooks', { body })).body.data.id;
    expect((await right.call('POST', `/v1/webhooks/${later}/redeliver`, { body: span })).body.data).toEqual({
      queued: 0,
    });
  });

  test('keeps a replaced secret for exactly the overlap', async () => {
    const { wrong, webhook, path } = await organization(`/${name}/secret`);
    await wrong.call('POST', `${webhook}/rotate_secret`, { body: { overlap_seconds: 300 } });
    await fire(wrong, 'a1');
    await expect.poll(() => arrived(path).length).toBe(1);
    expect(String(arrived(path)[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2);

    await wrong.call('POST', `${webhook}/rotate_secret`, { body: { overlap_seconds: 0 } });
    await wrong.call('POST', `${webhook}/rotate_secret`, { body: { overlap_seconds: 1 } });
    const { rows } = await service.pool.query(
      `select holds_until > now() + interval '1 second' as long from webhook_previous_secrets where webhook_id = $1`,
      [webhook.split('/').at(-1)],
    );
    expect(rows.filter(({ long }) => long)).toEqual([]);
  });
});

test('a worker whose clock is a day behind fires what was held back when the database says that it is time', async () => {
  const api = await startTestService({ ROLE: 'api' });
  const org = await api.organization();
  await loadFacts(org, { partners: [{}], accounts: [{}], opportunities: [{}], activities: [{}] });
  const [signal] = await readAll<{ id: string }>(org, '/v1/signals');
  await org.call('PATCH', `/v1/signals/${signal?.id}`, { body: { state: 'handled' } });
  await loadFacts(org, { activities: [{}] });
  // The 14 quiet days ended yesterday.
  await api.pool.query('update signals set ended_at = $1', [new Date(Date.now() - 15 * 86_400_000)]);
  await api.pool.query('update rechecks set due_at = now()');
  await checkNow(api.pool);
  expect(await readAll(org, '/v1/signals?state=new')).toEqual([]);
  const worker = await spawnService({
    ...sharedEnv(api.databaseUrl),
    ...withClockShifted(-24 * 60),
    ROLE: 'worker',
    DATA_DIR: join(dir, 'worker'),
  });
  await expect.poll(async () => (await readAll(org, '/v1/signals?state=new')).length).toBe(1);
  worker.child.kill('SIGTERM');
  await worker.ended;
  await api.close();
});
