import { Argument, Command, type Option } from 'commander';
import { withExamples, writeLine } from '../terminal/output.ts';
import { bashScript, type CompletionPoint, fishScript, zshScript } from './completion-scripts.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function completionCommand(): Command {
  const command = new Command('completion')
    .description('Print a completion script for your shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(scripts)))
    .action(async (shell: keyof typeof scripts) => {
      if (command.parent) await writeLine(scripts[shell](places(command.parent, '')));
    });
  return withExamples(
    command,
    `source <(partner-signals completion bash)
    partner-signals completion zsh > ~/.zfunc/_partner-signals
    partner-signals completion fish > ~/.config/fish/completions/partner-signals.fish`,
  );
}

function places(command: Command, path: string): CompletionPoint[] {
  const help = command.createHelp();
  const here = {
    path,
    commands: command.commands.map((child) => ({ name: child.name(), description: child.description() })),
    options: help.visibleOptions(command).map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      description: option.description,
      value: valueKind(option),
    })),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [here, ...command.commands.flatMap((child) => places(child, `${path} ${child.name()}`))];
}

function valueKind(option: Option): CompletionPoint['options'][number]['value'] {
  if (option.argChoices) return option.argChoices;
  if (/<(file|dir)>/.test(option.flags)) return 'file';
  return option.required || option.optional ? 'free' : 'none';
}
