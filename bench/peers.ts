// What would a page of signals cost with a product that generates an API from a database? PostGraphile reads the rows of the
// service, Directus a copy of them, both with the fields of the service's list. Measures the CPU time of a page in the server
// process and in PostgreSQL, in alternating rounds. Both are installed into bench/peers/npm.
import { Agent as TlsAgent } from 'node:https';
import pg from 'pg';
import { dataset } from '../src/demo/dataset.ts';
import { cpuSeconds } from './cpu.ts';
import { type Installation, startInstallation } from './installation.ts';
import { startDirectus } from './peers/directus.ts';
import { install, type Owner, type Reader } from './peers/peer.ts';
import { startPostGraphile } from './peers/postgraphile.ts';
import { get, sendAll, settle, uncached } from './reads.ts';
import type { Say, Section } from './section.ts';

const size = { partners: 20, accounts: 150, opportunities: 150, activities: 900 };
/** They alternate, so that none reaches the limit of its plan, 300 requests per minute. */
const organizations = 40;

export async function measurePeers(quick: boolean, say: Say): Promise<Section> {
  await install(say);
  const installation = await startInstallation();
  const database = new pg.Client(installation.connection);
  const readers: Reader[] = [ours(installation)];
  try {
    say(`loading ${organizations} organizations`);
    const owners: Owner[] = [];
    for (let i = 0; i < organizations; i++) {
      const owner = await installation.organizationWithKey(['admin', 'ingest']);
      for (const { kind, rows } of dataset({ size, seed: i, now: new Date(), batchRows: 1_000 }))
        await installation.sendLines(`/ingest/v1/${kind}`, owner.key, rows);
      owners.push(owner);
    }
    await database.connect();
    await settle(installation, database); // before Directus gets its copy
    say('starting PostGraphile and Directus');
    readers.push(await startPostGraphile(installation));
    readers.push(await startDirectus(installation, database));
    await checkPages(readers, owners);
    const rows = await measure(installation, readers, owners, quick ? 2 : 8, say);
    return {
      name: 'peers',
      title: 'CPU time of a page of 25 signals',
      rows,
      notes: [
        'Partner Signals handles TLS, an API key, rate limits and a log line for each request. Directus only checks a token, and PostGraphile does none of this.',
      ],
      chart: { label: 'server', value: 'CPU, ms', better: 'lower' },
    };
  } finally {
    for (const reader of readers) reader.stop();
    await database.end();
    await installation.stop();
  }
}

function ours({ ca, url, pid }: Installation): Reader {
  const agent = new TlsAgent({ ca, keepAlive: true, maxSockets: 8 });
  return {
    name: 'Partner Signals',
    pid,
    page: ({ key }) => get(agent, `${url}/v1/signals`, key, uncached),
    stop: () => agent.destroy(),
  };
}

/** All servers must return the same signals in the same order. */
async function checkPages(readers: Reader[], owners: Owner[]): Promise<void> {
  for (const owner of owners) {
    const [expected, ...others] = await Promise.all(
      readers.map(async ({ page }) => (await page(owner)).match(/sig_\w+/g)?.join()),
    );
    const wrong = others.findIndex((ids) => !ids || ids !== expected);
    if (wrong >= 0)
      throw new Error(`${readers[wrong + 1]?.name} answered with ${others[wrong]}, not ${expected}.`);
  }
}

async function measure(
  installation: Installation,
  readers: Reader[],
  owners: Owner[],
  rounds: number,
  say: Say,
): Promise<Section['rows']> {
  const requests = 400;
  const spent = readers.map(() => ({ server: 0, postgres: 0 }));
  const { postgresSeconds } = installation;
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { pid, page }] of readers.entries()) {
      const before = { server: cpuSeconds([pid]), postgres: postgresSeconds() };
      await sendAll(requests, (i) => page(owners[i % owners.length] as Owner));
      const sum = spent[index];
      if (round === 0 || !sum) continue; // warms up
      sum.server += cpuSeconds([pid]) - before.server;
      sum.postgres += postgresSeconds() - before.postgres;
    }
    say(`round ${round} of ${rounds}`);
  }
  const ms = (seconds: number) => (seconds / (requests * rounds)) * 1_000;
  return readers.map(({ name }, index) => {
    const { server, postgres } = spent[index] as (typeof spent)[number];
    return {
      server: name,
      'its process, ms': ms(server),
      'PostgreSQL, ms': ms(postgres),
      'CPU, ms': ms(server + postgres),
    };
  });
}
