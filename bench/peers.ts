// What would a page of signals cost with a product that makes an API out of a database? PostGraphile reads the rows that the
// service has stored, with the fields of the service's list. Measured is the CPU time of a page, in its process and in
// PostgreSQL, beside the service's own, in rounds that alternate. It is spared TLS, keys, limits and a log, which the
// service has. It is installed into bench/peers, with the newer Node that it needs.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dataset } from '../src/demo/dataset.ts';
import { cpuSeconds, familyOf } from './cpu.ts';
import { type Installation, startInstallation } from './installation.ts';
import { get, postmasterOf, sendAll, uncached } from './reads.ts';
import type { Say, Section } from './section.ts';

const folder = fileURLToPath(new URL('peers', import.meta.url));
const size = { partners: 20, accounts: 150, opportunities: 150, activities: 900 };
/** They take turns, so that none meets the limit of its plan, 300 requests a minute. */
const organizations = 40;

type Owner = { orgId: string; key: string };
type Reader = { name: string; pid: number; page(owner: Owner): Promise<string> };

export async function measurePeers(quick: boolean, say: Say): Promise<Section> {
  if (!existsSync(`${folder}/node_modules`)) {
    say('installing into bench/peers');
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
      cwd: folder,
    });
  }
  const installation = await startInstallation();
  const peer = startPostGraphile(installation);
  try {
    say(`loading ${organizations} organizations`);
    const owners: Owner[] = [];
    for (let i = 0; i < organizations; i++) {
      const owner = await installation.organizationWithKey(['admin', 'ingest']);
      for (const { kind, rows } of dataset({ size, seed: i, now: new Date(), batchRows: 1_000 }))
        await installation.sendLines(`/ingest/v1/${kind}`, owner.key, rows);
      owners.push(owner);
    }
    const agent = new TlsAgent({ ca: installation.ca, keepAlive: true, maxSockets: 8 });
    const ours: Reader = {
      name: 'Partner Signals',
      pid: installation.pid,
      page: ({ key }) => get(agent, `${installation.url}/v1/signals`, key, uncached),
    };
    const readers = [ours, await peer.ready];
    const rows = await measure(installation, readers, owners, quick ? 2 : 8, say);
    return {
      name: 'peers',
      title: 'CPU time of a page of 25 signals',
      rows,
      notes: [
        'Partner Signals has TLS, keys, limits and a log for each request; PostGraphile has none of them here.',
      ],
      chart: { label: 'server', value: 'CPU, ms' },
    };
  } finally {
    peer.stop();
    await installation.stop();
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
  const postgresSeconds = () => cpuSeconds(familyOf(postmasterOf(installation)));
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

/** The fields of the service's list. */
const query = `query ($org: String!) {
  allSignals(condition: { orgId: $org }, orderBy: [FIRED_AT_DESC, ROW_ID_DESC], first: 25) {
    nodes {
      rowId type state priority firedAt assignee recommendedAction
      partnerByOrgIdAndPartnerId { rowId name type }
      accountByOrgIdAndAccountId { rowId name crmId owner }
      opportunityByOrgIdAndOpportunityId { rowId name value currency stage owner }
    }
  }
}`;

function startPostGraphile({ connection }: Installation): { ready: Promise<Reader>; stop(): void } {
  const { host, port, user, database } = connection;
  const installed = join(folder, 'node_modules');
  const child = spawn(join(installed, 'node/bin/node'), [join(installed, '.bin/postgraphile')], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DATABASE_URL: `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  async function listening(): Promise<Reader> {
    for await (const line of createInterface(child.stdout)) {
      const url = /(http:\S+\/graphql)/.exec(line)?.[1];
      if (url) return { name: 'PostGraphile', pid: child.pid as number, page: (owner) => ask(url, owner) };
    }
    throw new Error('PostGraphile ended before it listened.');
  }
  async function ask(url: string, { orgId }: Owner): Promise<string> {
    const sent = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json' } });
    sent.end(JSON.stringify({ query, variables: { org: orgId } }));
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    if (response.statusCode !== 200 || text.includes('"errors"')) throw new Error(text.slice(0, 500));
    return text;
  }
  return { ready: listening(), stop: () => child.kill() };
}
