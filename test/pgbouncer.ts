import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './redis.ts';

const missing = spawnSync('pgbouncer', ['--version']).error !== undefined;

/** True if it is not installed, with a warning. Never true in CI, so that the tests fail there instead. */
export const skipPgBouncer = missing && !process.env.CI;
if (skipPgBouncer) process.stderr.write('SKIPPED: PgBouncer tests, since pgbouncer is not installed\n');

/** A real PgBouncer in transaction mode, in front of a PostgreSQL on a loopback port. */
export async function startPgBouncer(databasePort: number): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'ps-bouncer-'));
  const file = join(dir, 'pgbouncer.ini');
  await chmod(dir, 0o755);
  await writeFile(
    file,
    `[databases]
* = host=127.0.0.1 port=${databasePort} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
`,
  );
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', [...user, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('process up')) break;
  child.stderr.resume();
  return {
    port,
    async stop() {
      process.off('exit', kill);
      if (kill()) await once(child, 'exit');
      await rm(dir, { recursive: true, force: true });
    },
  };
}
