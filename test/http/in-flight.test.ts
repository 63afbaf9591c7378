import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { type Answer, startTestService, type TestOrganization, type TestService } from '../harness.ts';

/** Limits of data in flight, per organization and in total. */
let service: TestService;
let uploads: ClientRequest[] = [];
let refusals: (number | undefined)[] = [];
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
});
afterEach(breakOff);
afterAll(() => service.close());

const MiB = 1024 * 1024;

/** A request whose headers are sent; the test writes its body. */
function open(org: TestOrganization, headers: Record<string, string | number>): ClientRequest {
  const sent = request(`${service.url}/ingest/v1/partners`, {
    method: 'POST',
    ca: service.ca,
    agent: false,
    headers: { authorization: `Bearer ${org.key}`, 'content-type': 'application/json', ...headers },
  });
  sent.on('error', () => {});
  sent.on('response', (answer: IncomingMessage) => refusals.push(answer.resume().statusCode));
  sent.flushHeaders();
  uploads.push(sent);
  return sent;
}

function breakOff(): void {
  for (const sent of uploads) sent.destroy();
  uploads = [];
  refusals = [];
}

/** Twenty bodies of 2 MiB, or twenty streams, reach the organization's limit; the next is refused. */
async function fill(
  org: TestOrganization,
  headers: Record<string, string | number>,
  body = '',
): Promise<void> {
  for (let i = 0; i < 21; i++) {
    const sent = open(org, headers);
    if (body) sent.write(body);
  }
  await expect.poll(() => refusals).toEqual([429]);
}
const announced = { 'content-length': 2 * MiB };
const streamed = { 'content-type': 'application/x-ndjson', 'transfer-encoding': 'chunked' };

/** Not JSON, so it returns 400 immediately unless the limit refuses it. */
const load = (org: TestOrganization, raw = '['): Promise<Answer> =>
  org.call('POST', '/ingest/v1/partners', { raw });
const status = async (answer: Promise<Answer>) => (await answer).status;
const leftToday = ({ headers }: Answer) => Number(/"day";r=(\d+)/.exec(headers.ratelimit ?? '')?.[1]);

test('an organization at its in-flight limit gets a 429 with Retry-After, at no cost', async () => {
  const [busy, other] = [await service.organization(), await service.organization()];
  const before = leftToday(await load(busy));
  await fill(busy, announced);
  const refused = await load(busy);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(refused.body.error.message).toContain('organization');
  expect(refused.headers['retry-after']).toBe('5');
  expect(leftToday(refused)).toBe(before - 20);
  expect(await status(load(busy, '[]'.padEnd(16 * MiB)))).toBe(429);
  expect(await status(busy.call('PATCH', '/v1/signals/sig_x', { body: { state: 'new' } }))).toBe(429);
  expect(await status(busy.get('/v1/signals'))).toBe(200);
  expect(await status(load(other, '[]'))).toBe(200);
});

test.each([
  ['bodies that never came', announced, ''],
  ['bodies of which a part came', announced, '[{"external_id":"p1"'],
  ['streams', streamed, '{"external_id":"p1"'],
])('uploads that break off leave nothing behind: %s', async (_, headers, part) => {
  const org = await service.organization();
  for (const _ of [1, 2]) {
    await fill(org, headers, part);
    breakOff();
    await expect.poll(() => status(load(org))).toBe(400);
  }
});

test('a batch whose caller has gone counts until it is written', async () => {
  const org = await service.organization();
  const row = { external_id: 'p1', name: 'Lantern Quay', type: 'gsi', tier: 1 };
  await service.db.facts(org.orgId as OrganizationId, async () => {
    await fill(org, announced, JSON.stringify([row]).padEnd(2 * MiB));
    const closed = uploads
      .filter((sent) => !sent.closed)
      .map((sent) => new Promise((resolve) => sent.once('close', resolve)));
    breakOff();
    await Promise.all(closed);
    // The service notices the end later; until then, all of these are refused.
    for (let i = 0; i < 20; i++) expect(await status(load(org))).toBe(429);
  });
  await expect.poll(() => status(load(org))).toBe(400);
});

test('streams that come to their end make room', async () => {
  const org = await service.organization();
  await fill(org, streamed, '\n');
  expect(await status(load(org))).toBe(429);
  for (const stream of uploads) stream.end();
  await expect.poll(() => status(load(org))).toBe(400);
});

test('a full process says 503 to what is large, and to nobody who has little under way, at no cost', async () => {
  while (!refusals.includes(503)) {
    const org = await service.organization();
    const sent = [1, 2, 3].map(() => open(org, { 'content-length': 16 * MiB, expect: '100-continue' }));
    await Promise.all(sent.map((upload) => once(upload, 'continue')));
    expect(await status(org.get('/v1/signals'))).toBe(200);
  }
  const org = await service.organization();
  const before = await load(org, '[]');
  expect(before.status).toBe(200);
  const raw = '[]'.padEnd(16 * MiB);
  const refused = await load(org, raw);
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(refused.headers['retry-after']).toBe('5');
  expect(leftToday(refused)).toBe(leftToday(before));
  breakOff();
  await expect.poll(() => status(load(org, raw))).toBe(200);
});
