export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  rowsRefused: 3,
  notFound: 4,
  keyRefused: 5,
  unreachable: 6,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodesHelp = `
Exit codes:
  0  success
  1  the service rejected the request, or something failed
  2  invalid command line
  3  some rows were refused (import)
  4  not found
  5  the key is invalid or lacks a scope
  6  the service cannot be reached`;

/** Ends the command with a message for the person who ran it. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(message, exitCodes.usage);
}
