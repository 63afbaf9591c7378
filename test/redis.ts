import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type RunningRedis = { url: string; port: number; pid: number; stop(): Promise<void> };

const binary = ['redis-server', 'valkey-server'].find((name) => !spawnSync(name, ['--version']).error);

/** True if no server is installed, with a warning. Never true in CI, so that the tests fail there instead. */
export const skipRedis = !binary && !process.env.CI;
if (skipRedis)
  process.stderr.write('SKIPPED: Redis tests, since neither redis-server nor valkey-server is installed\n');

/** A real server on loopback without persistence. `port` restarts one at the same port; `stop` kills it. */
export async function startRedis({ port = 0, args = [] as string[] } = {}): Promise<RunningRedis> {
  if (!binary) throw new Error('neither redis-server nor valkey-server is installed');
  const chosen = port || (await freePort());
  const dir = await mkdtemp(join(tmpdir(), 'partner-signals-redis-'));
  const settings = ['--bind', '127.0.0.1', '--port', String(chosen), '--save', '', '--dir', dir, ...args];
  const child = spawn(binary, settings, { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);

  async function stop(): Promise<void> {
    process.off('exit', kill);
    if (kill()) await once(child, 'exit');
    await rm(dir, { recursive: true, force: true });
  }

  try {
    const pid = await ready(child);
    return { url: `redis://127.0.0.1:${chosen}`, port: chosen, pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function ready(child: ChildProcess): Promise<number> {
  if (!child.stdout || !child.pid) throw new Error('redis-server did not start');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('Ready to accept connections')) {
      child.stdout.resume();
      return child.pid;
    }
  }
  throw new Error(`redis-server ended before it was ready:\n${lines.join('\n')}`);
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (!address || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
