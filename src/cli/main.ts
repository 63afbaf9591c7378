import type { Command } from 'commander';
import { program } from './program.ts';
import { explain } from './terminal/failure.ts';
import { endWithOutput, note } from './terminal/output.ts';

endWithOutput();
// As in the service, an empty variable counts as not set.
for (const name of Object.keys(process.env)) if (process.env[name] === '') delete process.env[name];
try {
  throwInsteadOfExiting(program);
  await program.parseAsync();
} catch (error) {
  const { lines, exitCode } = explain(error);
  for (const line of lines) note(line);
  process.exitCode = exitCode;
}

/** If the parser ended the process itself, it could cut off output, and it knows only one exit code. */
function throwInsteadOfExiting(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) throwInsteadOfExiting(child);
}
