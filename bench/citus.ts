// What does a coordinator cost? The same service, data and requests on three databases of the same PostgreSQL version on
// this machine: plain, Citus with one worker node, Citus with two. Rounds alternate between the three and measure two things:
// loading the facts of a new organization, and reading a page of its signals, first from the database each time and then from
// the answer cache. With all nodes on one machine, two workers cannot be faster than one; the ratio shows what the second costs.
//
// Run: node scripts/run-typescript.mjs bench/citus.ts [--small]
// Needs a PostgreSQL with Citus in /usr/lib/postgresql. Takes about five minutes; with --small one.
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { dataset } from '../src/demo/dataset.ts';
import { loadLocalCertificate } from '../src/http/server/local-authority.ts';
import { endAllChildren } from '../test/faults/child.ts';
import { Citus } from '../test/faults/citus.ts';
import { Client } from '../test/faults/client.ts';
import { findPrograms } from '../test/faults/programs.ts';
import { database, role, Server } from '../test/faults/server.ts';
import { ServiceProcess } from '../test/faults/service-process.ts';
import { uncached } from './reads.ts';

const isSmall = process.argv.includes('--small');
const rounds = isSmall ? 4 : 16;
const size = { partners: 20, accounts: 200, opportunities: 200, activities: isSmall ? 500 : 1_500 };
const readers = 8;
/** For each of the two ways. The plan allows an organization 300 requests per minute. */
const pagesPerRound = 125;
const now = new Date();
const operatorKey = 'operator-key-of-the-benchmark';

const measured = ['ingest', 'pages', 'again'] as const;
type Target = { name: string; client: Client; ingest: number[]; pages: number[]; again: number[] };

const programs = findPrograms(true);
if ('missing' in programs) throw new Error(`install ${programs.missing.join(' ')} first`);
const dir = await mkdtemp(join(tmpdir(), 'bench-citus-'));
await chmod(dir, 0o755); // PostgreSQL may run as another user
process.on('exit', endAllChildren);
const { caFile } = await loadLocalCertificate({ dir: join(dir, 'tls'), now });
const ca = await readFile(caFile, 'utf8');
try {
  const targets = [
    await startTarget('plain', async (path) => {
      const server = await Server.prepare({ name: 'postgres', dir: path, programs, settings: {} });
      await server.create();
      return server;
    }),
    await startTarget('Citus, one node', async (path) => (await Citus.start(programs, path, 1)).coordinator),
    await startTarget('Citus, two nodes', async (path) => (await Citus.start(programs, path, 2)).coordinator),
  ];
  for (let round = 0; round <= rounds; round++) {
    // The first round only warms up.
    for (let i = 0; i < targets.length; i++)
      await measure(targets[(round + i) % targets.length] as Target, round, round > 0);
  }
  report(targets);
} finally {
  await endAllChildren();
  await rm(dir, { recursive: true, force: true });
}
// Connections to servers that have ended would keep this process alive for minutes.
process.exit();

async function startTarget(name: string, start: (dir: string) => Promise<Server>): Promise<Target> {
  const path = join(dir, name.replaceAll(/[ ,]+/g, '-'));
  await mkdir(path);
  const { port } = await start(path);
  const service = await ServiceProcess.start('service', path, {
    DATA_DIR: join(path, 'data'),
    DATABASE_URL: `postgresql://${role}:${role}@127.0.0.1:${port}/${database}`,
    OPERATOR_KEY: operatorKey,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    TLS_CERT_FILE: join(dir, 'tls/server.pem'),
    TLS_KEY_FILE: join(dir, 'tls/server-key.pem'),
  });
  console.log(`started: ${name}`);
  const client = new Client(`https://localhost:${service.port}`, ca);
  return { name, client, ingest: [], pages: [], again: [] };
}

async function measure(
  { client, ingest, pages, again }: Target,
  round: number,
  counts: boolean,
): Promise<void> {
  const post = async (path: string, key: string, body: unknown) =>
    (await client.mustCall({ method: 'POST', path, key, body })).body.data;
  const { id } = await post('/admin/v1/organizations', operatorKey, { name: 'Bench', plan: 'enterprise' });
  const { key } = await post(`/admin/v1/organizations/${id}/keys`, operatorKey, {
    name: 'bench',
    scopes: ['admin', 'ingest'],
  });
  let rows = 0;
  const startedAt = performance.now();
  for (const batch of dataset({ size, seed: round, now, batchRows: 500 })) {
    rows += batch.rows.length;
    const { rejected } = await post(`/ingest/v1/${batch.kind}`, key, batch.rows);
    if (rejected > 0) throw new Error(`${rejected} rows were rejected`);
  }
  const loaded = rows / ((performance.now() - startedAt) / 1_000);
  const read = async (headers: Record<string, string>): Promise<number> => {
    let left = pagesPerRound;
    const readAt = performance.now();
    const loop = async () => {
      while (left-- > 0) await client.mustCall({ method: 'GET', path: '/v1/signals', key, headers });
    };
    await Promise.all(Array.from({ length: readers }, loop));
    return pagesPerRound / ((performance.now() - readAt) / 1_000);
  };
  const rates = [await read(uncached), await read({})] as const;
  if (!counts) return;
  ingest.push(loaded);
  pages.push(rates[0]);
  again.push(rates[1]);
}

function report(targets: Target[]): void {
  const [plain, one, two] = targets as [Target, Target, Target];
  const median = (values: number[]) =>
    [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
  /** The median of the ratios of each round, so that a slow moment of the machine affects both. */
  const ratio = (what: (typeof measured)[number], of: Target, to: Target) =>
    median(of[what].map((value, i) => value / (to[what][i] as number))).toFixed(2);
  console.log(`\nNode ${process.version}, medians of ${rounds} rounds`);
  for (const target of targets)
    console.log(
      target.name.padEnd(18),
      ...measured.map((what) => `${what} ${median(target[what]).toFixed(0)}/s`),
    );
  for (const [name, of, to] of [
    ['two nodes / plain', two, plain],
    ['one node / plain', one, plain],
    ['two nodes / one', two, one],
  ] as const)
    console.log(name.padEnd(18), ...measured.map((what) => `${what} ${ratio(what, of, to)}`));
}
