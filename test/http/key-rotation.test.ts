import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadFacts } from '../facts.ts';
import { createDatabase, startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const old = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const next = `k2:${Buffer.alloc(32, 2).toString('base64')}`;
/** Both processes have the first set; then one is restarted with the next, then the other. */
const steps = [old, `${old},${next}`, `${next},${old}`];
// As behind a load balancer: the cookie of a session is named after its port.
const host = 'localhost';
const consoleHeaders = { host, 'x-partner-signals-console': '1' };

/** Data that depends on the encryption keys, created by one process. */
type Made = { page: string; feed: string; cookie: string; webhook: { id: string; name: string } };

let database: string;
let org: TestOrganization;
/** One serves and delivers, the other only serves, so it is known which one delivers. */
let services: Record<'all' | 'api', TestService>;
afterEach(() => Promise.all(Object.values(services).map((service) => service.close())));
beforeEach(() => {
  services = {} as typeof services;
});
let made: Made[];

async function restart(role: 'all' | 'api', keys: string): Promise<void> {
  await services[role]?.close();
  const env = { ROLE: role, ENCRYPTION_KEYS: keys, WEBHOOK_ALLOW_PRIVATE: 'true' };
  const started = await startTestService({ ...env, WEBHOOK_CA_FILE: receiver.caFile }, database);
  services = { ...services, [role]: started };
}

test.each([
  ['all', 'api'],
  ['api', 'all'],
] as const)(
  'at every step of a rotation, what either process made works at the other: %s first, then %s',
  async (...order) => {
    const [oldKey = ''] = steps;
    database = await createDatabase();
    made = [];
    for (const role of order) await restart(role, oldKey);
    org = await services.all.organization();
    await loadFacts(org, { partners: [{}, {}], accounts: [{}], partner_accounts: [{}] });
    await bothWork();
    for (const keys of steps.slice(1)) {
      for (const role of order) {
        await restart(role, keys);
        await bothWork();
      }
    }
    expect(await keysInUse()).toEqual(['k1', 'k2']);

    // The old key is removed when nothing needs it; sessions and cursors made with it end then.
    const webhooks = made.map(({ webhook }) => webhook);
    made = [];
    for (const { id, name } of webhooks) {
      const body = { secret: secretOf(name), overlap_seconds: 0 };
      const rotated = await services.api.call('POST', `/v1/webhooks/${id}/rotate_secret`, {
        key: org.key,
        body,
      });
      expect(rotated.status, rotated.text).toBe(200);
    }
    await services.all.pool.query('delete from idempotency_keys where org_id = $1', [org.orgId]);
    expect(await keysInUse()).toEqual(['k2']);
    for (const role of order) {
      await restart(role, next);
      await bothWork();
      await Promise.all(webhooks.map(delivers));
    }
  },
);

async function bothWork(): Promise<void> {
  for (const [maker, user] of [
    [services.all, services.api],
    [services.api, services.all],
  ] as const) {
    const fresh = await make(maker);
    await replays(user, fresh.webhook);
    made.push(fresh);
  }
  await Promise.all(made.flatMap((one) => Object.values(services).map((service) => works(service, one))));
  await Promise.all(made.map(({ webhook }) => delivers(webhook)));
}

async function make(service: TestService): Promise<Made> {
  const { key } = org;
  const page = await service.call('GET', '/v1/partners?limit=1', { key });
  const feed = await service.call('GET', '/v1/events?limit=1', { key });
  const session = await service.call('POST', '/console/session', { key, headers: { host } });
  const [cookie = ''] = String(session.headers['set-cookie']).split(';');
  const name = `w${made.length}-${crypto.randomUUID()}`;
  const { status, text, body } = await register(service, name);
  expect(status, text).toBe(201);
  return {
    page: page.body.next_cursor,
    feed: feed.body.resume_cursor,
    cookie,
    webhook: { id: body.data.id, name },
  };
}

const secretOf = (name: string) => `secret-of-${name}`;

function register(service: TestService, name: string) {
  return service.call('POST', '/v1/webhooks', {
    key: org.key,
    headers: { 'idempotency-key': name },
    body: { url: `${receiver.url}/${name}`, events: ['signal.created'], secret: secretOf(name) },
  });
}

/** Stored responses are encrypted, too. */
async function replays(service: TestService, { id, name }: Made['webhook']): Promise<void> {
  const again = await register(service, name);
  expect([again.status, again.headers['idempotency-replayed'], again.body.data?.id]).toEqual([
    201,
    'true',
    id,
  ]);
}

async function works(service: TestService, { page, feed, cookie }: Made): Promise<void> {
  const { key } = org;
  const second = await service.call('GET', `/v1/partners?limit=1&cursor=${page}`, { key });
  expect([second.status, second.body.data?.length]).toEqual([200, 1]);
  expect((await service.call('GET', `/v1/events?limit=1&cursor=${feed}`, { key })).status).toBe(200);
  const headers = { ...consoleHeaders, cookie };
  const session = await service.call('GET', '/v1/me', { headers, isJunk: true });
  expect([session.status, session.body.data?.id]).toEqual([200, org.keyId]);
}

/** Requested from one process, sent by the other. */
async function delivers({ id, name }: Made['webhook']): Promise<void> {
  const at = () => receiver.received.filter(({ path }) => path === `/${name}`);
  const before = at().length;
  const asked = await services.api.call('POST', `/v1/webhooks/${id}/test`, { key: org.key });
  expect(asked.status, asked.text).toBe(202);
  await expect.poll(() => at().length, { interval: 20 }).toBe(before + 1);
  const { body = '' } = at().at(-1) ?? {};
  const [cut = '', signature] = /,"signature":"sha256=([0-9a-f]{64})"(?=}$)/.exec(body) ?? [];
  expect(signature).toBe(createHmac('sha256', secretOf(name)).update(body.replace(cut, '')).digest('hex'));
}

/** With the statement in the guide. */
async function keysInUse(): Promise<string[]> {
  const guide = await readFile(new URL('../../docs/operate/running.md', import.meta.url), 'utf8');
  const [, statement = ''] = /```sql\n(.*?)```/s.exec(guide) ?? [];
  const { rows } = await services.all.pool.query<{ key: string }>(statement);
  return rows.map(({ key }) => key);
}
