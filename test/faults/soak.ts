import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { type Installation, operatorKey } from './installation.ts';
import type { Load } from './load.ts';
import { summarize } from './phase.ts';
import { failures, say } from './report.ts';
import type { ServiceProcess } from './service-process.ts';

/** At first, caches, compiled code and pools fill up. */
const warmUpMinutes = 5;
/** The most that the heap may grow after the warm-up, by linear regression. */
const mostHeapGrowth = 0.1;
/** How much the highest resident size of the last quarter may exceed the highest before: it moves between plateaus. */
const mostPeakGrowth = 0.05;
/** Samples per minute, of which the lowest counts: between two garbage collections a heap only grows. */
const looksPerMinute = 12;

type Minute = { rss: number; heap: number };

/** Runs the load without faults, and records memory every minute. Returns why it is not flat. */
export async function soak(installation: Installation, load: Load, minutes: number): Promise<string[]> {
  const agent = new Agent({ ca: installation.ca });
  const series = new Map<ServiceProcess, Minute[]>(installation.processes.map((service) => [service, []]));
  say(`Memory in MiB, resident (JavaScript heap in use), each minute for ${minutes} minutes`);
  for (let minute = 1; minute <= minutes; minute++) {
    const lowest = new Map<ServiceProcess, Minute>();
    for (let look = 0; look < looksPerMinute; look++) {
      await delay(60_000 / looksPerMinute);
      for (const service of series.keys()) {
        const { rss, heap } = await memory(service, agent);
        const known = lowest.get(service) ?? { rss, heap };
        lowest.set(service, { rss: Math.min(rss, known.rss), heap: Math.min(heap, known.heap) });
      }
    }
    for (const [service, at] of lowest) series.get(service)?.push(at);
    const cells = [...lowest].map(
      ([{ name }, { rss, heap }]) => `${name} ${rss.toFixed(0)} (${heap.toFixed(0)})`,
    );
    say(`${String(minute).padStart(4)}  ${cells.join('  ')}  requests ${load.sent.length}`);
  }
  agent.destroy();
  const { failed, longestMs } = summarize(load.sent);
  say(`longest request ${(longestMs / 1_000).toFixed(1)} s, failed ${failures(failed)}`);
  for (const { at, what, ms, failure } of load.sent)
    if (failure) say(`  second ${(at / 1_000).toFixed(0)}: ${what}: ${failure} after ${ms.toFixed(0)} ms`);
  const growing = [...series].flatMap(([{ name }, all]) => {
    const heap = growthOf(all.slice(warmUpMinutes).map((minute) => minute.heap));
    const rss = peakGrowthOf(all.map((minute) => minute.rss));
    const percent = (growth: number) => `${(growth * 100).toFixed(1)} %`;
    say(
      `${name}: heap ${percent(heap)} from minute ${warmUpMinutes + 1} to ${minutes}; peak of the resident size ${percent(rss)} in the last quarter`,
    );
    return [
      ...(heap > mostHeapGrowth ? [`${name}: the heap has grown by ${percent(heap)}`] : []),
      ...(rss > mostPeakGrowth ? [`${name}: the resident size has grown by ${percent(rss)}`] : []),
    ];
  });
  const died = installation.processes.flatMap((service) => service.died.splice(0));
  return [
    ...growing,
    ...(failed.size > 0 ? [`requests failed without a fault: ${failures(failed)}`] : []),
    ...died.map(({ name, how, lastWords }) => `${name} ended with ${how}:\n${lastWords}`),
  ];
}

/** The growth of the regression line, relative to its start. */
function growthOf(values: number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let rise = 0;
  let spread = 0;
  for (const [index, value] of values.entries()) {
    rise += (index - middle) * (value - mean);
    spread += (index - middle) ** 2;
  }
  const slope = rise / spread;
  return (slope * 2 * middle) / (mean - slope * middle);
}

/** How much the highest of the last quarter exceeds the highest before it. */
function peakGrowthOf(values: number[]): number {
  const until = Math.ceil(values.length * 0.75);
  return Math.max(...values.slice(until)) / Math.max(...values.slice(0, until)) - 1;
}

/** In MiB. */
async function memory({ pid, port }: ServiceProcess, agent: Agent): Promise<Minute> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const rss = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
  const metrics = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${operatorKey}` };
    request(`https://localhost:${port}/metrics`, { agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
  const heap = Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(metrics)?.[1]) / 1_048_576;
  return { rss, heap };
}
