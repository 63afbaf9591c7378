// How does a sender of webhooks that others would run fare with the same events, receivers and PostgreSQL? Convoy keeps events
// in PostgreSQL and a queue in Redis. Measured are
//   rate     events a second, from the acceptance of a pile of them to the arrival of the last
//   CPU      of an event, from before it is stored until a second after the last has arrived: in the sender, in PostgreSQL
//            and, for Convoy, in Redis. What takes events from outside does not count: here it is the benchmark, there an API
//   latency  milliseconds from the acceptance of one event to its arrival, while nothing else is sent
// in rounds that alternate. Convoy is built from its source into bench/peers/node_modules, which takes git, go and redis-server.
import { setTimeout as delay } from 'node:timers/promises';
import { cpuSeconds, familyOf } from './cpu.ts';
import { installConvoy, startConvoy } from './peers/convoy.ts';
import { postmasterOf } from './reads.ts';
import type { Say, Section } from './section.ts';
import {
  arrive,
  type Bench,
  commitAll,
  type Event,
  makeEvents,
  openBench,
  type Send,
  subscribe,
} from './webhooks.ts';

type Sender = { name: string; send: Send; cpu: () => number };

export async function measureSenders(quick: boolean, say: Say): Promise<Section> {
  await installConvoy(say);
  const bench = await openBench();
  const { pid } = bench.installation;
  const rows: Section['rows'] = [];
  try {
    say('starting Convoy');
    const convoy = await startConvoy(bench);
    const senders = [
      {
        name: 'Partner Signals',
        send: (events: Event[]) => commitAll(bench, events),
        cpu: () => cpuSeconds([pid]),
      },
      { name: 'Convoy', ...convoy },
    ];
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
      'Which webhooks an event goes to is decided by the agent in Convoy, and by what commits the event in Partner Signals; in the benchmark it is known.',
    ],
    chart: { label: 'sender', value: 'CPU, ms' },
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
  const postgres = () => cpuSeconds(familyOf(postmasterOf(bench.installation)));
  const found = senders.map(() => ({ ms: 0, sender: 0, postgres: 0, latencies: [] as number[] }));
  for (let round = 0; round <= rounds; round++) {
    // Without statistics of its new tables, PostgreSQL takes twice the time for Convoy.
    if (round === 1) await bench.pool.query('vacuum analyze');
    for (const [index, { send, cpu }] of senders.entries()) {
      const sum = found[index] as (typeof found)[number];
      const before = { sender: cpu(), postgres: postgres() };
      const ms = await arrive(bench, makeEvents(pile, targets), send);
      await delay(1_000);
      if (round === 0) continue; // warms up
      sum.ms += ms;
      sum.sender += cpu() - before.sender;
      sum.postgres += postgres() - before.postgres;
      for (const event of makeEvents(singles, targets))
        sum.latencies.push(await arrive(bench, [event], send));
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
