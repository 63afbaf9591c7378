import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { moveBack } from '../due-work.ts';
import { loadFacts } from '../facts.ts';
import { operatorKey, startTestService, type TestService } from '../harness.ts';
import { type Receiver, startReceiver } from '../receiver.ts';

let receiver: Receiver;
let service: TestService;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await start();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const start = (env: Record<string, string> = {}, databaseUrl?: string) =>
  startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: receiver.caFile, ...env }, databaseUrl);

const ours = 'partner_signals_';

type Samples = { text: string; value(name: string, labels?: Record<string, string>): number | undefined };

async function scrape(from: TestService = service): Promise<Samples> {
  const answer = await from.call('GET', '/metrics', { key: operatorKey });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const samples = parse(answer.text);
  return {
    text: answer.text,
    value: (name, labels = {}) =>
      samples.find(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      )?.value,
  };
}

/** The text format 0.0.4: a family's help and type, then its samples. */
function parse(text: string): { name: string; labels: Record<string, string>; value: number }[] {
  expect(text.endsWith('\n')).toBe(true);
  const families = new Map<string, string>();
  return text
    .trim()
    .split('\n')
    .flatMap((line) => {
      if (line === '' || line.startsWith('# HELP ')) return [];
      const type = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line);
      if (type) {
        families.set(type[1] as string, type[2] as string);
        return [];
      }
      const [, name = '', list, value] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
      expect(name, line).not.toBe('');
      const family = families.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
      expect(families.has(family), line).toBe(true);
      const labels = [...(list ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [
        label,
        text,
      ]);
      expect(value, line).toMatch(/^(-?\d+(\.\d+)?(e[+-]?\d+)?|nan)$/i);
      return [{ name, labels: Object.fromEntries(labels), value: Number(value) }];
    });
}

test('the guide lists every metric, and no other', async () => {
  const pages = (await readdir('docs', { recursive: true })).filter((name) => name.endsWith('running.md'));
  const table = (await readFile(`docs/${pages[0]}`, 'utf8')).split('| metric |')[1]?.split('\n\n')[0] ?? '';
  const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const served = [...(await scrape()).text.matchAll(/^# TYPE partner_signals_(\w+)/gm)].map(
    ([, name]) => name,
  );
  // Only with the embedded database, which the tests do not use.
  expect(listed.sort()).toEqual([...served, 'disk_free_bytes'].sort());
});

test('metrics are for operators: 401 without a key, with an unknown one and with that of an organization', async () => {
  const org = await service.organization();
  for (const key of [undefined, 'no-such-operator-key', org.key]) {
    const answer = await service.call('GET', '/metrics', { key });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.text).not.toContain(ours);
  }
  expect((await service.call('POST', '/metrics', { key: operatorKey })).status).toBe(405);
});

test('a scrape leaves no line in the audit', async () => {
  await scrape();
  const audit = await service.operator('GET', '/admin/v1/audit?limit=100');
  const paths = audit.body.data.map(({ path }: { path: string }) => path);
  expect(paths).not.toContain('/metrics');
  expect(paths.length).toBeGreaterThan(0);
});

test('the text parses, and tells of the process, its build and its connections', async () => {
  const { value } = await scrape();
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(value('nodejs_eventloop_lag_seconds')).toBeDefined();
  expect(value(`${ours}build_info`, { version: '0.2.0', node: process.version })).toBe(1);
  for (const pool of ['requests', 'reports', 'facts', 'upkeep']) {
    for (const state of ['used', 'idle', 'waiting'])
      expect(value(`${ours}database_connections`, { pool, state })).toBeGreaterThanOrEqual(0);
  }
});

test('requests are counted by the pattern of their route, never by what a client sent', async () => {
  const org = await service.organization();
  const route = '/v1/signals/:signal_id';
  const before = await scrape();
  await org.get('/v1/signals/sig_of-nobody');
  await org.get('/v1/signals/sig_of-nobody-else');
  await service.call('GET', '/no/such/path?a=secret', { key: org.key });
  await service.call('REPORT', '/no/such/path', { key: org.key });
  // A request is counted after its response has been sent.
  const rises = async () => {
    const after = await scrape();
    const rise = (name: string, labels: Record<string, string>) =>
      (after.value(`${ours}${name}`, labels) ?? 0) - (before.value(`${ours}${name}`, labels) ?? 0);
    return {
      known: rise('http_requests_total', { method: 'GET', route, status: '404' }),
      unknown: rise('http_requests_total', { method: 'any', route: 'unknown', status: '404' }),
      timed: rise('http_request_duration_seconds_count', { method: 'GET', route }),
      inBuckets: rise('http_request_duration_seconds_bucket', { method: 'GET', route, le: '+Inf' }),
    };
  };
  await expect.poll(rises).toEqual({ known: 2, unknown: 2, timed: 2, inBuckets: 2 });
  const { text } = await scrape();
  for (const sent of ['sig_of-nobody', 'secret', 'such/path', 'REPORT', org.orgId, org.keyId])
    expect(text).not.toContain(sent);
});

test('a service counts for itself, also beside another one in its process', async () => {
  const other = await start({ ROLE: 'api' });
  onTestFinished(() => other.close());
  await (await service.organization()).get('/v1/signals');
  const labels = { route: '/v1/signals', method: 'GET', status: '200' };
  await expect
    .poll(async () => (await scrape()).value(`${ours}http_requests_total`, labels))
    .toBeGreaterThan(0);
  expect((await scrape(other)).value(`${ours}http_requests_total`, labels)).toBeUndefined();
});

