import { Command } from 'commander';

export function serveCommand(): Command {
  return new Command('serve')
    .description(
      'Run the service. Its settings are environment variables, listed in docs/operate/configuration.md.',
    )
    .showHelpAfterError(
      'Settings are environment variables, not options: PORT=9443 DATA_DIR=./data partner-signals serve',
    )
    .addHelpText(
      'after',
      `
Examples:
  partner-signals serve
  PORT=9443 DATA_DIR=/var/lib/partner-signals partner-signals serve
  DEMO=true partner-signals serve              with a demo organization of invented companies

In a terminal, the service prints text. Elsewhere it logs to standard output, one JSON document per line; LOG_FORMAT=text
or LOG_FORMAT=json chooses. Press Ctrl-C to stop: requests in flight finish first.`,
    )
    .action(async () => {
      process.env.DEMO ||= 'false';
      await import('../../main.ts');
    });
}
