import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The message is one line for the operator: what is wrong, and what to do. */
export class EmbeddedPostgresError extends Error {}

/** The user that PostgreSQL's programs run as; absent: the one that we run as. */
export type ServerUser = { uid: number; gid: number } | undefined;

export type Program = {
  process: ChildProcess;
  ended: Promise<{ ok: boolean; why: string }>;
  /** Why it may have ended, as one line: the disk that was full, or else the end of what it wrote to its standard error. */
  lastWords(): string;
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
  // However this process ends, by a shutdown that hangs or by an error nobody caught, the program does not outlive it.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const lines: string[] = [];
  let fullDisk: string | undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line.trim());
    if (lines.length > 6) lines.shift();
    // Other lines follow it, enough of them to push it out.
    fullDisk ??= /^(?:PANIC|FATAL): +(.*No space left on device.*)/.exec(line)?.[1];
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
  const lastLines = () => lines.join(' | ');
  return {
    process: child,
    ended,
    lastLines,
    lastWords: () =>
      fullDisk
        ? `The disk is full: ${fullDisk}. Free some space and start again`
        : `Last lines of its log: ${lastLines()}`,
  };
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