test('refusals are counted by whose limit it was', async () => {
  const limited = await start({ ROLE: 'api' });
  onTestFinished(() => limited.close());
  for (const limit of ['organization', 'address'])
    expect((await scrape(limited)).value(`${ours}rate_limit_refusals_total`, { limit })).toBe(0);
  let refused = 0;
  // More than two minutes' worth, so that it does not matter if a new minute begins.
  for (let i = 0; i < 130; i++) if ((await limited.call('GET', '/v1/signals')).status === 429) refused++;
  expect(refused).toBeGreaterThan(0);
  const refusals = async (limit: string) =>
    (await scrape(limited)).value(`${ours}rate_limit_refusals_total`, { limit });
  await expect.poll(() => refusals('address')).toBe(refused);
  expect(await refusals('organization')).toBe(0);
});

test('rows are counted by kind and outcome, and signals by type, once each however often a request is replayed', async () => {
  const counting = await start({ ROLE: 'api' });
  onTestFinished(() => counting.close());
  const org = await counting.organization();
  const rows = (kind: string, outcome: string) => ({ kind, outcome });
  const partner = { external_id: 'p1', name: 'Partner', type: 'gsi', tier: 1 };
  const body = [partner, { ...partner, external_id: 'p2' }, { external_id: 'p3' }];
  for (let i = 0; i < 2; i++) {
    const answer = await org.call('POST', '/ingest/v1/partners', {
      body,
      headers: { 'idempotency-key': 'once' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.data).not.toHaveProperty('fired');
  }
  await org.call('POST', '/ingest/v1/partners', {
    raw: `${JSON.stringify(partner)}\n${JSON.stringify({ ...partner, tier: 2 })}\nnonsense\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  await loadFacts(org, { accounts: [{}, {}], partner_accounts: [{}, { domain: 'a2.example' }] });
  const name = `${ours}ingest_rows_total`;
  await expect
    .poll(async () => (await scrape(counting)).value(name, rows('partner_accounts', 'created')))
    .toBe(2);
  const { value } = await scrape(counting);
  expect(value(name, rows('partners', 'created'))).toBe(2);
  expect(value(name, rows('partners', 'updated'))).toBe(1);
  expect(value(name, rows('partners', 'unchanged'))).toBe(1);
  expect(value(name, rows('partners', 'rejected'))).toBe(2);
  expect(value(name, rows('activities', 'created'))).toBe(0);
  expect(value(`${ours}signals_fired_total`, { type: 'overlap' })).toBe(2);
  expect(value(`${ours}signals_fired_total`, { type: 'co_sell' })).toBe(0);
});

test('a worker tells of its deliveries, and every process of the queue that they share', async () => {
  const api = await start({ ROLE: 'api' });
  onTestFinished(() => api.close());
  const org = await api.organization();
  for (const path of ['/good', '/bad']) {
    await org.call('POST', '/v1/webhooks', {
      body: { url: `${receiver.url}${path}`, events: ['signal.created'] },
    });
  }
  const crmIds = ['a1', 'a2', 'a3'];
  await loadFacts(org, {
    partners: [{}],
    accounts: crmIds.map(() => ({})),
    partner_accounts: crmIds.map((id) => ({ domain: `${id}.example` })),
  });
  const minute = { by: '1 minute', where: 'true' };
  await moveBack(api.pool, { table: 'deliveries', columns: ['next_attempt_at'], ...minute });
  await api.pool.query(`update due_webhooks set next_at = next_at - interval '1 minute'`);
  const waiting = await scrape(api);
  expect(waiting.value(`${ours}deliveries_due`)).toBe(6);
  expect(waiting.value(`${ours}deliveries_oldest_due_seconds`)).toBeGreaterThanOrEqual(60);
  expect(waiting.value(`${ours}deliveries_oldest_due_seconds`)).toBeLessThan(120);

  receiver.reply = ({ path }) => ({ status: path === '/bad' ? 500 : 200 });
  const worker = await start({ ROLE: 'worker' }, api.databaseUrl);
  onTestFinished(() => worker.close());
  expect((await worker.call('GET', '/metrics')).status).toBe(401);
  const attempts = async (outcome: string) =>
    (await scrape(worker)).value(`${ours}delivery_attempts_total`, { outcome });
  await expect.poll(() => attempts('delivered')).toBe(3);
  await expect.poll(() => attempts('retry')).toBeGreaterThanOrEqual(3);
  const { value } = await scrape(worker);
  expect(value(`${ours}delivery_attempt_duration_seconds_count`)).toBeGreaterThanOrEqual(6);
  await expect.poll(async () => (await scrape(api)).value(`${ours}deliveries_due`)).toBe(0);
  expect((await scrape(api)).value(`${ours}delivery_attempts_total`, { outcome: 'delivered' })).toBe(0);
});

test('without a database the other metrics are still returned', async () => {
  const lone = await start({ ROLE: 'api', LOG_LEVEL: 'silent' });
  onTestFinished(() => lone.close());
  expect((await scrape(lone)).value(`${ours}deliveries_due`)).toBe(0);
  const admin = new pg.Client(inject('postgres'));
  await admin.connect();
  await admin.query(`drop database ${/(test_\w+)\?/.exec(lone.databaseUrl)?.[1]} with (force)`);
  await admin.end();
  const { value } = await scrape(lone);
  expect(value(`${ours}deliveries_due`)).toBeUndefined();
  expect(value(`${ours}build_info`)).toBe(1);
});
