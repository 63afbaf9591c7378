import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The message is one line for the operator: what is wrong, and what to do. */
export class EmbeddedPostgresError extends Error {}

/** The user that runs PostgreSQL's programs; undefined for our own. */
export type ServerUser = { uid: number; gid: number } | undefined;

export type Program = {
  process: ChildProcess;
  ended: Promise<{ ok: boolean; why: string }>;
  /** Why it may have ended, as one line: a full disk, or else the end of its standard error. */
  lastWords(): string;
  /** The end of its standard error, as one line. */
  lastLines(): string;
};

/**
 * Starts one of PostgreSQL's programs in its own session, so that Ctrl-C in our terminal does not reach it, and without our
 * environment: PGDATA, PGOPTIONS or LD_LIBRARY_PATH would misdirect it.
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
    // initdb runs postgres through the shell; LC_ALL keeps the messages that we parse in English.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    // PostgreSQL ignores SIGPIPE, so the server survives the reader of its standard error.
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // However this process ends, by a shutdown that hangs or an uncaught error, the program does not outlive it.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const lines: string[] = [];
  let fullDisk: string | undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line.trim());
    if (lines.length > 6) lines.shift();
    // Many other lines may follow it.
    fullDisk ??= /^(?:PANIC|FATAL): +(.*No space left on device.*)/.exec(line)?.[1];
    log(line);
  });
  const ended = new Promise<{ ok: boolean; why: string }>((resolve) => {
    child.once('error', (error) => resolve({ ok: false, why: error.message }));
    child.once('exit', (code, signal) => {
      const end = { ok: code === 0, why: signal ?? `exit code ${code}` };
      // The last lines come before 'close', which waits for every process with the pipe: after a kill -9 of the server these
      // are its backends, and a busy one takes its time.
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
