import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export type Block = { line: number; background: boolean; text: string };

/**
 * The commands of a guide: its fenced `sh` blocks, except those that show a file. A block marked `background` keeps
 * running while the next ones run.
 */
export async function commandsOf(file: string): Promise<Block[]> {
  const source = await readFile(file, 'utf8');
  return [...source.matchAll(/^```sh( background)?\n(?!#!)([\s\S]*?)^```$/gm)].map((match) => ({
    line: source.slice(0, match.index).split('\n').length + 1,
    background: match[1] !== undefined,
    text: match[2] ?? '',
  }));
}

export type Run = { code: number | null; output: string };

/**
 * Runs a guide in one shell, like a reader who types it in: in a folder that looks like a clone, on a free port instead
 * of 8443. Waits until background commands say that they are listening, and stops them at the end.
 */
export async function runGuide(blocks: Block[], env: Record<string, string> = {}): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'ps-guide-'));
  const root = resolve('.');
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await symlink(join(root, 'bin/partner-signals.mjs'), join(folder, 'node_modules/.bin/partner-signals'));
  const scripts = {
    start: `node ${join(root, 'scripts/start.mjs')}`,
    demo: `node ${join(root, 'bin/partner-signals.mjs')} demo`,
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts }));
  const port = String(await freePort());
  const script = blocks.map((block, index) => stepOf(block, index)).join('\n');
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|VITEST|NODE_ENV|CI$)/i.test(name),
  );
  const child = spawn(
    'bash',
    ['-c', `${preamble}\n${script.replaceAll('localhost:8443', `localhost:${port}`)}`],
    {
      cwd: folder,
      // Its own process group, so that the whole guide can be stopped.
      detached: true,
      env: {
        ...Object.fromEntries(inherited),
        PORT: port,
        ...env,
      },
    },
  );
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  while (isAlive(-(child.pid ?? 0))) await delay(50);
  await rm(folder, { recursive: true, force: true });
  return { code, output };
}

const preamble = `
set -euo pipefail
trap 'trap "" TERM; kill -TERM 0; wait' EXIT
until_listening() {
  for _ in $(seq 3000); do
    if grep -qi listening "$1"; then return; fi
    if ! kill -0 $2 2>/dev/null; then cat "$1"; echo 'it ended unexpectedly'; exit 1; fi
    sleep 0.1
  done
  cat "$1"; echo 'it is not listening'; exit 1
}`;

function stepOf({ line, background, text }: Block, index: number): string {
  const mark = `echo '── line ${line}'`;
  if (!background) return `${mark}\n${text}`;
  return `${mark}\n( exec ${text.trim()} ) > background${index}.log 2>&1 &\nuntil_listening background${index}.log $!`;
}

function isAlive(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
