import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { accountsCommand, opportunitiesCommand } from './accounts.ts';
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
import { matchesCommand } from './matches.ts';
import { mcpCommand } from './mcp.ts';
import { migrateCommand } from './migrate.ts';
import { orgCommand } from './org.ts';
import { endWithOutput, note } from './output.ts';
import { partnersCommand } from './partners.ts';
import { serveCommand } from './serve.ts';
import { settingsCommand } from './settings.ts';
import { signalsCommand } from './signals.ts';
import { webhooksCommand } from './webhooks.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const program = new Command('partner-signals')
  .description('The command line of Partner Signals.')
  .version(version)
  .commandsGroup('Run the service:')
  .addCommand(serveCommand())
  .addCommand(migrateCommand())
  .addCommand(doctorCommand())
  .commandsGroup('Operate the service:')
  .addCommand(orgCommand())
  .addCommand(keyCommand())
  .addCommand(auditCommand())
  .addCommand(demoCommand())
  .commandsGroup('Work with your data:')
  .addCommand(importCommand())
  .addCommand(signalsCommand())
  .addCommand(partnersCommand())
  .addCommand(accountsCommand())
  .addCommand(opportunitiesCommand())
  .addCommand(matchesCommand())
  .addCommand(attributionCommand())
  .addCommand(settingsCommand())
  .addCommand(webhooksCommand())
  .addCommand(eventsCommand())
  .addCommand(mcpCommand())
  .commandsGroup('Shell:')
  .addCommand(completionCommand())
  .helpCommand('help [command]', 'Show help for a command.')
  .addHelpText(
    'after',
    `
Examples:
  partner-signals signals list --state new
  partner-signals signals list --all --json | jq -r .account.name
  partner-signals webhooks listen
  partner-signals doctor

If the service runs on this machine and keeps its data in --data-dir, its URL, CA certificate and keys are detected
automatically. Otherwise set PARTNER_SIGNALS_URL, PARTNER_SIGNALS_KEY, PARTNER_SIGNALS_CA and OPERATOR_KEY, or use the
options. Results go to standard output, everything else to standard error. With --json, a single record is one JSON
document, and a list is NDJSON: one document per line.
${exitCodesHelp}`,
  );

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
