import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ServerUser } from '../../src/store/db/embedded/process.ts';

export type Child = {
  name: string;
  pid: number;
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
  output(): string;
};

type Start = {
  name: string;
  file: string;
  args: string[];
  /** Its output goes to <dir>/log/<name>.log. */
  dir: string;
  env?: Record<string, string>;
  user?: ServerUser;
  /** The signal that ends it together with its children; SIGKILL would leave those of PostgreSQL running. */
  lastSignal?: NodeJS.Signals;
};

const running = new Map<ChildProcess, { ended: Promise<unknown>; lastSignal: NodeJS.Signals }>();
let ending = false;

/** In a separate session, so that Ctrl-C reaches only this process, which ends everything in order. */
export async function startChild({
  name,
  file,
  args,
  dir,
  env,
  user,
  lastSignal = 'SIGKILL',
}: Start): Promise<Child> {
  // A child started during the shutdown would be left running; its caller ends too.
  if (ending) return new Promise(() => {});
  await mkdir(join(dir, 'log'), { recursive: true });
  const log = createWriteStream(join(dir, 'log', `${name}.log`), { flags: 'a' });
  const child = spawn(file, args, {
    ...user,
    cwd: dir,
    detached: true,
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
      log.write(chunk);
    });
  }
  const ended = new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? code ?? ''));
  });
  running.set(child, { ended, lastSignal });
  void ended.then(() => running.delete(child));
  // Its own children may write for another moment.
  child.once('close', () => log.end());
  if (child.pid === undefined) throw new Error(`${file} could not be started: ${await ended}`);
  return { name, pid: child.pid, ended, kill: (signal) => void child.kill(signal), output: () => output };
}

/** Signals all children before it returns, so that an `exit` handler can call it; resolves when they have ended. */
export async function endAllChildren(): Promise<void> {
  ending = true;
  const all = [...running];
  for (const [child, { lastSignal }] of all) {
    child.kill('SIGCONT');
    child.kill(lastSignal);
  }
  await Promise.all(all.map(([, { ended }]) => ended));
}

/** Runs a program until it ends; throws its output if it fails. */
export async function runToEnd(start: Start): Promise<void> {
  const child = await startChild(start);
  const code = await child.ended;
  if (code !== 0) throw new Error(`${start.name} ended with ${code}:\n${child.output()}`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Polls until `ask` returns true; an error counts as false. */
export async function until(what: string, seconds: number, ask: () => unknown): Promise<void> {
  const giveUpAt = performance.now() + seconds * 1_000;
  for (let reason = ''; ; ) {
    try {
      if (await ask()) return;
    } catch (error) {
      reason = `: ${error instanceof Error ? error.message : error}`;
    }
    if (performance.now() > giveUpAt) throw new Error(`${what} took more than ${seconds} seconds${reason}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
