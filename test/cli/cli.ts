import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operatorKey, type TestService } from '../harness.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

type Ended = { code: number | string; stdout: string; stderr: string };
type RunOptions = { env?: Record<string, string>; input?: string };
export type Cli = {
  dir: string;
  env: Record<string, string>;
  /** For a shell. */
  commandLine(args: string[]): string;
  /** Runs the built command line as its own process until it ends. */
  run(args: string[], options?: RunOptions): Promise<Ended>;
  /** The same, for a command that runs until it is stopped. */
  start(args: string[], options?: RunOptions): Running;
  /** The single JSON document that a command prints. */
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it should be
  json(args: string[]): Promise<any>;
  close(): Promise<void>;
};
export type Running = { child: ChildProcess; stdout(): string; stderr(): string; ended: Promise<Ended> };

/** A command line in its own folder, without any other environment. */
export async function createCli(env: Record<string, string> = {}): Promise<Cli> {
  const dir = await mkdtemp(join(tmpdir(), 'ps-cli-'));
  const base = { PATH: process.env.PATH ?? '', HOME: dir, DATA_DIR: join(dir, 'data'), ...env };
  const start: Cli['start'] = (args, options) => spawnNode([main, ...args], dir, base, options);
  return {
    dir,
    env: base,
    commandLine: (args) => [process.execPath, main, ...args].map((part) => `'${part}'`).join(' '),
    start,
    run: (args, options) => start(args, options).ended,
    async json(args) {
      const { code, stdout, stderr } = await start([...args, '--json']).ended;
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    close: () => rm(dir, { recursive: true, force: true }),
  };
}

/** A command line that finds the service and its keys in its environment. */
export async function cliFor(service: TestService, key?: string): Promise<Cli> {
  const cli = await createCli({
    PARTNER_SIGNALS_URL: service.url,
    // In its own folder, where the command runs.
    PARTNER_SIGNALS_CA: 'ca.pem',
    OPERATOR_KEY: operatorKey,
    ...(key ? { PARTNER_SIGNALS_KEY: key } : {}),
  });
  await writeFile(join(cli.dir, 'ca.pem'), service.ca);
  return cli;
}

export function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

export function spawnNode(
  args: string[],
  cwd: string,
  env: Record<string, string>,
  { env: more = {}, input = '' }: RunOptions = {},
): Running {
  const child = spawn(process.execPath, args, { cwd, env: { ...env, ...more }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {}).end(input);
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code: code ?? signal ?? '', stdout, stderr }));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}
