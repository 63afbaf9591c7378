// How long does `npm start` take until the service listens, without install and build? Cold is an empty data directory, where
// the demo organization must be created; warm is the same directory again. The baseline, in alternating rounds, is PostgreSQL
// alone: creating its data directory and starting its server, which every start needs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../src/store/db/embedded/postgres.ts';
import { cpuSeconds, familyOf, residentMegabytes } from './cpu.ts';
import type { Say, Section } from './section.ts';

type Started = { seconds: number; cpu: number; nodeMb: number; postgresMb: number };

const script = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url));

export async function measureStart(quick: boolean, say: Say): Promise<Section> {
  const found = { cold: [] as Started[], warm: [] as Started[] };
  const alone = { cold: [] as number[], warm: [] as number[] };
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const dir = await mkdtemp(join(tmpdir(), 'bench-start-'));
    for (const kind of ['cold', 'warm'] as const) {
      found[kind].push(await startService(join(dir, 'service')));
      alone[kind].push(await startPostgres(join(dir, 'alone')));
    }
    await rm(dir, { recursive: true, force: true });
    say(`round ${round + 1} measured`);
  }
  const rows = (['cold', 'warm'] as const).map((kind) => {
    const ours = found[kind].sort((a, b) => a.seconds - b.seconds)[found[kind].length >> 1] as Started;
    const bare = alone[kind].sort((a, b) => a - b)[alone[kind].length >> 1] as number;
    return {
      start: kind === 'cold' ? 'cold, with demo data' : 'warm',
      'ready after, s': ours.seconds,
      'PostgreSQL alone, s': bare,
      'CPU, s': ours.cpu,
      'node, MB': ours.nodeMb,
      'PostgreSQL, MB': ours.postgresMb,
    };
  });
  return {
    name: 'start',
    title: 'Start and memory',
    rows,
    notes: ['The median of the rounds. Memory is that of the idle service, right after its start.'],
    chart: { label: 'start', value: 'ready after, s', better: 'lower' },
  };
}

async function startService(dataDir: string): Promise<Started> {
  const begunMs = performance.now();
  const { DATABASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, [script], {
    env: { ...env, PORT: '0', DATA_DIR: dataDir, DEMO: 'true', LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let output = '';
  const listening = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('"msg":"listening"')) resolve();
    });
  });
  await Promise.race([listening, exit]);
  const seconds = (performance.now() - begunMs) / 1_000;
  if (child.exitCode !== null) throw new Error(`the service did not start: ${output}`);
  const pid = child.pid as number;
  const family = familyOf(pid);
  const postgresMb = family.filter((one) => one !== pid).reduce((sum, one) => sum + ownMegabytes(one), 0);
  const started = { seconds, cpu: cpuSeconds(family), nodeMb: residentMegabytes(pid), postgresMb };
  child.kill('SIGTERM');
  await exit;
  return started;
}

async function startPostgres(dataDir: string): Promise<number> {
  const begunMs = performance.now();
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const seconds = (performance.now() - begunMs) / 1_000;
  await postgres.stop();
  return seconds;
}

/** Counts shared memory, such as PostgreSQL's buffers, once. */
function ownMegabytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]) / 1_024;
}
