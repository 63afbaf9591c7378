import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { type Answer, createDatabase, operatorKey, sharedEnv } from '../harness.ts';
import { type ServiceProcess, spawnService } from '../process.ts';

/** 15.7 MB whose parsed values would take more than 300 MB. */
const bomb = `[${Array.from({ length: 9_999 }, () => `{"a":[${'{},'.repeat(520)}{}]}`).join(',')}]`;

test('bodies that are made to exhaust the memory end no process, cost no quota where they are refused, and hold up no other tenant', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'ps-memory-'));
  const service = await spawnService({
    ...sharedEnv(await createDatabase()),
    DATA_DIR: dataDir,
    NODE_OPTIONS: '--max-old-space-size=512',
  });
  onTestFinished(async () => {
    service.child.kill('SIGTERM');
    await service.ended;
    await rm(dataDir, { recursive: true, force: true });
  });
  const [tenant, first, ...others] = await Promise.all([1, 2, 3, 4, 5].map(() => organizationKey(service)));
  if (!tenant || !first) throw new Error('no organization');
  const load = (key: string, raw: string) => service.call('POST', '/ingest/v1/partners', { key, raw });
  expect((await load(tenant, partners(50, 'Lantern Quay'))).body.data.created).toBe(50);

  const ca = await readFile(join(dataDir, 'tls/ca.pem'), 'utf8');
  await writeFile(join(dataDir, 'bomb.json'), bomb);
  const reader = new Worker(new URL('./steady-reader.mjs', import.meta.url), {
    workerData: { url: service.url, ca, key: tenant },
  });
  onTestFinished(async () => void (await reader.terminate()));

  const batch = load(first, partners(10_000, 'Lantern Quay'));
  const bombs = [...Array<string>(16).fill(first), ...others.flatMap((key) => [key, key, key, key])];
  const answers = await Promise.all(bombs.map((key) => throwBomb(service.url, dataDir, key)));
  expect((await batch).body.data).toMatchObject({ received: 10_000, created: 10_000 });

  reader.postMessage('stop');
  const [waits] = (await once(reader, 'message')) as [{ status: number; ms: number }[]];
  const sorted = waits.map(({ ms }) => ms).sort((a, b) => a - b);
  const slow = sorted.filter((ms) => ms > 1_000).length;
  const tally = [200, 413, 429, 503].map(
    (status) => `${answers.filter((answer) => answer.status === status).length} × ${status}`,
  );
  process.stderr.write(
    `bombs: ${tally.join(', ')}; reads: ${waits.length}, median ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms, ` +
      `worst ${Math.round(sorted.at(-1) ?? 0)} ms, ${slow} above a second; peak memory ${peakMb(service)} MB\n`,
  );

  expect(service.child.exitCode).toBeNull();
  expect(new Set(waits.map(({ status }) => status))).toEqual(new Set([200]));
  expect(sorted[sorted.length >> 1]).toBeLessThan(1_000);
  expect(slow).toBeLessThanOrEqual(Math.ceil(waits.length / 10));

  for (const answer of answers) {
    if (answer.status === 200) {
      expect(answer.body.data).toMatchObject({ received: 9_999, rejected: 9_999 });
    } else {
      expect([answer.status, answer.body.error.code]).toBeOneOf([
        [429, 'rate_limited'],
        [503, 'unavailable'],
      ]);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  }
  const done = answers.slice(0, 16).filter(({ status }) => status === 200).length;
  expect(done).toBeLessThan(16);
  const full = await load(first, partners(10_000, '東'.repeat(500)));
  expect(full.body.data).toMatchObject({ received: 10_000, updated: 10_000 });
  // Counts the batches before and after, and the bombs that were read, but not those that were refused.
  expect(Number(/"day";r=(\d+)/.exec(full.headers.ratelimit ?? '')?.[1])).toBe(100_000 - done - 2);
});

/**
 * In a separate process, which reads a response that arrives before everything is sent. In this busy process, the failed
 * write after the service closes the connection would come first, and the response would be lost.
 */
async function throwBomb(url: string, dataDir: string, key: string): Promise<Omit<Answer, 'text'>> {
  const { stdout } = await promisify(execFile)(
    'curl',
    [
      ...['--silent', '--show-error', '--include', '--cacert', join(dataDir, 'tls/ca.pem')],
      // Without `Expect`, the client does not ask before it sends.
      ...[`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Expect:'].flatMap((header) => [
        '--header',
        header,
      ]),
      ...['--data-binary', `@${join(dataDir, 'bomb.json')}`, `${url}/ingest/v1/partners`],
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const [head = '', body = ''] = stdout.split('\r\n\r\n');
  return {
    status: Number(head.split(' ')[1]),
    headers: { 'retry-after': /^retry-after: (.*)$/im.exec(head)?.[1] },
    body: JSON.parse(body),
  };
}

async function organizationKey({ call }: ServiceProcess): Promise<string> {
  const create = async (path: string, body: unknown) =>
    (await call('POST', path, { key: operatorKey, body })).body.data;
  const { id } = await create('/admin/v1/organizations', { name: 'Test organization', plan: 'enterprise' });
  const scopes = ['ingest', 'read'];
  return (await create(`/admin/v1/organizations/${id}/keys`, { name: 'test', scopes })).key;
}

function partners(count: number, name: string): string {
  const rows = Array.from({ length: count }, (_, i) => ({
    external_id: `p${i}`,
    name,
    type: 'gsi',
    tier: 1,
  }));
  return JSON.stringify(rows);
}

/** The peak memory of the process; Linux only. */
function peakMb({ child }: ServiceProcess): number | string {
  if (process.platform !== 'linux') return '?';
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}
