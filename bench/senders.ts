// How does Convoy, another webhook sender, compare with the same events, receivers and PostgreSQL? Convoy stores events in
// PostgreSQL and queues them in Redis. Measures, in alternating rounds,
//   rate     events per second, from accepting a backlog to the arrival of its last event
//   CPU      per event, for storing and sending it, until a second after the last arrival: in the sender, in PostgreSQL and,
//            for Convoy, in Redis. Here the benchmark stores the events, and its time for that counts as the sender's.
//            The work of Convoy's API to accept an event does not count
//   latency  milliseconds from accepting one event to its arrival, while nothing else is sent
import { setTimeout as delay } from 'node:timers/promises';
import { cpuSeconds } from './cpu.ts';
import { installConvoy, type Sender, startConvoy } from './peers/convoy.ts';
import type { Say, Section } from './section.ts';
import { arrive, type Bench, commitAll, type Event, makeEvents, openBench, subscribe } from './webhooks.ts';

export async function measureSenders(quick: boolean, say: Say): Promise<Section> {
  await installConvoy(say);
  const bench = await openBench();
  const rows: Section['rows'] = [];
  try {
    say('starting Convoy');
    const convoy = await startConvoy(bench);
    const senders = [ours(bench), convoy];
    try {
      for (const receivers of [1, 10]) {
        const targets = await subscribe(bench, receivers);
        await convoy.subscribe(targets);
        rows.push(...(await measure(bench, senders, targets, quick)));
        await bench.pool.query('delete from webhooks');
        say(`${count(receivers)} measured`);
      }
    } finally {
      await convoy.stop();
    }
  } finally {
    await bench.close();
  }
  return {
    name: 'senders',
    title: 'CPU time of a delivered event',
    rows,
    notes: [
      "Convoy's agent matches each event to its subscriptions. Partner Signals does this when it commits an event; the benchmark skips that step.",
    ],
    chart: { label: 'sender', value: 'CPU, ms', better: 'lower' },
  };
}

function ours(bench: Bench): Sender {
  let storing = 0;
  return {
    name: 'Partner Signals',
    async send(events, begin) {
      begin();
      const before = process.cpuUsage();
      const committedAt = await commitAll(bench, events);
      const { user, system } = process.cpuUsage(before);
      storing += (user + system) / 1e6;
      return committedAt;
    },
    cpu: () => cpuSeconds([bench.installation.pid]) + storing,
  };
}

async function measure(
  bench: Bench,
  senders: Sender[],
  targets: Event['target'][],
  quick: boolean,
): Promise<Section['rows']> {
  const rounds = quick ? 1 : 3;
  const pile = quick ? 1_000 : 3_000;
  const singles = quick ? 5 : 10;
  const { postgresSeconds } = bench.installation;
  const found = senders.map(() => ({ ms: 0, sender: 0, postgres: 0, latencies: [] as number[] }));
  for (let round = 0; round <= rounds; round++) {
    // Without statistics of its new tables, PostgreSQL takes twice the time for Convoy.
    if (round === 1) await bench.pool.query('vacuum analyze');
    for (const [index, { send, cpu }] of senders.entries()) {
      const sum = found[index] as (typeof found)[number];
      let before = { sender: 0, postgres: 0 };
      const begin = () => {
        before = { sender: cpu(), postgres: postgresSeconds() };
      };
      const ms = await arrive(bench, makeEvents(pile, targets), (events) => send(events, begin));
      await delay(1_000);
      if (round === 0) continue; // warms up
      sum.ms += ms;
      sum.sender += cpu() - before.sender;
      sum.postgres += postgresSeconds() - before.postgres;
      for (const event of makeEvents(singles, targets)) {
        await delay(Math.random() * 1_500); // to hit any point of Convoy's polling interval
        sum.latencies.push(await arrive(bench, [event], (events) => send(events, () => {})));
      }
    }
  }
  const events = pile * rounds;
  return senders.map(({ name }, index) => {
    const sum = found[index] as (typeof found)[number];
    const latencies = sum.latencies.sort((a, b) => a - b);
    return {
      sender: `${name}, ${count(targets.length)}`,
      'events/s': events / (sum.ms / 1_000),
      'sender, CPU ms': (sum.sender * 1_000) / events,
      'PostgreSQL, CPU ms': (sum.postgres * 1_000) / events,
      'CPU, ms': ((sum.sender + sum.postgres) * 1_000) / events,
      'p50, ms': latencies[Math.floor(latencies.length / 2)] ?? Number.NaN,
    };
  });
}

function count(receivers: number): string {
  return `${receivers} receiver${receivers === 1 ? '' : 's'}`;
}
