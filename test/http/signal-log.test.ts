import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ListedSignal, loadFacts, readAll } from '../facts.ts';
import {
  type Answer,
  operatorKey,
  sharedEnv,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../harness.ts';
import { type ServiceProcess, spawnService } from '../process.ts';

type Entry = { id: string; occurred_at: string; summary: string };

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A signal whose log has so many activities: the newest makes it fire, the others are too old to count for a rule. */
async function signalWithLog(count: number): Promise<{ org: TestOrganization; path: string }> {
  const org = await service.organization();
  await loadFacts(org, { partners: [{}], accounts: [{}, {}], opportunities: [{}], activities: [{}] });
  const [signal] = await readAll<ListedSignal>(org, '/v1/signals');
  // Rows as ingest would write them, 2,000 characters each and three of the same time.
  await service.pool.query(
    `insert into activities (org_id, id, external_id, partner_id, account_id, kind, occurred_at, recorded_at, summary)
     select $1, 'act_' || lpad((i * 7919 % $4)::text, 26, '0'), 'v' || i, $2, $3, 'content_touch',
       date_trunc('milliseconds', now()) - interval '500 days' - i / 3 * interval '1 minute',
       date_trunc('milliseconds', now()), rpad(i || ' "activity_log":[],"é', 2000, md5(i::text))
     from generate_series(1, $4 - 1) i`,
    [org.orgId, signal?.partner.id, signal?.account.id, count],
  );
  return { org, path: `/v1/signals/${signal?.id}` };
}

function expectComplete(answer: Answer, count: number): void {
  const log = answer.body.data.activity_log as Entry[];
  expect(log).toHaveLength(count);
  expect(new Set(log.map(({ id }) => id)).size).toBe(count);
  const isBefore = (a: Entry, b: Entry | undefined) =>
    !b || `${a.occurred_at} ${a.id}` > `${b.occurred_at} ${b.id}`;
  expect(log.filter((entry, index) => !isBefore(entry, log[index + 1]))).toEqual([]);
}

describe('the log of a signal', () => {
  test.each([99, 100, 101, 200, 1_001])(
    'of %i activities is complete, in GET and in PATCH',
    async (count) => {
      const { org, path } = await signalWithLog(count);
      const read = await org.get(path);
      expectComplete(read, count);
      // What fits into a page goes out in one piece, with its length.
      expect(read.headers['content-length'] !== undefined).toBe(count < 100);
      expect(read.headers['content-type']).toBe('application/json; charset=utf-8');

      const note = 'A note about "activity_log":[] and more';
      const changed = await org.call('PATCH', path, {
        body: { note },
        headers: { 'if-match': read.headers.etag ?? '' },
      });
      expect(changed.body.data).toEqual({
        ...read.body.data,
        history: [expect.objectContaining({ note })],
      });
      const again = await org.get(path);
      expect(again.body.data).toEqual(changed.body.data);
      expect(again.headers.etag).toBe(changed.headers.etag);

      const head = await org.call('HEAD', path);
      expect([head.status, head.headers.etag, head.text]).toEqual([200, again.headers.etag, '']);
      const known = await org.call('GET', path, { headers: { 'if-none-match': again.headers.etag ?? '' } });
      expect(known.status).toBe(304);
    },
  );

  test('is complete though its account is merged into another while it is read', async () => {
    const { org, path } = await signalWithLog(8_000);
    const reader = await startReading(service, org.key, path);
    await loadFacts(org, { accounts: [{ crm_id: 'a1', merged_into: 'a2' }] });
    const { data } = JSON.parse(await reader.readToEnd());
    expect(data.account.crm_id).toBe('a1');
    expect(data.activity_log).toHaveLength(8_000);
    const now = await org.get(path);
    expect(now.body.data.account.crm_id).toBe('a2');
    expect(now.headers.etag).not.toBe(reader.response.headers.etag);
  });

  test('that cannot be read to its end breaks off, and does not pass for a complete one', async () => {
    const { org, path } = await signalWithLog(8_000);
    const reader = await startReading(service, org.key, path);
    expect(reader.response.statusCode).toBe(200);
    await service.pool.query('alter table activities rename to activities_away');
    try {
      await expect(reader.readToEnd()).rejects.toThrow('aborted');
    } finally {
      await service.pool.query('alter table activities_away rename to activities');
    }
    expectComplete(await org.get(path), 8_000);
  });
});

describe('a log of 30,000 activities, 63 MB', () => {
  const count = 30_000;
  const mb = 1024 * 1024;
  let dataDir: string;
  /** Beside the one that loads the facts, so that its memory is that of what it answers. */
  let reading: ServiceProcess & { ca: string };
  let org: TestOrganization;
  let path: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'ps-log-'));
    ({ org, path } = await signalWithLog(count));
    const process = await spawnService({ ...sharedEnv(service.databaseUrl), DATA_DIR: dataDir });
    reading = { ...process, ca: await readFile(join(dataDir, 'tls/ca.pem'), 'utf8') };
    // The first of everything makes what then stays.
    await reading.call('GET', '/v1/signals', { key: org.key });
    await reading.call('HEAD', path, { key: org.key });
  });
  afterAll(async () => {
    reading.child.kill('SIGTERM');
    await reading.ended;
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

  /** The most by which the memory of the process grows while `run` is under way, looked at all the time. */
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

  test('is answered to GET and PATCH without being held in memory', { timeout: 180_000 }, async ({
    annotate,
  }) => {
    for (const [method, body] of [['GET'], ['PATCH', { note: 'Read all of it' }]] as const) {
      const { result, growth } = await growthDuring(() => reading.call(method, path, { key: org.key, body }));
      expect(result.text.length).toBeGreaterThan(60 * mb);
      expectComplete(result, count);
      await annotate(
        `${method}: the process grew by ${Math.round(growth)} MB for ${Math.round(result.text.length / mb)} MB`,
      );
      // The text and the rows and objects that it is made of would be several times as much: 250 MB and more.
      expect(growth).toBeLessThan(120);
    }
  });

  test('costs little while twenty readers hardly read it, and the others are answered', {
    timeout: 180_000,
  }, async ({ annotate }) => {
    const { result: readers, growth } = await growthDuring(async () => {
      const readers = await Promise.all(
        Array.from({ length: 20 }, () => startReading(reading, org.key, path)),
      );
      for (let round = 0; round < 20; round++) {
        const answers = await Promise.all([
          reading.call('GET', '/v1/signals', { key: org.key }),
          reading.call('PATCH', path.replace(/.$/, 'x'), { key: org.key, body: { state: 'handled' } }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 404]);
      }
      return readers;
    });
    await annotate(`twenty slow readers: the process grew by ${Math.round(growth)} MB`);
    expect(growth).toBeLessThan(200);
    // Each has its answer under way, and none of them a connection to the database.
    await expect.poll(async () => (await sample()).connections).toBe(0);
    const [one, ...others] = readers;
    for (const { response } of others) response.destroy();
    expect(JSON.parse((await one?.readToEnd()) ?? '').data.activity_log).toHaveLength(count);
  });
});

/** Begins to read an answer and stops: what is under way fills the buffers between here and there, and no more comes. */
async function startReading(from: { url: string; ca: string }, key: string, path: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const agent = new Agent({ ca: from.ca });
    const headers = { authorization: `Bearer ${key}` };
    request(`${from.url}${path}`, { agent, headers }, resolve).on('error', reject).end();
  });
  response.on('error', () => {});
  return {
    response,
    readToEnd: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    },
  };
}
