import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failedStart, type ServiceProcess, spawnService } from '../process.ts';

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

const demoKey = async () => (await readFile(join(dataDir, 'demo.key'), 'utf8')).trim();

describe('the service on its embedded database', () => {
  test('starts with nothing but a folder, answers with the demo key, and Ctrl-C leaves nothing running', async () => {
    const service = await start();
    const answer = await service.call('GET', '/v1/partners', { key: await demoKey() });
    expect(answer.status).toBe(200);
    const postmaster = Number(
      (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0],
    );
    service.child.kill('SIGINT');
    expect(await service.ended).toBe(0);
    expect(() => process.kill(postmaster, 0)).toThrow('ESRCH');
    expect(await readdir(join(dataDir, 'postgres'))).not.toContain('postmaster.pid');
  });

  test('prints a curl line and keeps its secrets readable by their owner alone', async () => {
    const service = await start();
    await expect.poll(service.output).toContain('curl --cacert');
    for (const name of ['operator.key', 'encryption.keys', 'demo.key']) {
      expect((await stat(join(dataDir, name))).mode & 0o777, name).toBe(0o600);
      expect(service.output()).not.toContain((await readFile(join(dataDir, name), 'utf8')).trim());
    }
  });

  test('a second process on the same DATA_DIR is refused with one line that names it', async () => {
    await start({ DEMO: 'false' });
    const second = await failedStart({ DATA_DIR: dataDir });
    expect(second.code).toBe(1);
    expect(second.output.trim().split('\n')).toHaveLength(1);
    expect(second.output).toContain(dataDir);
  });

  test('what was acknowledged is there after kill -9, with the same keys', async () => {
    const first = await start();
    const key = (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim();
    const names: string[] = [];
    const writing = (async () => {
      for (let i = 0; ; i++) {
        const answer = await first.call('POST', '/admin/v1/organizations', {
          key,
          body: { name: `o${i}`, plan: 'standard' },
        });
        if (answer.status === 201) names.push(`o${i}`);
        if (names.length === 30) first.child.kill('SIGKILL');
      }
    })().catch(() => {});
    expect(await first.ended).toBe('SIGKILL');
    await writing;
    const second = await start();
    const listed = await second.call('GET', '/admin/v1/organizations?limit=100', { key });
    const found = listed.body.data.map((organization: { name: string }) => organization.name);
    expect(found).toEqual(expect.arrayContaining(names));
    expect(found.filter((name: string) => name.startsWith('Demo'))).toHaveLength(1);
    expect((await second.call('GET', '/v1/partners', { key: await demoKey() })).status).toBe(200);
  });

  test('SIGTERM lets a request in flight finish', async () => {
    const service = await start({ DEMO: 'false' });
    const key = (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim();
    const answers = Array.from({ length: 50 }, (_, i) =>
      service
        .call('POST', '/admin/v1/organizations', { key, body: { name: `late ${i}`, plan: 'standard' } })
        .then(
          (answer) => answer.status,
          (error: NodeJS.ErrnoException) => error.code,
        ),
    );
    await answers[0];
    service.child.kill('SIGTERM');
    const outcomes = new Set(await Promise.all(answers));
    expect(await service.ended).toBe(0);
    // Each was either completed or never accepted; none was cut off or failed.
    for (const outcome of outcomes) expect([201, 'ECONNREFUSED', 'ECONNRESET']).toContain(outcome);
    expect(outcomes).toContain(201);
  });
});

test('a service whose npm is ended ends too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ps-npm-'));
  const start = `node ${join(process.cwd(), 'scripts/start.mjs')}`;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }));
  const npm = spawn('npm', ['start'], { cwd: folder, env: { ...process.env, PORT: '0', DEMO: 'false' } });
  let output = '';
  npm.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await expect.poll(() => output).toContain('"listening"');
  const { url } = JSON.parse(output.split('\n').find((line) => line.includes('"listening"')) ?? '{}');
  npm.kill('SIGTERM');
  await expect.poll(() => fetch(url).catch(({ cause }) => cause.code)).toBe('ECONNREFUSED');
  const isListed = async (file: string) =>
    (await readdir(join(folder, 'data', dirname(file)))).includes(basename(file));
  for (const file of ['service.url', 'postgres/postmaster.pid'])
    await expect.poll(() => isListed(file)).toBe(false);
  await rm(folder, { recursive: true, force: true });
});
