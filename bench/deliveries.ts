// How fast do events reach the receivers of webhooks? A worker runs as a process of its own, PostgreSQL beside it, and
// the receivers, each on a port of its own, over TLS, in a third process. Measured, for 1, 10 and 1,000 receivers, are
//   rate     events a second, from the commit of a pile of them to the arrival of the last
//   latency  milliseconds from the commit of one event to its arrival, one after the other
// and again while a tenth of the receivers hang and have fifty events each. Beside each, in the same run, a bare client:
// it posts the same bodies to the same receivers, ten at a time to each, and knows of no database, queue, signature or
// log. Ratios to it travel between machines; rates and milliseconds do not. On a machine that has other work to do, the CPU
// time of a delivery tells more than its rate.
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { parseEncryptionKeys } from '../src/config.ts';
import { groupBy } from '../src/contract/group-by.ts';
import { type EventId, newId, type OrganizationId, type WebhookId } from '../src/contract/ids.ts';
import { createHint } from '../src/delivery/hint.ts';
import { createOrganization } from '../src/domain/organizations.ts';
import { registerWebhook } from '../src/domain/webhooks.ts';
import { loadLocalCertificate } from '../src/http/local-authority.ts';
import { createLogger } from '../src/http/log.ts';
import { connect, type Pool, transaction } from '../src/store/connection.ts';
import { insertEvents } from '../src/store/events.ts';
import { createKeyring } from '../src/store/keyring.ts';
import { addDeliveries } from '../src/store/webhooks/deliveries.ts';
import { cpuSeconds, familyOf } from './cpu.ts';
import { encryptionKeys, startInstallation } from './installation.ts';
import { postmasterOf } from './reads.ts';
import type { Order } from './receivers.ts';
import type { Say, Section } from './section.ts';

type Scale = { receivers: number; hanging: number; pile: number; single: number };
type Target = { org_id: OrganizationId; webhook_id: WebhookId; url: string };
type Event = { id: EventId; target: Target };
/** Answers the time from which the events are to be counted. */
type Send = (events: Event[]) => Promise<number>;
type Bench = { pool: Pool; hint: () => void; receivers: ChildProcess };
type Sender = { send: Send; cpu: () => number[] };
/** `cpu` is in milliseconds an event, of each process that the sender counts. */
type Result = { rate: number; cpu: number[]; p50: number; p99: number };

const quickScales: Scale[] = [
  { receivers: 1, hanging: 0, pile: 500, single: 60 },
  { receivers: 10, hanging: 0, pile: 2_000, single: 60 },
  { receivers: 200, hanging: 0, pile: 2_000, single: 60 },
  { receivers: 200, hanging: 20, pile: 2_000, single: 60 },
];
const fullScales: Scale[] = [
  { receivers: 1, hanging: 0, pile: 3_000, single: 300 },
  { receivers: 10, hanging: 0, pile: 10_000, single: 300 },
  { receivers: 1_000, hanging: 0, pile: 10_000, single: 300 },
  { receivers: 10, hanging: 1, pile: 10_000, single: 300 },
  { receivers: 1_000, hanging: 100, pile: 10_000, single: 300 },
];
const webhooksPerOrganization = 10;
const pauseMs = 20;
const runner = fileURLToPath(new URL('../scripts/run-typescript.mjs', import.meta.url));
/** About as long as a signal. */
const data = { id: newId('sig'), type: 'overlap', recommended_action: 'x'.repeat(600) };

