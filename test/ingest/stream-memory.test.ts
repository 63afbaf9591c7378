import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase, operatorKey, sharedEnv } from '../harness.ts';
import { spawnService } from '../process.ts';
import { counts } from './requests.ts';
import { partner, sendPieces } from './streams.ts';

test.skipIf(process.platform !== 'linux')(
  'the memory of the service does not grow with the length of a stream',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ps-stream-'));
    const process = await spawnService({ ...sharedEnv(await createDatabase()), DATA_DIR: dataDir });
    onTestFinished(async () => {
      process.child.kill('SIGTERM');
      await process.ended;
      await rm(dataDir, { recursive: true, force: true });
    });
    const operator = async (path: string, body: unknown) =>
      (await process.call('POST', path, { key: operatorKey, body })).body.data;
    const { id } = await operator('/admin/v1/organizations', { name: 'Long stream', plan: 'standard' });
    const { key } = await operator(`/admin/v1/organizations/${id}/keys`, { name: 'k', scopes: ['ingest'] });
    const ca = await readFile(join(dataDir, 'tls/ca.pem'), 'utf8');

    // 170 MB in total, which would be noticeable in memory.
    const names = Array.from({ length: 1_000 }, (_, i) => `${i}`.padEnd(500, 'x'));
    const known = names.map((name, i) => `${partner(`p${i}`, name)}\n`).join('');
    const rounds = 300;
    const rssMb = () => {
      const status = readFileSync(`/proc/${process.child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
    };
    const measured: number[] = [];
    function* lines() {
      for (let round = 0; round < rounds; round++) {
        yield known;
        if (round === rounds / 5) measured.push(rssMb());
      }
    }
    const { data } = await sendPieces({ url: process.url, ca, key }, lines());
    measured.push(rssMb());
    expect(counts(data)).toEqual({ received: 300_000, created: 1_000, unchanged: 299_000 });
    const [early = 0, late = 0] = measured;
    expect(early).toBeGreaterThan(0);
    expect(late - early).toBeLessThan(100);
  },
);
