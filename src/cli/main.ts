import { Command } from 'commander';
import { demoCommand } from './demo.ts';

const program = new Command('partner-signals')
  .description('Partner Signals from the command line.')
  .addCommand(demoCommand());

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
