import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { mintKey } from '../../src/domain/api-keys.ts';
import { createKeyDirectory, type KeyDirectory } from '../../src/http/admission/auth.ts';
import type { Pool } from '../../src/store/db/connection.ts';
import { type DatabaseListener, startDatabaseListener } from '../../src/store/db/database-listener.ts';
import type { Db } from '../../src/store/db/db.ts';
import type { Statement } from '../../src/store/db/tx.ts';
import { startTestService, type TestOrganization, type TestService, testPool } from '../harness.ts';
import { startProxy, type TcpProxy } from '../proxy.ts';

const log = pino({ enabled: false });
let service: TestService;
let org: TestOrganization;
/** Another process has its own connections; its listener goes through a proxy. */
let proxy: TcpProxy;
let pools: Pool[];
let notifications: DatabaseListener;
let keys: KeyDirectory;
/** Counts what is asked. */
let counted: Db;
let asked = 0;

beforeAll(async () => {
  service = await startTestService();
  proxy = await startProxy();
  const pool = testPool(service.databaseUrl);
  const [, database] = /\/(test_\w+)/.exec(service.databaseUrl) ?? [];
  const through = `postgresql://${inject('postgres').user}@127.0.0.1:${proxy.port}/${database}`;
  pools = [pool, testPool(through, 1)];
  notifications = startDatabaseListener(pools[1] as Pool, log);
  const query = ((statement: Statement<never>) => {
    asked += 1;
    return service.db.global.query(statement);
  }) as Db['global']['query'];
  counted = { ...service.db, global: { query } };
  keys = createKeyDirectory(counted, notifications, log);
});
afterAll(async () => {
  await Promise.all([keys.close(), notifications.close()]);
  await Promise.all(pools.map((pool) => pool.end()));
  await Promise.all([proxy.close(), service.close()]);
});
beforeEach(async () => {
  org = await service.organization();
  await expect.poll(() => notifications.isUpToDate()).toBe(true);
  asked = 0;
});

const revoke = () => service.operator('DELETE', `/admin/v1/organizations/${org.orgId}/keys/${org.keyId}`);
const ownerOf = async (key: string) => (await keys.find(key))?.key_id;

test('a key is looked up once, however long it is used, while notifications arrive', async () => {
  const listening = createKeyDirectory(counted, { ...notifications, isUpToDate: () => true }, log);
  for (let i = 0; i < 4; i++) {
    expect((await listening.find(org.key))?.key_id).toBe(org.keyId);
    await delay(500);
  }
  expect(asked).toBe(1);
  await listening.close();
});

test('a revoked key and a new plan are known as soon as they are committed', async () => {
  expect((await keys.find(org.key))?.plan).toBe('enterprise');
  await service.operator('PATCH', `/admin/v1/organizations/${org.orgId}`, { plan: 'standard' });
  await expect.poll(async () => (await keys.find(org.key))?.plan, { interval: 10 }).toBe('standard');
  await revoke();
  await expect.poll(() => ownerOf(org.key), { interval: 10 }).toBeUndefined();
});

test('the process that revokes a key refuses it from the next request on', async () => {
  for (let i = 0; i < 20; i++) {
    org = await service.organization();
    expect((await org.get('/v1/me')).status).toBe(200);
    await revoke();
    expect((await org.get('/v1/me')).status).toBe(401);
  }
});

// On a machine that stands still for half a second, the connection is not trusted in the first place.
test('where the connection that listens has gone silent, a revoked key is refused within a second', {
  retry: 20,
}, async () => {
  expect(await ownerOf(org.key)).toBe(org.keyId);
  // From now on, only notifications keep it cached.
  await delay(800);
  proxy.freeze();
  await revoke();
  const revokedAt = performance.now();
  let lastAccepted = 0;
  while (await ownerOf(org.key)) {
    lastAccepted = performance.now() - revokedAt;
    expect(lastAccepted).toBeLessThan(1_000);
    await delay(10);
  }
  // The connection was still trusted for a moment, so the test covered its case.
  expect(lastAccepted).toBeGreaterThan(0);
});

test('a connection that comes back forgets what it may have missed', async () => {
  expect(await ownerOf(org.key)).toBe(org.keyId);
  proxy.refuse();
  await expect.poll(() => notifications.isUpToDate()).toBe(false);
  await revoke();
  proxy.accept('forward');
  await expect.poll(() => notifications.isUpToDate()).toBe(true);
  expect(await ownerOf(org.key)).toBeUndefined();
});

test('a key that expires is refused in time, though nobody says so', async () => {
  const expires_at = new Date(Date.now() + 1_500).toISOString();
  const path = `/admin/v1/organizations/${org.orgId}/keys`;
  const { key } = (await service.operator('POST', path, { name: 'short', expires_at })).body.data;
  expect(await keys.find(key)).toBeDefined();
  await delay(1_600);
  expect(await keys.find(key)).toBeUndefined();
});

test('a key that nobody has is asked for again after a moment', async () => {
  const nobody = mintKey();
  for (let i = 0; i < 3; i++) {
    expect(await keys.find(nobody)).toBeUndefined();
    await delay(800);
  }
  expect(asked).toBe(3);
});
