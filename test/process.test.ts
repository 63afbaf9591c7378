import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { awayFromMinuteEnd } from './facts.ts';
import { createDatabase, operatorKey, sharedEnv } from './harness.ts';
import { mainFile } from './main-process.ts';
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
    [{ PORT: 'http' }, 'PORT must be a whole number'],
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

  test.each([
    [{ HOST: 'example.invalid' }, /^HOST: the name example\.invalid was not found \(E\w+\)\. Set HOST to/],
    [{ HOST: '192.0.2.1' }, /^HOST: 192\.0\.2\.1 is not an address of this machine\. Set HOST to/],
    [{ DATA_DIR: 'package.json' }, /^DATA_DIR: \/.*\/package\.json is not a folder\. Set DATA_DIR to/],
    [{ DATA_DIR: 'package.json/data' }, /^DATA_DIR: \/.*\/data is not a folder\. Set DATA_DIR to/],
    // Nobody can create anything there, not even root.
    [{ DATA_DIR: '/proc' }, /^DATA_DIR: E\w+: .*'\/proc.*\. Set DATA_DIR to/],
    [{ DATA_DIR: '/proc/data' }, /^DATA_DIR: E\w+: .*'\/proc.*\. Set DATA_DIR to/],
    [{ DATA_DIR: '/proc/data/folder' }, /^DATA_DIR: E\w+: .*'\/proc.*\. Set DATA_DIR to/],
  ])('%j', async (env: Record<string, string>, line) => {
    const shared = sharedEnv(await createDatabase());
    // With an embedded database, a wrong folder is found in another place.
    for (const database of 'DATA_DIR' in env ? [shared, {}] : [shared]) {
      const { code, output } = await failedStart({ DATA_DIR: dataDir, ...database, ...env });
      expect(code).toBe(1);
      const told = output.split('\n').filter((text) => text !== '' && !text.startsWith('{'));
      expect(told).toEqual([expect.stringMatching(line)]);
    }
  });

  test('a data folder in which nothing can be written', async () => {
    // For root, every folder is writable, so a file is in the place of a folder.
    await writeFile(join(dataDir, 'tls'), '');
    const env = { DATA_DIR: dataDir, ...sharedEnv(await createDatabase()) };
    const { code, output } = await failedStart(env);
    expect(code).toBe(1);
    expect(output).toMatch(/^DATA_DIR: ENOTDIR: .*\. Set DATA_DIR to a folder/m);
    expect(output).not.toContain('    at ');
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

test('an unknown time zone is a warning', async () => {
  const { complaints } = await start({ ...sharedEnv(await createDatabase()), TZ: 'Mars/Phobos' });
  expect(complaints().map(({ msg }) => msg)).toEqual([
    'TZ=Mars/Phobos is not a time zone that Node.js knows, so times are in UTC. Set TZ to a name such as Europe/Berlin, or remove it.',
  ]);
  for (const TZ of ['Europe/Berlin', 'UTC', 'Etc/UTC', '']) {
    const env = { ...sharedEnv(await createDatabase()), DATA_DIR: join(dataDir, 'other'), TZ };
    expect((await start(env)).complaints(), TZ).toEqual([]);
  }
});

describe.skipIf(process.platform !== 'linux' || !existsSync('/usr/bin/script'))('in a terminal', () => {
  /** What the terminal shows until the service ends by Ctrl-C, which is sent once `seen` is there. */
  async function shown(env: Record<string, string>, seen: RegExp): Promise<{ code: unknown; text: string }> {
    const child = spawn('script', ['-qec', `exec '${process.execPath}' '${mainFile}'`, '/dev/null'], {
      env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, TERM: 'dumb', ...env },
    });
    let text = '';
    for await (const chunk of child.stdout) {
      const before = seen.test(text);
      text += chunk;
      if (!before && seen.test(text)) child.stdin.write('\x03');
    }
    const code = child.exitCode ?? (await once(child, 'exit'))[0];
    return { code, text: text.replaceAll('\r\n', '\n') };
  }

  test('the start shows its steps with their time, the URLs, how to sign in and a first command; no JSON', async () => {
    const { code, text } = await shown(
      { ...sharedEnv(await createDatabase()), DEMO: 'true', TZ: 'Mars/Phobos' },
      /Press Ctrl-C to stop\./,
    );
    expect(code, text).toBe(0);
    expect(text).toMatch(/^\d\d:\d\d:\d\d warning: TZ=Mars\/Phobos is not/m);
    for (const step of [
      'Connecting to the database',
      'Migrating the database',
      'Preparing the demo organization',
    ])
      expect(text).toMatch(new RegExp(`^${step} … \\d+\\.\\d s$`, 'm'));
    expect(text).toMatch(/^Partner Signals is ready after \d+\.\d s, with a demo organization/m);
    for (const path of ['console/', 'v1', 'docs'])
      expect(text).toMatch(new RegExp(`^ {2}\\w+ +https://localhost:\\d+/${path}$`, 'm'));
    expect(text).toMatch(/^Sign in to the console with the key in '.*demo\.key'\. Your browser will warn/m);
    expect(text).toMatch(/^ {2}npx partner-signals signals list --state new --limit 5/m);
    expect(text).toMatch(/^ {2}curl --cacert /m);
    expect(text).toMatch(/^Stopping; requests in flight finish first … \d+\.\d s\nStopped\.$/m);
    expect(text).not.toMatch(/^\{/m);
    expect(text.split('\n').length).toBeLessThan(35);
  });

  test('LOG_FORMAT=json is JSON', async () => {
    const { text } = await shown({ ...sharedEnv(await createDatabase()), LOG_FORMAT: 'json' }, /"listening"/);
    for (const line of text.split('\n').filter((line) => line !== '' && line !== '^C'))
      JSON.parse(line.replace(/^\^C/, ''));
  });

  test('a start that fails names the step', async () => {
    const { code, text } = await shown(sharedEnv('postgres://nobody@127.0.0.1:1/none'), /never/);
    expect(code).toBe(1);
    expect(text).toMatch(
      /^Connecting to the database … failed\nDATABASE_URL: the database cannot be used: /m,
    );
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
          .poll(async () => (await service.call('GET', '/v1/partners', { key })).status, { interval: 20 })
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
