// How fast do facts come in, and how much slower in a full store? The service runs as a process of its own and takes
// streams of JSON lines over HTTPS, PostgreSQL runs beside it. Measured are
//   empty   every kind of fact, into an empty store
//   full    the same rows for a new organization, beside one that has a million activities
//   busy    the last stream of that one's activities, on accounts that have many already
// and, in the same run, a floor: the same activities in the same lots of a thousand by a bare insert into a table
// without an index. Ratios to the floor travel between machines; rows a second do not.
//
// Run in the root of the repository: node bench/ingest.ts [--small]
// (Node before 22.18 with a loader: node --import jiti/register bench/ingest.ts [--small]).
// About ten minutes; with --small half a minute.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { type DatasetSize, dataset, type FactBatch } from '../src/demo/dataset.ts';
import { startEmbeddedPostgres } from '../src/store/embedded/postgres.ts';
import { factKinds } from '../src/vocabulary.ts';

const isSmall = process.argv.includes('--small');
const sample: DatasetSize = isSmall
  ? { partners: 50, accounts: 500, opportunities: 500, activities: 2_000 }
  : { partners: 500, accounts: 5_000, opportunities: 5_000, activities: 30_000 };
const whole: DatasetSize = isSmall
  ? { partners: 100, accounts: 1_000, opportunities: 1_000, activities: 20_000 }
  : { partners: 500, accounts: 50_000, opportunities: 50_000, activities: 1_000_000 };
const streamRows = isSmall ? 4_000 : 50_000;
const lotRows = 1_000;
const now = new Date();
const operatorKey = 'operator-key-of-the-benchmark';

/** Rows a second, by kind. */
type Rates = Map<string, number>;

const dir = await mkdtemp(join(tmpdir(), 'bench-ingest-'));
const postgres = await startEmbeddedPostgres({ dataDir: dir, log: () => {} });
const service = await startService();
try {
  await compare();
} finally {
  await service.stop();
  await postgres.stop();
  await rm(dir, { recursive: true, force: true });
}

async function compare(): Promise<void> {
  await load({ ...sample, activities: sample.activities / 10 }, 1, () => {}); // warms up
  const floor = await measureFloor();
  const empty = await load(sample, 2, () => {});
  console.log(`Growing to ${whole.activities} activities:`);
  const busy = await load(whole, 3, (line) => console.log(`  ${line}`));
  const full = await load(sample, 2, () => {});
  const floorAfter = await measureFloor();

  console.log(`\nNode ${process.version}. Rows a second; in brackets the times that the floor is faster`);
  const cell = (rate: number | undefined, base: number) =>
    rate === undefined ? '' : `${rate.toFixed(0)} (${(base / rate).toFixed(1)})`;
  for (const kind of factKinds) {
    const [before, after] = [empty.get(kind) ?? Number.NaN, full.get(kind) ?? Number.NaN];
    console.log(
      `${kind.padEnd(17)} empty ${cell(before, floor).padEnd(15)} full ${cell(after, floorAfter).padEnd(15)}` +
        ` full / empty ${(after / before).toFixed(2)}` +
        (kind === 'activities' ? `   busy ${cell(busy.get(kind), floorAfter)}` : ''),
    );
  }
  console.log(`${'floor'.padEnd(17)} empty ${floor.toFixed(0).padEnd(15)} full ${floorAfter.toFixed(0)}`);
}

/** A new organization with these facts; answers the rate of the last stream of each kind. */
async function load(size: DatasetSize, seed: number, progress: (line: string) => void): Promise<Rates> {
  const key = await newOrganization();
  const rates: Rates = new Map();
  let sent = 0;
  for (const batch of dataset({ size, seed, now, batchRows: streamRows })) {
    const rate = await sendStream(key, batch);
    sent += batch.rows.length;
    progress(`${sent} rows sent, ${batch.kind} at ${rate.toFixed(0)} a second`);
    rates.set(batch.kind, rate);
  }
  return rates;
}

async function sendStream(key: string, { kind, rows }: FactBatch): Promise<number> {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
  const begun = performance.now();
  const answer = await call('POST', `/ingest/v1/${kind}`, key, 'application/x-ndjson', lines);
  const seconds = (performance.now() - begun) / 1_000;
  const { created } = answer as { created: number };
  if (created !== rows.length) throw new Error(`not every row was taken: ${JSON.stringify(answer)}`);
  return rows.length / seconds;
}

/** What no service that keeps these rows could pass: one statement a lot, no index, no reference, no rule. */
async function measureFloor(): Promise<number> {
  const client = new pg.Client(postgres.connection);
  await client.connect();
  const columns =
    'external_id text, partner_external_id text, account_crm_id text, domain text, opportunity_crm_id text, kind text, occurred_at timestamptz, recorded_at timestamptz, summary text, actor text, source text';
  await client.query(`create table floor (${columns})`);
  const lots = [...dataset({ size: sample, seed: 2, now, batchRows: lotRows })];
  const begun = performance.now();
  for (const { kind, rows } of lots) {
    if (kind !== 'activities') continue;
    await client.query(`insert into floor select * from jsonb_to_recordset($1) as r (${columns})`, [
      JSON.stringify(rows),
    ]);
  }
  const seconds = (performance.now() - begun) / 1_000;
  await client.query('drop table floor');
  await client.end();
  return sample.activities / seconds;
}

async function newOrganization(): Promise<string> {
  const organization = { name: 'Benchmark', plan: 'enterprise' };
  const { id } = (await operate('/admin/v1/organizations', organization)) as { id: string };
  const issued = await operate(`/admin/v1/organizations/${id}/keys`, { name: 'bench', scopes: ['ingest'] });
  return (issued as { key: string }).key;
}

function operate(path: string, body: unknown): Promise<unknown> {
  return call('POST', path, operatorKey, 'application/json', [JSON.stringify(body)]);
}

/** Answers the `data` of the answer. */
async function call(
  method: string,
  path: string,
  key: string,
  type: string,
  body: Iterable<string>,
): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type };
  const sent = request(`${service.url}${path}`, { method, agent: service.agent, headers });
  const [[response]] = await Promise.all([once(sent, 'response'), pipeline(Readable.from(body), sent)]);
  let text = '';
  for await (const chunk of response) text += chunk;
  if (response.statusCode >= 300) throw new Error(text);
  return JSON.parse(text).data;
}

/** As `npm start` starts it, which also builds it where that is needed, but on our database. */
async function startService(): Promise<{ url: string; agent: Agent; stop(): Promise<void> }> {
  const { host, port, user, database } = postgres.connection;
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      PORT: '0',
      DATA_DIR: join(dir, 'service'),
      DATABASE_URL: `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      OPERATOR_KEY: operatorKey,
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      if (output !== 'listening') output += chunk;
      const found = /"url":"([^"]+)","msg":"listening"/.exec(output)?.[1];
      if (!found) return;
      output = 'listening';
      resolve(found);
    });
    child.once('exit', () => reject(new Error(output)));
  });
  const ca = await readFile(join(dir, 'service/tls/ca.pem'), 'utf8');
  return {
    url,
    agent: new Agent({ ca, keepAlive: true }),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
