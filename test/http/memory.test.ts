import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { type Answer, createDatabase, operatorKey, sharedEnv } from '../harness.ts';
import { type ServiceProcess, spawnService } from '../process.ts';

/** 15.7 MB whose values would take more than 300 MB. */
const bomb = Buffer.from(
  `[${Array.from({ length: 9_999 }, () => `{"a":[${'{},'.repeat(520)}{}]}`).join(',')}]`,
);

test('bodies that are made to exhaust the memory end no process, cost no quota where they are refused, and hold up no other tenant', {
  timeout: 300_000,
}, async () => {
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
  const reader = new Worker(new URL('./steady-reader.mjs', import.meta.url), {
    workerData: { url: service.url, ca, key: tenant },
  });
  onTestFinished(async () => void (await reader.terminate()));

  const batch = load(first, partners(10_000, 'Lantern Quay'));
  const bombs = [...Array<string>(16).fill(first), ...others.flatMap((key) => [key, key, key, key])];
  const answers = await Promise.all(bombs.map((key) => throwBomb(service.url, ca, key)));
  expect((await batch).body.data).toMatchObject({ received: 10_000, created: 10_000 });

  reader.postMessage('stop');
  const [waits] = (await once(reader, 'message')) as [{ status: number; ms: number }[]];
  const sorted = waits.map(({ ms }) => ms).sort((a, b) => a - b);
  const slow = sorted.filter((ms) => ms > 1_000).length;
  const tally = [0, 200, 413, 429, 503].map(
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

  const answered = answers.filter(({ status }) => status !== 0);
  expect(answered.length).toBeGreaterThan(answers.length / 2);
  for (const answer of answered) {
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
  // The batches before and after, and the bombs that were read: those that were refused are not among them.
  expect(Number(/"day";r=(\d+)/.exec(full.headers.ratelimit ?? '')?.[1])).toBe(100_000 - done - 2);
});

/** Sends no faster than the service reads, and stops as soon as it is answered, as most clients do. */
async function throwBomb(url: string, ca: string, key: string): Promise<Omit<Answer, 'text'>> {
  const sent = request(`${url}/ingest/v1/partners`, {
    method: 'POST',
    ca,
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': bomb.length,
    },
  });
  function* pieces() {
    for (let at = 0; at < bomb.length; at += 65_536) yield bomb.subarray(at, at + 65_536);
  }
  const upload = pipeline(Readable.from(pieces()), sent).catch(() => {});
  const answer = await once(sent, 'response').then(
    ([response]) => response as IncomingMessage,
    () => null,
  );
  // On a busy machine this side may be too slow to see the answer before the service closes the connection.
  if (!answer) return { status: 0, headers: {}, body: undefined };
  const body = await json(answer);
  sent.destroy();
  await upload;
  return { status: answer.statusCode ?? 0, headers: answer.headers as Answer['headers'], body };
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

/** The most that the process ever took; known on Linux only. */
function peakMb({ child }: ServiceProcess): number | string {
  if (process.platform !== 'linux') return '?';
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}
