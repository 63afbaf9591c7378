import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Checker } from './checker.ts';
import { endAllChildren } from './child.ts';
import { Client } from './client.ts';
import { Installation } from './installation.ts';
import { Load } from './load.ts';
import { type Options, readOptions } from './options.ts';
import { finish, type Row, runPhase } from './phase.ts';
import { findPrograms, type Programs } from './programs.ts';
import { unnoticedLosses } from './proof.ts';
import { progress, say, table } from './report.ts';
import { soak } from './soak.ts';

const options = readOptions();
const programs = findPrograms(options.citus);
if ('missing' in programs) {
  const install = `apt-get install --no-install-recommends ${programs.missing.join(' ')}`;
  say(
    `${process.env.CI ? 'FAILED' : 'SKIPPED'}: the fault tests need more servers; install them with: ${install}`,
  );
  process.exit(process.env.CI ? 1 : 0);
}

const dir = mkdtempSync(join(tmpdir(), 'ps-faults-'));
// However this process ends, it ends everything that it has started.
process.on('exit', endAllChildren);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => leave(130));
try {
  const problems = await run(programs, options);
  for (const problem of problems) say(`FAILED: ${problem}`);
  say(problems.length === 0 ? 'All as it should be.' : `${problems.length} problems.`);
  await leave(problems.length === 0 ? 0 : 1);
} catch (error) {
  say(`FAILED: ${error instanceof Error ? error.stack : error}`);
  await leave(1);
}

async function leave(code: number): Promise<void> {
  await endAllChildren();
  if (options.keep) say(`Logs and settings are in ${dir}`);
  else rmSync(dir, { recursive: true, force: true });
  process.exit(code);
}

async function run(programs: Programs, options: Options): Promise<string[]> {
  const database = options.citus ? 'a Citus cluster of three nodes' : 'PostgreSQL and a replica';
  say(`Starting ${database}, PgBouncer, Redis, two API processes, a worker and HAProxy …`);
  const installation = await Installation.start(programs, dir, options.citus);
  const load = await Load.prepare(new Client(installation.url, installation.ca), installation);
  const checker = new Checker(installation, load);
  say(
    `${load.organizations.length} organizations send ${load.perSecond.toFixed(0)} requests a second, and read their feeds`,
  );
  load.start();
  await delay(2_000);
  if (options.soakMinutes > 0) {
    const growing = await soak(installation, load, options.soakMinutes);
    return [...growing, ...(await finish({ installation, load, checker })).problems];
  }
  const rows: Row[] = [];
  for (const fault of options.faults) {
    say(`${fault.name}: ${fault.title} …`);
    const row = await runPhase(fault, { installation, load, checker, quick: options.quick });
    rows.push(row);
    say(progress(row));
  }
  say('shutdown: the last deliveries, then every process ended (SIGTERM) …');
  rows.push(await finish({ installation, load, checker }));
  say(`\n${table(rows)}\n`);
  say('the checker: one thing of each kind lost on purpose …');
  const unnoticed = await unnoticedLosses(installation, load, checker);
  return [
    ...rows.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`)),
    ...unnoticed,
  ];
}
