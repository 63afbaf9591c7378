import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, operatorKey, sharedEnv } from '../harness.ts';
import { failedStart, type ServiceProcess, spawnService } from '../process.ts';
import { startReceiver } from '../receiver.ts';
import { startDatabaseProxy } from './database-proxy.ts';

/** The limit that docs/operate/running.md promises, plus time for a busy machine. */
const shutdownMs = 20_000 + 5_000;

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ps-shutdown-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

let count = 0;
const newDataDir = () => join(dir, String(++count));

async function msToEnd(service: ServiceProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
  const begin = performance.now();
  service.child.kill(signal);
  await service.ended;
  return performance.now() - begin;
}

describe('a rolling restart', () => {
  test('under a stream of requests on kept connections fails not one of them', async () => {
    const env = { ...sharedEnv(await createDatabase()), SHUTDOWN_DELAY_SECONDS: '3' };
    const balancer = createBalancer();
    let current = await balancer.add(env);
    await balancer.isReady(current);
    const stream = balancer.stream(6);
    for (let restart = 0; restart < 2; restart++) {
      const next = await balancer.add(env);
      await balancer.isReady(next);
      const before = balancer.answered();
      expect(await msToEnd(current.service)).toBeGreaterThan(3_000);
      expect(await current.service.ended).toBe(0);
      await expect.poll(balancer.answered).toBeGreaterThan(before + 20);
      current = next;
    }
    balancer.stop();
    await stream;
    expect(balancer.failures).toEqual([]);
    expect(balancer.reused()).toBeGreaterThan(100);
    current.service.child.kill('SIGINT');
    await current.service.ended;
  });

  test('turns readiness first, and goes on answering for SHUTDOWN_DELAY_SECONDS with Connection: close', async () => {
    const service = await spawnService({
      ...sharedEnv(await createDatabase()),
      SHUTDOWN_DELAY_SECONDS: '5',
      DATA_DIR: newDataDir(),
    });
    expect((await service.call('GET', '/readyz')).status).toBe(200);
    service.child.kill('SIGTERM');
    await expect.poll(async () => (await service.call('GET', '/readyz')).status).toBe(503);
    const answer = await service.call('GET', '/admin/v1/organizations', { key: operatorKey });
    expect(answer.status).toBe(200);
    expect(answer.headers.connection).toBe('close');
    expect(await service.ended).toBe(0);
  });

  test('does not keep a person waiting: Ctrl-C skips the delay', async () => {
    const service = await spawnService({
      ...sharedEnv(await createDatabase()),
      SHUTDOWN_DELAY_SECONDS: '600',
      DATA_DIR: newDataDir(),
    });
    await service.call('GET', '/readyz'); // leaves a kept connection behind
    expect(await msToEnd(service, 'SIGINT')).toBeLessThan(15_000);
    expect(await service.ended).toBe(0);
  });
});

