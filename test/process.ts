import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { caller, type TestService } from './harness.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export type ServiceProcess = {
  child: ChildProcess;
  url: string;
  output(): string;
  /** The lines of its log at `warn` and above. */
  complaints(): { level: number; msg: string; [field: string]: unknown }[];
  call: TestService['call'];
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | string>;
};

/** The built service as a separate process. Resolves when it listens; rejects with its output if it ends before. */
export async function spawnService(
  env: Record<string, string>,
  caFile = join(env.DATA_DIR ?? '', 'tls/ca.pem'),
): Promise<ServiceProcess> {
  const child = spawnMain(env);
  let output = '';
  const listening = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk;
        const url = /"url":"([^"]+)","msg":"listening"/.exec(output)?.[1];
        if (url) resolve(url);
      });
    }
    child.once('close', () => reject(new Error(output)));
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? ''));
  });
  const url = await listening;
  const ca = await readFile(caFile, 'utf8');
  const complaints = () =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{"level":') && line.endsWith('}'))
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level >= 40);
  return { child, url, output: () => output, complaints, call: caller(url, ca), ended };
}

/** The output and exit code of a start that must fail. */
export async function failedStart(
  env: Record<string, string>,
  onSpawn: (child: ChildProcess) => void = () => {},
): Promise<{ code: number | null; output: string }> {
  const child = spawnMain(env);
  onSpawn(child);
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

function spawnMain(env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A failed test leaves nothing running.
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('close', () => process.off('exit', end));
  return child;
}
