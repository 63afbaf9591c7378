import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The built service. */
export const mainFile = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Where the service listens, once it has said so in its log. */
export function urlIn(output: string): string | undefined {
  return /"url":"([^"]+)","msg":"listening"/.exec(output)?.[1];
}

export type MainProcess = {
  child: ChildProcess;
  output(): string;
  /** Resolves when the service listens; rejects with what it printed if it ends before. */
  listening: Promise<string>;
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | string>;
};

/**
 * Starts the built service as a process of its own, as `npm start` does, on a free port. It ends with this process. Under load,
 * what it prints after its start can be too much to keep.
 */
export function startMain(env: Record<string, string>, { keepsOutput = true } = {}): MainProcess {
  const child = spawn(process.execPath, [mainFile], {
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      process.off('exit', end);
      resolve(code ?? signal ?? '');
    });
  });
  let output = '';
  const listening = new Promise<string>((resolve, reject) => {
    let url: string | undefined;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        if (!url || keepsOutput) output += chunk;
        if (url) return;
        url = urlIn(output);
        if (url) resolve(url);
      });
    void ended.then(() => reject(new Error(output)));
  });
  listening.catch(() => {}); // a start that must fail waits for its end alone
  return { child, output: () => output, listening, ended };
}
