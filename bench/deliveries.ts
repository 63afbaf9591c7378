// How fast do events reach the receivers of webhooks? The worker, PostgreSQL and the receivers run in separate processes; each
// receiver has its own port with TLS. For 1, 10 and 1,000 receivers, this measures
//   rate     events per second, from the commit of a backlog to the arrival of its last event
//   latency  milliseconds from the commit of one event to its arrival, one after the other
// and again while a tenth of the receivers hang and have fifty events each. The baseline in the same run is a bare client that
// posts the same bodies to the same receivers, ten at a time to each, without database, queue, signature or log. Compare ratios
// to it between machines, not rates or milliseconds. On a busy machine, the CPU time per delivery tells more than the rate.
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { cpuSeconds } from './cpu.ts';
import type { Say, Section } from './section.ts';
import {
  arrive,
  type Bench,
  commitAll,
  data,
  type Event,
  makeEvents,
  nowMs,
  openBench,
  type Send,
  subscribe,
} from './webhooks.ts';

type Scale = { receivers: number; hanging: number; pile: number; single: number };
type Sender = { send: Send; cpu: () => number[] };
/** `cpu` is in milliseconds per event, for each process that the sender counts. */
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
const pauseMs = 20;

export async function measureDeliveries(quick: boolean, say: Say): Promise<Section> {
  const bench = await openBench();
  const { installation, pool, caFile } = bench;
  try {
    const rows: Section['rows'] = [];
    for (const scale of quick ? quickScales : fullScales) {
      const targets = await subscribe(bench, scale.receivers, scale.hanging);
      const agent = new Agent({ connections: 10, connect: { ca: await readFile(caFile, 'utf8') } });
      const bare = await measure(bench, scale, targets, {
        send: (events) => postAll(agent, events),
        cpu: () => [cpuSeconds([process.pid])],
      });
      const ours = await measure(bench, scale, targets, {
        send: (events) => commitAll(bench, events),
        cpu: () => [cpuSeconds([installation.pid]), installation.postgresSeconds()],
      });
      const [bareCpu = 0] = bare.cpu;
      const [node = 0, postgres = 0] = ours.cpu;
      await agent.destroy();
      await pool.query('delete from webhooks');
      rows.push({
        receivers: `${scale.receivers}${scale.hanging ? `, ${scale.hanging} hanging` : ''}`,
        'events/s': ours.rate,
        'bare client, events/s': bare.rate,
        '% of the bare client': (100 * ours.rate) / bare.rate,
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
      chart: { label: 'receivers', value: 'events/s', better: 'higher' },
    };
  } finally {
    await bench.close();
  }
}

async function measure(
  bench: Bench,
  scale: Scale,
  targets: Event['target'][],
  sender: Sender,
): Promise<Result> {
  const { send, cpu } = sender;
  const hanging = targets.slice(0, scale.hanging);
  const healthy = targets.slice(scale.hanging);
  // Connections, plans, compiled code: a new process takes several times the CPU.
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
      .catch(() => {}); // requests to hanging receivers, when the agent is destroyed
  }
  return begunAt;
}
