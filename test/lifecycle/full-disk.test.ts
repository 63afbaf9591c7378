import { mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mountDisk, resizeDisk, skipDisk, unmountDisk } from '../disk.ts';
import { failedStart, type ServiceProcess, spawnService } from '../process.ts';

const mebibyte = 1024 * 1024;

let disk: string;
let dataDir: string;
let service: ServiceProcess | undefined;

beforeEach(async () => {
  disk = await mkdtemp(join(tmpdir(), 'ps-disk-'));
  dataDir = join(disk, 'data');
  expect(mountDisk(disk, '800m')).toBe(true);
});
afterEach(async () => {
  service?.child.kill('SIGKILL');
  await service?.ended;
  await endServer();
  unmountDisk(disk);
  await rm(disk, { recursive: true, force: true });
});

/** A killed service leaves its server running, which the next start stops. */
async function endServer(): Promise<void> {
  const pidFile = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(pidFile.split('\n')[0]);
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

/** Shrinks the disk until only this much is free. */
async function leaveFree(bytes: number): Promise<void> {
  const { blocks, bfree, bsize } = await statfs(disk);
  const size = Math.ceil(((blocks - bfree) * bsize + bytes) / 1024);
  expect(resizeDisk(disk, `${size}k`)).toBe(true);
}

const start = async () => {
  service = await spawnService({ DATA_DIR: dataDir, DEMO: 'false' });
  return service;
};

test.skipIf(skipDisk)(
  'on a disk that fills up, changes are refused and reads go on until there is room; if the database dies, one line says why',
  async () => {
    const { call, output, ended } = await start();
    const key = (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim();
    const create = () =>
      call('POST', '/admin/v1/organizations', { key, body: { name: 'Full', plan: 'standard' } });
    const list = () => call('GET', '/admin/v1/organizations', { key });
    expect((await create()).status).toBe(201);

    await leaveFree(200 * mebibyte);
    await expect.poll(output).toContain('the disk is almost full');
    const refused = await create();
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('10');
    expect(refused.body.error.message).toContain('disk of the service is almost full');
    expect((await list()).body.data).toHaveLength(1);
    expect((await call('GET', '/readyz')).status).toBe(200);
    const metrics = (await call('GET', '/metrics', { key })).text;
    expect(Number(/^partner_signals_disk_free_bytes (\d+)$/m.exec(metrics)?.[1])).toBeLessThan(
      201 * mebibyte,
    );

    await leaveFree(500 * mebibyte);
    await expect.poll(output).toContain('the disk has room again');
    expect((await create()).status).toBe(201);
    expect(output().split('the disk is almost full')).toHaveLength(2);

    await leaveFree(0);
    await fillLog();
    expect(await ended).toBe(1);
    const fatal = output()
      .split('\n')
      .filter((line) => line.startsWith('{"level":60'));
    expect(fatal).toHaveLength(1);
    expect(fatal[0]).toMatch(/The embedded PostgreSQL stopped .*The disk is full: .*No space left on device/);
    expect(output()).not.toMatch(/^(Error|.*[Uu]nhandled)/m);

    const failed = await failedStart({ DATA_DIR: dataDir, DEMO: 'false' });
    expect(failed.code).toBe(1);
    expect(failed.output.trim().split('\n')).toHaveLength(1);
    expect(failed.output).toMatch(/The disk is full: .*No space left on device.*Free some space/);

    await leaveFree(500 * mebibyte);
    const again = await start();
    expect((await again.call('GET', '/admin/v1/organizations', { key })).body.data).toHaveLength(2);
  },
);

/** Writes beyond what PostgreSQL has reserved for its WAL, so that it stops. */
async function fillLog(): Promise<void> {
  const client = new pg.Client({
    host: join(dataDir, 'postgres'),
    port: 5432,
    user: 'postgres',
    database: 'postgres',
  });
  let isConnected = true;
  client.on('error', () => {
    isConnected = false;
  });
  await client.connect();
  while (isConnected) {
    await client
      .query(`select pg_logical_emit_message(false, 'test', repeat('x', 3000000)), pg_switch_wal()`)
      .catch((error: Error) => {
        if (!/No space left/.test(error.message)) isConnected = false;
      });
  }
}
