import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  operatorKey,
  sharedEnv,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../harness.ts';
import { type ServiceProcess, spawnService } from '../process.ts';
import { expectComplete, signalWithLog, startReading } from './long-log.ts';

describe('a log of 30,000 activities, 63 MB', () => {
  const count = 30_000;
  const mb = 1024 * 1024;
  let dataDir: string;
  let service: TestService;
  /** Separate from the process that loads the facts, so that its memory is only that of its responses. */
  let reading: ServiceProcess & { ca: string };
  let org: TestOrganization;
  let path: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'ps-log-'));
    service = await startTestService();
    ({ org, path } = await signalWithLog(service, count));
    const process = await spawnService({ ...sharedEnv(service.databaseUrl), DATA_DIR: dataDir });
    reading = { ...process, ca: await readFile(join(dataDir, 'tls/ca.pem'), 'utf8') };
    // The first requests allocate what then stays.
    await reading.call('GET', '/v1/signals', { key: org.key });
    await reading.call('HEAD', path, { key: org.key });
  });
  afterAll(async () => {
    reading.child.kill('SIGTERM');
    await reading.ended;
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function sample() {
    const { text } = await reading.call('GET', '/metrics', { key: operatorKey });
    const value = (name: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1],
      );
    return {
      rss: value('process_resident_memory_bytes') / mb,
      connections: value('partner_signals_database_connections{pool="requests",state="used"}'),
    };
  }

  /** The most that the memory of the process grows while `run` runs, sampled continuously. */
  async function growthDuring<T>(run: () => Promise<T>): Promise<{ result: T; growth: number }> {
    const { rss: before } = await sample();
    let peak = before;
    let isDone = false;
    const watching = (async () => {
      while (!isDone) peak = Math.max(peak, (await sample()).rss);
    })();
    const result = await run().finally(() => {
      isDone = true;
    });
    await watching;
    return { result, growth: peak - before };
  }

  test('is answered to GET and PATCH without being held in memory', async ({ annotate }) => {
    for (const [method, body] of [['GET'], ['PATCH', { note: 'Read all of it' }]] as const) {
      const { result, growth } = await growthDuring(() => reading.call(method, path, { key: org.key, body }));
      expect(result.text.length).toBeGreaterThan(60 * mb);
      expectComplete(result, count);
      await annotate(
        `${method}: the process grew by ${Math.round(growth)} MB for ${Math.round(result.text.length / mb)} MB`,
      );
      // The text with its rows and objects would be several times as much: 250 MB and more.
      expect(growth).toBeLessThan(100);
    }
  });

  test('costs little while twenty readers hardly read it, and the others are answered', async ({
    annotate,
  }) => {
    const { result: readers, growth } = await growthDuring(async () => {
      const readers = await Promise.all(
        Array.from({ length: 20 }, () => startReading(reading, org.key, path)),
      );
      for (let round = 0; round < 20; round++) {
        const answers = await Promise.all([
          reading.call('GET', '/v1/signals', { key: org.key }),
          reading.call(
            'PATCH',
            path.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
            { key: org.key, body: { state: 'handled' } },
          ),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 404]);
      }
      return readers;
    });
    await annotate(`twenty slow readers: the process grew by ${Math.round(growth)} MB`);
    expect(growth).toBeLessThan(120);
    // Each response is in progress, without a database connection.
    await expect.poll(async () => (await sample()).connections).toBe(0);
    const [one, ...others] = readers;
    for (const { response } of others) response.destroy();
    expect(JSON.parse((await one?.readToEnd()) ?? '').data.activity_log).toHaveLength(count);
  });
});
