import { Command } from 'commander';

export function serveCommand(): Command {
  return new Command('serve')
    .description(
      'Run the service. Its settings are environment variables, listed in docs/operate/configuration.md.',
    )
    .addHelpText(
      'after',
      `
Examples:
  partner-signals serve
  PORT=9443 DATA_DIR=/var/lib/partner-signals partner-signals serve
  DEMO=true partner-signals serve              with a demo organization of invented companies

The service logs to standard output, one JSON document per line. Press Ctrl-C to stop: requests in flight finish first.`,
    )
    .action(async () => {
      process.env.DEMO ||= 'false';
      await import('../../main.ts');
    });
}
