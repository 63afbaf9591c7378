import { Command } from 'commander';

export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the service; its settings are environment variables, listed in the README.')
    .addHelpText(
      'after',
      `
Examples:
  partner-signals serve
  PORT=9443 DATA_DIR=/var/lib/partner-signals partner-signals serve
  DEMO=true partner-signals serve              with a demo organization of invented companies

Its log goes to standard output, a JSON document a line. Ctrl-C finishes the requests in flight and stops it.`,
    )
    .action(async () => {
      process.env.DEMO ||= 'false';
      await import('../main.ts');
    });
}
