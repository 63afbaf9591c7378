import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { caller, type TestService } from './harness.ts';
import { type MainProcess, startMain } from './main-process.ts';

export type ServiceProcess = Omit<MainProcess, 'listening'> & {
  url: string;
  /** The lines of its log at `warn` and above. */
  complaints(): { level: number; msg: string; [field: string]: unknown }[];
  call: TestService['call'];
};

/** The built service as a separate process. Resolves when it listens; rejects with its output if it ends before. */
export async function spawnService(
  env: Record<string, string>,
  caFile = join(env.DATA_DIR ?? '', 'tls/ca.pem'),
): Promise<ServiceProcess> {
  const { listening, ...started } = startMain(env);
  const url = await listening;
  const ca = await readFile(caFile, 'utf8');
  const complaints = () =>
    started
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{"level":') && line.endsWith('}'))
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level >= 40);
  return { ...started, url, complaints, call: caller(url, ca) };
}

/** The output of a start that must fail, and its exit code or the signal that ended it. */
export async function failedStart(
  env: Record<string, string>,
  onSpawn: (child: ChildProcess) => void = () => {},
): Promise<{ code: number | string; output: string }> {
  const { child, ended, output } = startMain(env);
  onSpawn(child);
  return { code: await ended, output: output() };
}
