import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The message is one line for the operator: what is wrong, and what to do. */
export class EmbeddedPostgresError extends Error {}

/** The user that PostgreSQL's programs run as; absent: the one that we run as. */
export type ServerUser = { uid: number; gid: number } | undefined;

export type Program = {
  process: ChildProcess;
  ended: Promise<{ ok: boolean; why: string }>;
  /** The end of what it wrote to its standard error, as one line. */
  lastLines(): string;
};

/**
 * Starts one of PostgreSQL's programs in a session of its own, so that Ctrl-C in our terminal does not reach
 * it, and with none of our environment: PGDATA, PGOPTIONS or LD_LIBRARY_PATH would misdirect it.
 */
export function runProgram(
  file: string,
  args: string[],
  { user, cwd, log }: { user: ServerUser; cwd: string; log: (line: string) => void },
): Program {
  const child = spawn(file, args, {
    ...user,
    cwd,
    detached: true,
    // initdb runs postgres through the shell; LC_ALL keeps the messages that we look for in English.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    // PostgreSQL ignores SIGPIPE, so that the server outlives the reader of its standard error.
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line.trim());
    if (lines.length > 6) lines.shift();
    log(line);
  });
  const ended = new Promise<{ ok: boolean; why: string }>((resolve) => {
    child.once('error', (error) => resolve({ ok: false, why: error.message }));
    child.once('exit', (code, signal) => {
      const end = { ok: code === 0, why: signal ?? `exit code ${code}` };
      // The last lines come before 'close', which waits for every process that holds the pipe: after a
      // kill -9 of the server those are its backends, and a busy one takes its time.
      child.once('close', () => resolve(end));
      setTimeout(() => resolve(end), 1_000).unref();
    });
  });
  return { process: child, ended, lastLines: () => lines.join(' | ') };
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
