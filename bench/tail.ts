// How much longer than usual do the slowest pages take? Sends requests at half of the service's highest rate, whether or not
// earlier ones are answered, in rounds that alternate with a bare server at the same rate.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, openConnection } from './connection.ts';
import type { Installation } from './installation.ts';

const connections = 32;
/** The most ticks per round, which takes about two seconds. */
const mostStolen = 2;

/** The keys alternate, so that no organization reaches its limit, 300 requests per minute. */
export async function measureTail(
  { url, ca }: Installation,
  path: string,
  keys: string[],
  bareUrl: string,
  quick: boolean,
): Promise<string> {
  const own = await openAll(url, ca);
  const bare = await openAll(bareUrl, ca);
  let turn = 0;
  const ask = (connection: Connection) => connection.get(path, keys[turn++ % keys.length]);
  const askBare = (connection: Connection) => connection.get('/');
  try {
    const perSecond = Math.round((await topRate(own, quick ? 500 : 2_000, ask)) / 2);
    const rounds = Math.min(quick ? 4 : 20, Math.floor((keys.length * 250) / perSecond));
    const times = { own: [] as number[], bare: [] as number[] };
    let quiet = 0;
    for (let round = 0; round < rounds; round++) {
      const before = stolenTicks();
      const bareTimes = await timesOf(bare, perSecond, askBare);
      const ownTimes = await timesOf(own, perSecond, ask);
      if (stolenTicks() - before > mostStolen) continue;
      quiet++;
      times.bare.push(...bareTimes);
      times.own.push(...ownTimes);
    }
    if (quiet === 0) return 'The machine was too busy with others to tell how long the slowest pages take.';
    return `${path} at half of its top rate, ${perSecond} requests a second, in the ${quiet} of ${rounds} rounds in which the machine was quiet: ${described(times.own)}. The bare server at the same rate: ${described(times.bare)}.`;
  } finally {
    for (const connection of [...own, ...bare]) connection.close();
  }
}

/** CPU steal: hundredths of a second, over all processors, that the host gave to others. */
function stolenTicks(): number {
  return Number(/^cpu +(?:\d+ ){7}(\d+)/.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
}

function openAll(url: string, ca: string): Promise<Connection[]> {
  return Promise.all(Array.from({ length: connections }, () => openConnection(url, ca)));
}

type Ask = (connection: Connection) => Promise<void>;

/** Requests per second of eight closed loops. */
async function topRate(all: Connection[], requests: number, ask: Ask): Promise<number> {
  let left = requests;
  const begun = performance.now();
  await Promise.all(
    all.slice(0, 8).map(async (connection) => {
      while (left-- > 0) await ask(connection);
    }),
  );
  return (requests * 1_000) / (performance.now() - begun);
}

/** Milliseconds of each request of one second. */
async function timesOf(all: Connection[], perSecond: number, ask: Ask): Promise<Float64Array> {
  const free = [...all];
  const times = new Float64Array(perSecond);
  const start = performance.now();
  let open = 0;
  let failure: unknown;
  for (let i = 0; i < perSecond && !failure; i++) {
    const earlyMs = start + (i * 1_000) / perSecond - performance.now();
    if (earlyMs > 0) await delay(earlyMs);
    const due = performance.now();
    // Waiting for a connection is waiting for the server.
    while (free.length === 0 && !failure) await delay(1);
    // In rotation, so that none is idle until the server closes it.
    const connection = free.shift();
    if (!connection) break; // a request has failed
    open++;
    ask(connection)
      .then(() => {
        times[i] = performance.now() - due;
        free.push(connection);
      })
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => open--);
  }
  while (open > 0) await delay(1);
  if (failure) throw failure;
  return times;
}

function described(times: number[]): string {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] as number;
  const [p50, p99] = [at(0.5), at(0.99)];
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${(p99 / p50).toFixed(1)} times as long`;
}
