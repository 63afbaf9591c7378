import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type Answer,
  createDatabase,
  operatorKey,
  sharedEnv,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../harness.ts';
import { spawnService } from '../process.ts';
import { counts, type Result } from './requests.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const ndjson = { 'content-type': 'application/x-ndjson' };
const partner = (external_id: string, name = 'Lantern Quay') =>
  JSON.stringify({ external_id, name, type: 'gsi', tier: 1 });
const partners = (count: number) => Array.from({ length: count }, (_, i) => partner(`p${i}`));

async function sendLines(org: TestOrganization, raw: string | Buffer, headers = ndjson): Promise<Result> {
  const answer = await org.call('POST', '/ingest/v1/partners', { raw, headers });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

async function namesOf(org: TestOrganization): Promise<string[]> {
  const { rows } = await service.pool.query(
    `select name from partners where org_id = $1 order by external_id`,
    [org.orgId],
  );
  return rows.map(({ name }) => name);
}

/** Sends a body of unknown length, each piece as a chunk of its own, no faster than the service takes it. */
async function sendPieces(
  target: { url: string; ca: string; key: string },
  pieces: Iterable<string | Buffer>,
): Promise<Answer['body']> {
  const { url, ca, key } = target;
  const sent = request(`${url}/ingest/v1/partners`, {
    method: 'POST',
    ca,
    headers: { ...ndjson, authorization: `Bearer ${key}` },
  });
  const answered = new Promise<string>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
  });
  await pipeline(Readable.from(pieces), sent);
  return JSON.parse(await answered);
}

describe('a stream', () => {
  test('is taken in chunks whose counts add up, more rows than a batch may hold', async () => {
    const org = await service.organization();
    const lines = partners(10_500);
    expect(counts(await sendLines(org, lines.join('\n')))).toEqual({ received: 10_500, created: 10_500 });
    const changed = [...lines.slice(0, 2_500), partner('p0', 'Renamed'), '{}', partner('new')].join('\n');
    const result = await sendLines(org, changed);
    expect(counts(result)).toEqual({
      received: 2_503,
      created: 1,
      updated: 1,
      unchanged: 2_500,
      rejected: 1,
    });
    expect(new Set(result.errors.map(({ index }) => index))).toEqual(new Set([2_501]));
  });

  test('may have blank lines, CRLF, spaces, a byte order mark and no newline at its end', async () => {
    const org = await service.organization();
    const body = `\ufeff${partner('a')}\r\n\r\n\n  \t ${partner('b')} \t\n \n${partner('c')}`;
    expect(counts(await sendLines(org, body))).toEqual({ received: 3, created: 3 });
  });

  test.each(['', '\n', '\r\n \n\n'])('may hold no row at all: %j', async (body) => {
    const org = await service.organization();
    expect(await sendLines(org, body)).toMatchObject({ received: 0, rejected: 0, errors: [] });
  });

  test('may name its type in any case and with a charset', async () => {
    const org = await service.organization();
    const headers = { 'content-type': 'Application/X-NDJSON; charset=UTF-8' };
    expect(counts(await sendLines(org, partner('a'), headers))).toEqual({ received: 1, created: 1 });
  });

  test('may hold more than the 16 MiB of a batch', async () => {
    const org = await service.organization();
    const line = partner('a').padEnd(60 * 1024);
    const body = Array(300).fill(line).join('\n');
    expect(body.length).toBeGreaterThan(17 * 1024 * 1024);
    expect(counts(await sendLines(org, body))).toEqual({ received: 300, created: 1, unchanged: 299 });
  });

  test('has lines of at most 64 KiB; a longer one is told by its index and skipped whole', async () => {
    const org = await service.organization();
    const longest = partner('longest').padEnd(64 * 1024);
    const over = partner('over').padEnd(64 * 1024 + 1);
    const far = partner('far').padEnd(1024 * 1024);
    const result = await sendLines(org, [longest, over, partner('b'), far, partner('c'), over].join('\n'));
    expect(counts(result)).toEqual({ received: 6, created: 3, rejected: 3 });
    expect(result.errors.map(({ index, field, code }) => [index, field, code])).toEqual(
      [1, 3, 5].map((index) => [index, 'row', 'too_long']),
    );
  });

  test('goes on after a line that is not JSON or not UTF-8', async () => {
    const org = await service.organization();
    const badBytes = [
      [0xff],
      [0xc3, 0x28],
      [0xe2, 0x82],
      [0xf0, 0x9f, 0x99],
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
    ];
    const bad = [
      ...['{', '{"external_id":', 'x', '[1,', `${partner('x')},`, 'NaN'].map((text) => Buffer.from(text)),
      ...badBytes.map((bytes) => Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes)])),
    ];
    const lines = bad.flatMap((line, i) => [line, Buffer.from(partner(`good ${i}`, 'Grün 🙂'))]);
    const body = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const result = await sendLines(org, body);
    expect(counts(result)).toEqual({ received: lines.length, created: bad.length, rejected: bad.length });
    expect(result.errors.map(({ index, field, code }) => [index, field, code])).toEqual(
      bad.map((_, i) => [2 * i, 'row', 'malformed']),
    );
    expect(new Set(await namesOf(org))).toEqual(new Set(['Grün 🙂']));
  });

  test('may be cut anywhere on its way, within a character too', async () => {
    const { key, ...org } = await service.organization();
    const names = ['Grün', 'Жар-птица', '東京電力', '🙂👩‍👩‍👧', 'ﷺ'];
    const bytes = Buffer.from(names.map((name, i) => partner(`p${i}`, name)).join('\r\n'));
    const pieces = [...bytes].map((byte) => Buffer.of(byte));
    const answer = await sendPieces({ ...service, key }, pieces);
    expect(answer.data).toMatchObject({ received: 5, created: 5 });
    expect(await namesOf({ key, ...org })).toEqual(names);
  });

  test('lists its first 10,000 errors and counts them all', async () => {
    const org = await service.organization();
    const result = await sendLines(org, `${'x\n'.repeat(10_400)}${partner('a')}\n${'{}\n'.repeat(1_000)}`);
    expect(counts(result)).toEqual({ received: 11_401, created: 1, rejected: 11_400 });
    expect(result.errors).toHaveLength(10_000);
  });

  test('that the client breaks off leaves whole chunks, and can be sent again', async () => {
    const org = await service.organization();
    const lines = partners(2_500);
    const sent = request(`${service.url}/ingest/v1/partners`, {
      method: 'POST',
      ca: service.ca,
      headers: { ...ndjson, authorization: `Bearer ${org.key}` },
    });
    sent.on('error', () => {});
    sent.write(`${lines.join('\n')}\n${partner('half').slice(0, -5)}`);
    const held = async () => (await namesOf(org)).length;
    await expect.poll(held, { interval: 20, timeout: 20_000 }).toBe(2_000);
    sent.destroy();
    const logged = () => service.logs.some((line) => line.includes('a stream broke off'));
    await expect.poll(logged, { interval: 20, timeout: 20_000 }).toBe(true);
    expect(await held()).toBe(2_000);
    expect(counts(await sendLines(org, lines.join('\n')))).toEqual({
      received: 2_500,
      created: 500,
      unchanged: 2_000,
    });
  });
});

test.skipIf(process.platform !== 'linux')(
  'the memory of the service does not grow with the length of a stream',
  { timeout: 180_000 },
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

    // 170 MB in all: held in memory, it could not go unnoticed.
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
