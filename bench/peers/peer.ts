import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Say } from '../section.ts';

export const run = promisify(execFile);
const folder = fileURLToPath(new URL('npm', import.meta.url));
const modules = join(folder, 'node_modules');

/**
 * With any Node, since they bring theirs; without the packages' own scripts, which fetch and compile drivers of other databases,
 * except for the one that brings Node.
 */
export async function install(say: Say): Promise<void> {
  if (existsSync(join(modules, 'node/bin/node'))) return;
  say('installing PostGraphile and Directus into bench/peers/npm, a few minutes');
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--no-engine-strict', '--ignore-scripts'];
  await run('npm', ['install', ...flags], { cwd: folder });
  await run('npm', ['rebuild', 'node'], { cwd: folder });
}

/** What is installed here, with the newer Node that it needs. */
export function startProgram(name: string, args: string[], env: Record<string, string>): ChildProcess {
  return spawn(join(modules, 'node/bin/node'), [join(modules, '.bin', name), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

export async function ask(url: string, headers: Record<string, string>, body?: unknown): Promise<string> {
  const sent = request(url, {
    agent,
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...headers },
  });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  if (response.statusCode >= 300) throw new Error(`${url}: ${response.statusCode} ${text.slice(0, 500)}`);
  return text;
}

/** When the program answers there; throws when it ends first, or takes more than a minute. */
export async function answering(url: string, program: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (program.exitCode !== null) throw new Error(`The program behind ${url} ended before it listened.`);
    const answered = await ask(url, {}).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await delay(100);
  }
  throw new Error(`Nothing answers at ${url}.`);
}
