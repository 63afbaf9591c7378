import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Child, startChild, until } from '../../test/faults/child.ts';
import type { Say } from '../section.ts';

/** A server that reads pages of 25 signals. */
export type Reader = { name: string; pid: number; page(owner: Owner): Promise<string>; stop(): void };
export type Owner = { orgId: string; key: string };

export const run = promisify(execFile);
export const folder = fileURLToPath(new URL('npm', import.meta.url));
const modules = join(folder, 'node_modules');
const node = join(modules, 'node/bin/node');

/**
 * Works with any Node, because the packages bring their own. Skips install scripts, which compile drivers for other databases,
 * except the one that brings Node.
 */
export async function install(say: Say): Promise<void> {
  const wanted = await readFile(join(folder, 'package.json'), 'utf8');
  const stamp = join(modules, '.installed');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  say('installing PostGraphile and Directus into bench/peers/npm, a few minutes');
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--no-engine-strict', '--ignore-scripts'];
  await run('npm', ['install', ...flags], { cwd: folder });
  await run('npm', ['rebuild', 'node'], { cwd: folder });
  await writeFile(stamp, wanted);
}

/** How to start an installed program, with its output in `dir`. */
export function program(name: string, args: string[], dir: string, env: Record<string, string>) {
  const inProduction = { NODE_ENV: 'production', ...env };
  return { name, file: node, args: [join(modules, '.bin', name), ...args], dir, env: inProduction };
}

/** Throws the program's output if it ends before it responds. */
export async function startAnswering(
  start: Parameters<typeof startChild>[0],
  probe: () => Promise<unknown>,
): Promise<Child> {
  const child = await startChild(start);
  const ended = child.ended.then((code) => {
    throw new Error(`${child.name} ended with ${code}:\n${child.output()}`);
  });
  await Promise.race([ended, until(`The start of ${child.name}`, 60, probe)]);
  return child;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

export async function ask(
  url: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<string> {
  const sent = request(url, {
    agent,
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(30_000),
  });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  if (response.statusCode >= 300) throw new Error(`${url}: ${response.statusCode} ${text.slice(0, 500)}`);
  return text;
}
