// What does a read cost? For each of a few routes, measures the CPU time of a request in the service process and in PostgreSQL,
// next to a bare node:https server that sends the same bytes: for unchanged responses, which the service may send from its
// cache, and for changed ones. The load comes from this process, whose own CPU time does not count, in rounds that alternate
// between the service and the bare server. Then measures the latency of a page of signals while the service is at half of its
// capacity, next to the bare server at the same rate.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { dataset } from '../src/demo/dataset.ts';
import { cpuSeconds, residentMegabytes } from './cpu.ts';
import { type Installation, startInstallation } from './installation.ts';
import type { Say, Section } from './section.ts';
import { measureTail } from './tail.ts';

const size = { partners: 20, accounts: 50, opportunities: 50, activities: 300 };
/** They alternate, so that none reaches the limit of its plan, 300 requests per minute: five routes need 230 each. */
const organizations = 240;

type Route = { name: string; paths: string[]; keys: string[]; isChanged?: boolean };

export async function measureReads(quick: boolean, say: Say): Promise<Section> {
  const installation = await startInstallation();
  const database = new pg.Client(installation.connection);
  const bare = fork(fileURLToPath(new URL('../scripts/run-typescript.mjs', import.meta.url)), [
    fileURLToPath(new URL('bare-server.ts', import.meta.url)),
    join(installation.dir, 'service/tls'),
  ]);
  try {
    const [port] = (await once(bare, 'message')) as [number];
    const agent = new Agent({ ca: installation.ca, keepAlive: true, maxSockets: 8 });
    const { pid, postgresSeconds } = installation;
    const rows: Section['rows'] = [];
    say(`loading ${organizations} organizations`);
    const routes = await prepareRoutes(installation, agent);
    await database.connect();
    await settle(installation, database);
    let tail = '';
    for (const [index, route] of routes.entries()) {
      if (index % 5 === 0) await nextMinute();
      // Before thousands of changes, which leave PostgreSQL more to clean up than a day of work does.
      if (route.isChanged && !tail) {
        bare.send(await get(agent, `${installation.url}/v1/signals`, route.keys[0]));
        tail = await measureTail(installation, '/v1/signals', route.keys, `https://localhost:${port}`, quick);
        await nextMinute();
      }
      const body = await get(agent, `${installation.url}${route.paths[0]}`, route.keys[0]);
      bare.send(body);
      const rounds = quick ? 2 : 6;
      const spent = { node: 0, postgres: 0, bare: 0 };
      const requests = quick ? 400 : 1_000;
      const ask = async (i: number) => {
        // Changes everything for the service. It costs little compared with the reads.
        if (route.isChanged && i % organizations === 0)
          await database.query('update event_counters set version = gen_random_uuid()');
        return get(
          agent,
          `${installation.url}${route.paths[i % organizations]}`,
          route.keys[i % organizations],
        );
      };
      const askBare = () => get(agent, `https://localhost:${port}/`, undefined);
      for (const one of [ask, askBare]) await sendAll(quick ? 1_000 : 5_000, one);
      for (let round = 0; round < rounds; round++) {
        const before = {
          node: cpuSeconds([pid]),
          postgres: postgresSeconds(),
          bare: cpuSeconds([bare.pid as number]),
        };
        await sendAll(requests, ask);
        await sendAll(requests, askBare);
        spent.node += cpuSeconds([pid]) - before.node;
        spent.postgres += postgresSeconds() - before.postgres;
        spent.bare += cpuSeconds([bare.pid as number]) - before.bare;
      }
      const ms = (seconds: number) => (seconds / (requests * rounds)) * 1_000;
      rows.push({
        route: route.name,
        'service, ms': ms(spent.node),
        'PostgreSQL, ms': ms(spent.postgres),
        'bare server, ms': ms(spent.bare),
        'times the bare server': (spent.node + spent.postgres) / spent.bare,
      });
      say(`${route.name} measured`);
    }
    return {
      name: 'reads',
      title: 'CPU time of a read',
      rows,
      notes: [tail, `The service process then held ${residentMegabytes(pid).toFixed(0)} MB.`],
      chart: { label: 'route', value: 'times the bare server', better: 'lower' },
    };
  } finally {
    bare.kill('SIGKILL');
    await database.end();
    await installation.stop();
  }
}

async function nextMinute(): Promise<void> {
  await delay(60_000 - (Date.now() % 60_000));
}

async function prepareRoutes(installation: Installation, agent: Agent): Promise<Route[]> {
  const keys: string[] = [];
  const signals: string[] = [];
  const partners: string[] = [];
  for (let i = 0; i < organizations; i++) {
    const key = await installation.newOrganization(['admin', 'ingest']);
    for (const { kind, rows } of dataset({ size, seed: i, now: new Date(), batchRows: 1_000 }))
      await installation.sendLines(`/ingest/v1/${kind}`, key, rows);
    const [signal] = JSON.parse(await get(agent, `${installation.url}/v1/signals`, key)).data;
    keys.push(key);
    signals.push(signal.id);
    partners.push(signal.partner.id);
  }
  const same = (path: string) => keys.map(() => path);
  const routes = [
    { name: 'GET /v1/signals', paths: same('/v1/signals'), keys },
    { name: 'GET /v1/signals?sort=priority', paths: same('/v1/signals?sort=priority'), keys },
    { name: 'GET /v1/signals/{id}', paths: signals.map((id) => `/v1/signals/${id}`), keys },
    { name: 'GET /v1/partners/{id}', paths: partners.map((id) => `/v1/partners/${id}`), keys },
    { name: 'GET /v1/partners', paths: same('/v1/partners'), keys },
  ];
  return [
    ...routes,
    ...routes.map((route) => ({ ...route, name: `${route.name}, changed`, isChanged: true })),
  ];
}

/** Waits for background work after loading, in PostgreSQL and in the service, which is not part of a read. */
export async function settle({ pid }: Installation, database: pg.Client): Promise<void> {
  await database.query('vacuum analyze');
  for (let idleSeconds = 0, waited = 0; idleSeconds < 3 && waited < 60; waited++) {
    const before = cpuSeconds([pid]);
    await delay(1_000);
    idleSeconds = cpuSeconds([pid]) - before < 0.1 ? idleSeconds + 1 : 0;
  }
}

/** Eight at a time. */
export async function sendAll(requests: number, send: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const loop = async () => {
    while (next < requests) await send(next++);
  };
  await Promise.all(Array.from({ length: 8 }, loop));
}

/** Headers of a request that bypasses the answer cache. */
export const uncached = { 'if-none-match': '"nothing"' };

export async function get(
  agent: Agent,
  url: string,
  key: string | undefined,
  more: Record<string, string> = {},
): Promise<string> {
  const headers = { ...(key ? { authorization: `Bearer ${key}` } : {}), ...more };
  const sent = request(url, { agent, headers }).end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${text.slice(0, 200)}`);
  return text;
}
