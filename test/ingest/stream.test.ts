import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { counts, type Result } from './requests.ts';
import { ndjson, partner, sendPieces } from './streams.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

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
    await expect.poll(held, { interval: 20 }).toBe(2_000);
    sent.destroy();
    const logged = () => service.logs.some((line) => line.includes('a stream was interrupted'));
    await expect.poll(logged, { interval: 20 }).toBe(true);
    expect(await held()).toBe(2_000);
    expect(counts(await sendLines(org, lines.join('\n')))).toEqual({
      received: 2_500,
      created: 500,
      unchanged: 2_000,
    });
  });
});
