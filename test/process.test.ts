import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { awayFromMinuteEnd } from './facts.ts';
import { createDatabase, operatorKey, sharedEnv } from './harness.ts';
import { failedStart, type ServiceProcess, spawnService } from './process.ts';
import { skipRedis, startRedis } from './redis.ts';
import { oldSchema } from './store/migrations-folder.ts';

// A test starts up to three services, each of which takes long on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

let dataDir: string;
let running: ServiceProcess[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ps-proc-'));
  running = [];
});
afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGTERM');
    await ended;
  }
  await rm(dataDir, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await spawnService({ DATA_DIR: dataDir, ...env });
  running.push(service);
  return service;
}

describe('a start that cannot work ends with exit code 1 and one line that says what to do', () => {
  // Every other wrong setting is refused as the first of these is; src/config.test.ts has them.
  test.each([
    [{ PORT: 'http' }, 'PORT takes a whole number'],
    [{ TLS_CERT_FILE: '/nowhere.pem', TLS_KEY_FILE: '/nowhere.key' }, 'TLS_CERT_FILE'],
    [{ ...sharedEnv('postgres://nobody@127.0.0.1:1,127.0.0.1:2/none') }, 'the database cannot be used'],
    [{ ...sharedEnv('postgres://nobody@127.0.0.1:1/none') }, 'DATABASE_URL: the database cannot be used'],
  ])('%j', async (env: Record<string, string>, line) => {
    const { code, output } = await failedStart({ DATA_DIR: dataDir, ...env });
    expect(
      output
        .trim()
        .split('\n')
        .filter((text) => !text.startsWith('{')),
    ).toHaveLength(1);
    expect(output).toContain(line);
    expect(code).toBe(1);
  });

  test('a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const { code, output } = await failedStart({
      DATA_DIR: dataDir,
      ...sharedEnv(await createDatabase()),
      PORT: String(port),
    });
    server.close();
    expect(code).toBe(1);
    expect(output).toContain(`Port ${port} is already in use.`);
  });

  test('keys that cannot open what the database holds', async () => {
    const env = sharedEnv(await createDatabase());
    const first = await start(env);
    const operator = { key: operatorKey };
    const made = await first.call('POST', '/admin/v1/organizations', {
      ...operator,
      body: { name: 'Keys', plan: 'standard' },
    });
    const keys = `/admin/v1/organizations/${made.body.data.id}/keys`;
    const { key } = (await first.call('POST', keys, { ...operator, body: { name: 'test' } })).body.data;
    const body = { url: 'https://receiver.example', events: ['signal.created'] };
    expect((await first.call('POST', '/v1/webhooks', { key, body })).status).toBe(201);
    first.child.kill('SIGTERM');
    await first.ended;
    const other = `k1:${Buffer.alloc(32, 8).toString('base64')}`;
    const { code, output } = await failedStart({ DATA_DIR: dataDir, ...env, ENCRYPTION_KEYS: other });
    expect(code).toBe(1);
    expect(output).toContain('ENCRYPTION_KEYS cannot open the webhook secrets');
  });

  test('a database that is newer than the program', async () => {
    const url = await createDatabase();
    const first = await start(sharedEnv(url));
    first.child.kill('SIGTERM');
    await first.ended;
    const { connect } = await import('../src/store/db/connection.ts');
    const pool = connect({ connectionString: url }, () => {});
    await pool.query(
      `insert into schema_migrations (version, name, checksum) values (9999, '9999_future.sql', '')`,
    );
    await pool.end();
    const { code, output } = await failedStart({ DATA_DIR: dataDir, ...sharedEnv(url) });
    expect(code).toBe(1);
    expect(output).toContain('newer than this program');
  });
});

describe('a database from before the first version', () => {
  test('ends the start in one line that says what to do', async () => {
    const url = await createDatabase();
    const { connect } = await import('../src/store/db/connection.ts');
    const pool = connect({ connectionString: url }, () => {});
    await pool.query(oldSchema);
    await pool.end();
    const { code, output } = await failedStart({ DATA_DIR: dataDir, ...sharedEnv(url) });
    expect(code).toBe(1);
    expect(output.trim().split('\n').at(-1)).toBe(
      'The database was created by a version before 0.1.0, and this version cannot use it. Create an empty database, and set DATABASE_URL to it.',
    );
    expect(output).not.toContain('    at ');
  });
});

describe('several processes on one database', () => {
  test('start at once on an empty one, and all serve', async () => {
    const url = await createDatabase({ isEmpty: true });
    const services = await Promise.all(
      [1, 2, 3].map((i) => start({ ...sharedEnv(url), DATA_DIR: join(dataDir, String(i)) })),
    );
    const made = await services[0]?.call('POST', '/admin/v1/organizations', {
      key: operatorKey,
      body: { name: 'Shared', plan: 'standard' },
    });
    for (const service of services) {
      const answer = await service.call('GET', `/admin/v1/organizations/${made?.body.data.id}`, {
        key: operatorKey,
      });
      expect(answer.status).toBe(200);
    }
  });

  test.skipIf(skipRedis)(
    'with one Redis: of 90 concurrent requests on a standard plan exactly 60 are accepted, and a revoked key is refused everywhere within a second',
    async () => {
      const redis = await startRedis();
      const url = await createDatabase();
      const [one, two] = (await Promise.all(
        [1, 2].map((i) =>
          start({ ...sharedEnv(url), REDIS_URL: redis.url, DATA_DIR: join(dataDir, String(i)) }),
        ),
      )) as [ServiceProcess, ServiceProcess];
      const made = await one.call('POST', '/admin/v1/organizations', {
        key: operatorKey,
        body: { name: 'Limited', plan: 'standard' },
      });
      const path = `/admin/v1/organizations/${made.body.data.id}/keys`;
      const { key, id } = (await one.call('POST', path, { key: operatorKey, body: { name: 'k' } })).body.data;
      await awayFromMinuteEnd();
      const answers = await Promise.all(
        Array.from({ length: 90 }, (_, i) => (i % 2 ? one : two).call('GET', '/v1/partners', { key })),
      );
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(60);
      expect(answers.filter((answer) => answer.status === 429)).toHaveLength(30);

      await one.call('DELETE', `${path}/${id}`, { key: operatorKey });
      const revokedAt = performance.now();
      for (const service of [one, two]) {
        await expect
          .poll(async () => (await service.call('GET', '/v1/partners', { key })).status, {
            interval: 20,
            timeout: 5_000,
          })
          .toBe(401);
      }
      expect(performance.now() - revokedAt).toBeLessThan(1_500);
      for (const service of running.splice(0)) {
        service.child.kill('SIGTERM');
        await service.ended;
      }
      await redis.stop();
    },
  );
});