export async function measureDeliveries(quick: boolean, say: Say): Promise<Section> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-delivery-'));
  const { caFile } = await loadLocalCertificate({ dir, now: new Date() });
  const installation = await startInstallation({
    ROLE: 'worker',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_CA_FILE: caFile,
  });
  const pool = connect({ ...installation.connection, max: 2 }, () => {});
  const receivers = fork(runner, [fileURLToPath(new URL('receivers.ts', import.meta.url)), dir]);
  const bench: Bench = { pool, hint: createHint(pool, createLogger('silent')), receivers };
  try {
    await once(receivers, 'message');
    const rows: Section['rows'] = [];
    for (const scale of quick ? quickScales : fullScales) {
      const targets = await subscribe(bench, scale);
      const agent = new Agent({ connections: 10, connect: { ca: await readFile(caFile, 'utf8') } });
      const bare = await measure(bench, scale, targets, {
        send: (events) => postAll(agent, events),
        cpu: () => [cpuSeconds([process.pid])],
      });
      const ours = await measure(bench, scale, targets, {
        send: (events) => commitAll(bench, events),
        cpu: () => [cpuSeconds([installation.pid]), cpuSeconds(familyOf(postmasterOf(installation)))],
      });
      const [bareCpu = 0] = bare.cpu;
      const [node = 0, postgres = 0] = ours.cpu;
      await agent.destroy();
      await pool.query('delete from webhooks');
      rows.push({
        receivers: `${scale.receivers}${scale.hanging ? `, ${scale.hanging} hanging` : ''}`,
        'events/s': ours.rate,
        'bare client, events/s': bare.rate,
        'ours / bare': ours.rate / bare.rate,
        'node, CPU ms': node,
        'PostgreSQL, CPU ms': postgres,
        'bare, CPU ms': bareCpu,
        'p50, ms': ours.p50,
        'p99, ms': ours.p99,
        'bare p99, ms': bare.p99,
      });
      say(`${scale.receivers} receivers measured`);
    }
    return {
      name: 'deliveries',
      title: 'Deliveries of webhooks',
      rows,
      notes: [],
      chart: { label: 'receivers', value: 'ours / bare' },
    };
  } finally {
    receivers.kill('SIGKILL');
    await pool.end();
    await installation.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function measure(bench: Bench, scale: Scale, targets: Target[], sender: Sender): Promise<Result> {
  const { send, cpu } = sender;
  const hanging = targets.slice(0, scale.hanging);
  const healthy = targets.slice(scale.hanging);
  // Connections, plans, compiled code: a process that has just started takes several times the CPU.
  await arrive(bench, makeEvents(Math.max(healthy.length * 2, 1_000), healthy), send);
  if (hanging.length > 0) await send(makeEvents(hanging.length * 50, hanging));

  let before: number[] = [];
  const pile = await arrive(bench, makeEvents(scale.pile, healthy), async (events) => {
    const sentAt = await send(events);
    before = cpu();
    return sentAt;
  });
  const spent = cpu().map((after, index) => ((after - (before[index] ?? 0)) * 1_000) / scale.pile);
  const latencies: number[] = [];
  for (const event of makeEvents(scale.single, healthy)) {
    const pause = delay(pauseMs);
    latencies.push(await arrive(bench, [event], send));
    await pause;
  }
  latencies.sort((a, b) => a - b);
  const quantile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { rate: scale.pile / (pile / 1_000), cpu: spent, p50: quantile(0.5), p99: quantile(0.99) };
}

/** Milliseconds until the last of these has arrived. */
async function arrive({ receivers }: Bench, events: Event[], send: Send): Promise<number> {
  await order(receivers, { expect: events.map(({ id }) => id) });
  const arrived = once(receivers, 'message') as Promise<[number[]]>;
  const sentAt = await send(events);
  const [times] = await arrived;
  return (times.at(-1) ?? Number.NaN) - sentAt;
}

/** As ingest would write them, each organization's in a transaction of its own; counted from the last commit. */
async function commitAll({ pool, hint }: Bench, events: Event[]): Promise<number> {
  const byOrganization = groupBy(events, ({ target }) => target.org_id);
  await Promise.all(
    [...byOrganization].map(([orgId, theirs]) =>
      transaction(pool, async (tx) => {
        const rows = theirs.map(({ id }) => ({ id, kind: 'signal.created' as const, data }));
        await insertEvents(tx, orgId, rows, true);
        const deliveries = theirs.map(({ id, target: { webhook_id } }) => ({
          id: newId('dlv'),
          webhook_id,
          event_id: id,
        }));
        addDeliveries(tx, orgId, deliveries);
      }),
    ),
  );
  hint();
  return nowMs();
}

async function postAll(agent: Agent, events: Event[]): Promise<number> {
  const begunAt = nowMs();
  const timestamp = new Date().toISOString();
  for (const { id, target } of events) {
    const signature = `sha256=${'0'.repeat(64)}`;
    agent
      .request({
        origin: new URL(target.url).origin,
        path: '/',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'webhook-id': id },
        body: JSON.stringify({ event: 'signal.created', data, timestamp, signature }),
      })
      .then(({ body }) => body.dump())
      .catch(() => {}); // those that hang, when the agent is destroyed
  }
  return begunAt;
}

function makeEvents(count: number, targets: Target[]): Event[] {
  return Array.from({ length: count }, (_, index) => ({
    id: newId('evt'),
    target: targets[index % targets.length] as Target,
  }));
}

async function subscribe({ pool, receivers }: Bench, { receivers: open, hanging }: Scale): Promise<Target[]> {
  const keyring = createKeyring(parseEncryptionKeys('ENCRYPTION_KEYS', encryptionKeys) ?? []);
  const ports = (await order(receivers, { open, hanging })) as number[];
  const targets: Target[] = [];
  let org_id: OrganizationId | undefined;
  for (const [index, port] of ports.entries()) {
    if (!org_id || index % webhooksPerOrganization === 0) {
      const fields = { name: 'Benchmark', plan: 'enterprise' } as const;
      org_id = (await transaction(pool, (tx) => createOrganization(tx, fields, 'bench'))).id;
    }
    const orgId = org_id;
    const url = `https://localhost:${port}/`;
    const fields = { url, events: ['signal.created' as const], secret: randomUUID() };
    const { id } = await transaction(pool, (tx) => registerWebhook(tx, orgId, fields, keyring));
    targets.push({ org_id, webhook_id: id, url });
  }
  return targets;
}

async function order(receivers: ChildProcess, one: Order): Promise<unknown> {
  receivers.send(one);
  const [answer] = await once(receivers, 'message');
  return answer;
}

function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
