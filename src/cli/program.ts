import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { accountsCommand, opportunitiesCommand } from './commands/accounts.ts';
import { attributionCommand } from './commands/attribution.ts';
import { auditCommand } from './commands/audit.ts';
import { completionCommand } from './commands/completion.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { eventsCommand } from './commands/events.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { matchesCommand } from './commands/matches.ts';
import { mcpCommand } from './commands/mcp.ts';
import { migrateCommand } from './commands/migrate.ts';
import { orgsCommand } from './commands/orgs.ts';
import { partnersCommand } from './commands/partners.ts';
import { serveCommand } from './commands/serve.ts';
import { settingsCommand } from './commands/settings.ts';
import { signalsCommand } from './commands/signals.ts';
import { webhooksCommand } from './commands/webhooks.ts';
import { exitCodesHelp } from './terminal/exit-codes.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Every command of the command line. */
export const program = new Command('partner-signals')
  .description('Run Partner Signals and manage signals, credit and webhooks.')
  .version(version)
  .commandsGroup('Run the service:')
  .addCommand(serveCommand())
  .addCommand(migrateCommand())
  .addCommand(doctorCommand())
  .commandsGroup('Operate the service:')
  .addCommand(orgsCommand())
  .addCommand(keysCommand())
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
