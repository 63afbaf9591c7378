import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { attributionCommand } from './attribution.ts';
import { auditCommand } from './audit.ts';
import { completionCommand } from './completion.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { eventsCommand } from './events.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { explain } from './failure.ts';
import { importCommand } from './import.ts';
import { keyCommand } from './key.ts';
import { migrateCommand } from './migrate.ts';
import { orgCommand } from './org.ts';
import { endWithOutput, note } from './output.ts';
import { partnersCommand } from './partners.ts';
import { serveCommand } from './serve.ts';
import { signalsCommand } from './signals.ts';
import { webhooksCommand } from './webhooks.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const program = new Command('partner-signals')
  .description('Partner Signals from the command line.')
  .version(version)
  .commandsGroup('Run the service:')
  .addCommand(serveCommand())
  .addCommand(migrateCommand())
  .addCommand(doctorCommand())
  .commandsGroup('Operate it:')
  .addCommand(orgCommand())
  .addCommand(keyCommand())
  .addCommand(auditCommand())
  .addCommand(demoCommand())
  .commandsGroup('Use it:')
  .addCommand(importCommand())
  .addCommand(signalsCommand())
  .addCommand(partnersCommand())
  .addCommand(attributionCommand())
  .addCommand(webhooksCommand())
  .addCommand(eventsCommand())
  .commandsGroup('This program:')
  .addCommand(completionCommand())
  .helpCommand('help [command]', 'Say more about a command.')
  .addHelpText(
    'after',
    `
Examples:
  partner-signals signals list --state new
  partner-signals signals list --all --json | jq -r .account.name
  partner-signals webhooks listen
  partner-signals doctor

On a machine where the service runs on its own folder (--data-dir), its address, its authority and its keys are found by
themselves. Elsewhere: PARTNER_SIGNALS_URL, PARTNER_SIGNALS_KEY, PARTNER_SIGNALS_CA, OPERATOR_KEY, or the options.
Results go to standard output, all else to standard error. With --json a single thing is one JSON document, and a list
is NDJSON, one document a line.
${exitCodesHelp}`,
  );

endWithOutput();
// As for the service: a variable that is set to nothing is not set.
for (const name of Object.keys(process.env)) if (process.env[name] === '') delete process.env[name];
try {
  throwInsteadOfExiting(program);
  await program.parseAsync();
} catch (error) {
  const { lines, exitCode } = explain(error);
  for (const line of lines) note(line);
  process.exitCode = exitCode;
}

/** The parser's own end of the process would cut off what is still being written, and knows one code only. */
function throwInsteadOfExiting(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) throwInsteadOfExiting(child);
}