describe.concurrent('a shutdown ends in its documented time', () => {
  test('while a receiver hangs, whose attempt it waits for', async ({ expect }) => {
    const receiver = await startReceiver();
    receiver.reply = () => 'hang';
    const service = await spawnService({
      ...sharedEnv(await createDatabase()),
      DATA_DIR: newDataDir(),
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    });
    const operator = { key: operatorKey };
    const made = await service.call('POST', '/admin/v1/organizations', {
      ...operator,
      body: { name: 'Hanging', plan: 'standard' },
    });
    const keys = `/admin/v1/organizations/${made.body.data.id}/keys`;
    const { key } = (
      await service.call('POST', keys, { ...operator, body: { name: 'k', scopes: ['admin'] } })
    ).body.data;
    const webhook = await service.call('POST', '/v1/webhooks', {
      key,
      body: { url: receiver.url, events: ['signal.created'] },
    });
    await service.call('POST', `/v1/webhooks/${webhook.body.data.id}/test`, { key });
    await expect.poll(() => receiver.inFlight().now).toBe(1);
    expect(await msToEnd(service)).toBeLessThan(shutdownMs);
    expect(await service.ended).toBe(0);
    expect(service.output()).toContain('timed out after 15 s');
    await receiver.close();
  });

  test('while the database is frozen', async ({ expect }) => {
    const proxy = await startDatabaseProxy();
    const service = await spawnService({
      ...sharedEnv(proxy.through(await createDatabase())),
      DATA_DIR: newDataDir(),
    });
    proxy.freeze();
    const hanging = service.call('GET', '/admin/v1/organizations', { key: operatorKey }).catch(() => {});
    await delay(2_000); // every background job has asked it something
    expect(await msToEnd(service)).toBeLessThan(shutdownMs);
    await hanging;
    await proxy.close();
  });

  test('while the start waits for a frozen database', async ({ expect }) => {
    const proxy = await startDatabaseProxy();
    const frozen = proxy.frozenAtFirstStatement();
    let begin = Number.NaN;
    const { code, output } = await failedStart(
      { ...sharedEnv(proxy.through(await createDatabase())), DATA_DIR: newDataDir() },
      async (child) => {
        await frozen;
        begin = performance.now();
        child.kill('SIGTERM');
      },
    );
    expect(performance.now() - begin).toBeLessThan(shutdownMs);
    expect(output).toMatch(/"step":"start"|the database cannot be used/);
    expect(code).toBe(1);
    await proxy.close();
  });

  test('while the embedded PostgreSQL is frozen, and none of it is left behind', async ({ expect }) => {
    const dataDir = newDataDir();
    const service = await spawnService({ DATA_DIR: dataDir, DEMO: 'false' });
    const pidFile = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8');
    const postmaster = Number(pidFile.split('\n')[0]);
    process.kill(postmaster, 'SIGSTOP');
    expect(await msToEnd(service)).toBeLessThan(shutdownMs);
    expect(() => process.kill(postmaster, 0)).toThrow('ESRCH');
  });
});

test('a normal start and stop on the embedded database logs no warning', async () => {
  const dataDir = newDataDir();
  const service = await spawnService({ DATA_DIR: dataDir });
  const key = (await readFile(join(dataDir, 'demo.key'), 'utf8')).trim();
  const answers = Array.from({ length: 20 }, () => service.call('GET', '/v1/partners', { key }));
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  expect(service.complaints()).toEqual([]);
});

/**
 * Acts like a load balancer: checks readiness, and sends each request once, on keep-alive connections, to a ready process.
 */
function createBalancer() {
  type Server = { service: ServiceProcess; agent: Agent; ready: boolean };
  const servers: Server[] = [];
  const failures: string[] = [];
  let stopped = false;
  let answered = 0;
  let reused = 0;

  function send({ service, agent }: Server, path: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${service.url}${path}`,
        { agent, headers: { authorization: `Bearer ${operatorKey}` } },
        (response) => {
          response.resume();
          response.on('error', reject);
          response.on('end', () => {
            if (sent.reusedSocket) reused++;
            resolve(response.statusCode ?? 0);
          });
        },
      );
      sent.on('error', reject);
      sent.end();
    });
  }

  return {
    failures,
    answered: () => answered,
    reused: () => reused,
    stop() {
      stopped = true;
    },
    async add(env: Record<string, string>): Promise<Server> {
      const dataDir = newDataDir();
      const service = await spawnService({ ...env, DATA_DIR: dataDir });
      const ca = await readFile(join(dataDir, 'tls/ca.pem'), 'utf8');
      const server = { service, agent: new Agent({ ca, keepAlive: true }), ready: false };
      servers.push(server);
      void (async () => {
        while (!stopped) {
          server.ready = await send(server, '/readyz').then(
            (status) => status === 200,
            () => false,
          );
          await delay(100);
        }
      })();
      return server;
    },
    isReady: (server: Server) => expect.poll(() => server.ready).toBe(true),
    async stream(clients: number): Promise<void> {
      const run = async (client: number) => {
        for (let turn = client; !stopped; turn++) {
          const ready = servers.filter((server) => server.ready);
          const server = ready[turn % ready.length];
          const outcome = server
            ? await send(server, '/admin/v1/organizations?limit=1').catch((error: Error) => error.message)
            : 'nobody is ready';
          if (outcome !== 200) failures.push(String(outcome));
          answered++;
          await delay(turn % 7); // so that some connections rest for a while
        }
      };
      await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
    },
  };
}
