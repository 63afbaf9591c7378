// Runs the tests on the Citus cluster in CITUS_URL, or on one that the script in CITUS_CLUSTER starts here.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, run } from './prepare.mjs';

const { CITUS_URL, CITUS_CLUSTER } = process.env;
if (!CITUS_URL && !CITUS_CLUSTER) {
  console.error(`Set one of these and try again:
  CITUS_URL      the coordinator of a Citus cluster, as a superuser, e.g. postgresql://postgres@127.0.0.1:9701/postgres
  CITUS_CLUSTER  a script that starts one: "up DIR PORT" prints its URL, "down DIR" stops it`);
  process.exit(2);
}
await prepare();
const dir = mkdtempSync(join(tmpdir(), 'ps-citus-'));
chmodSync(dir, 0o755); // the servers run as another user
const cluster = join(dir, 'cluster');
const stop = () => {
  if (!CITUS_URL) execFileSync(CITUS_CLUSTER, ['down', cluster], { stdio: ['ignore', 'ignore', 'inherit'] });
  rmSync(dir, { recursive: true, force: true });
};
process.on('exit', stop);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
process.env.CITUS_URL = CITUS_URL || start();
const filters = process.argv.slice(2);
run('vitest', 'vitest', ['run', '--project=citus', ...filters]);
if (!CITUS_URL && filters.length === 0) {
  // The fault tests start their own cluster, with the PostgreSQL that the script has built.
  const faults = fileURLToPath(new URL('test-faults.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [faults, '--citus', '--quick'], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

function start() {
  console.error('Starting a Citus cluster (the first time on a machine, this builds Citus) …');
  const header = join(dir, 'postgres-15.h');
  // PostgreSQL 15.14 and later declare a function that Citus 13.2 also defines, so it is renamed in Citus.
  writeFileSync(
    header,
    `#include "postgres.h"
#include "commands/dbcommands.h"
#define have_createdb_privilege citus_have_createdb_privilege
`,
  );
  const env = { ...process.env, COPT: `-include ${header}`, MAKEFLAGS: 'with_llvm=no' };
  const stdio = ['ignore', 'pipe', 'inherit'];
  try {
    return execFileSync(CITUS_CLUSTER, ['up', cluster, '9731'], { env, stdio, encoding: 'utf8' }).trim();
  } catch {
    console.error('The cluster did not start; the lines above say why.');
    process.exit(1);
  }
}
