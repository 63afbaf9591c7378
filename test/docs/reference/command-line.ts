import type { Command, Option } from 'commander';
import { program } from '../../../src/cli/program.ts';
import { code, table } from './markdown.ts';

const connection = 'Connection:';

/** Every command with its arguments, options and examples, as `--help` shows them. */
export function commandLine(): string[] {
  const commands = program.commands.flatMap(withChildren);
  const shared = new Map(
    commands
      .flatMap((command) => optionsOf(command).filter(isConnection))
      .map((option) => [option.long, option]),
  );
  const contents = program.commands.map(
    (command) => [`[${code(pathOf(command))}](#${anchorOf(command)})`, command.description()] as const,
  );
  return [
    `${program.description()} In a clone, run \`npx partner-signals\`. Add \`--help\` to any command to see the same text.`,
    table(
      ['command', 'does'],
      contents.map((cells) => [...cells]),
    ),
    '## Examples, output and exit codes',
    block(afterHelp(program)),
    '### Connection\n\nCommands that call the service also take these options. A variable in brackets does the same.',
    optionTable([...shared.values()]),
    ...commands.map(section),
  ];
}

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withChildren)];
}

function section(command: Command): string {
  const args = command.registeredArguments.map((argument) => [
    code(argument.required ? `<${argument.name()}>` : `[${argument.name()}]`),
    argument.description + choicesOf(argument.argChoices),
  ]);
  const options = optionsOf(command).filter((option) => !isConnection(option) && option.long !== '--help');
  const parts = [
    `${'#'.repeat(depthOf(command) + 1)} ${pathOf(command)}`,
    command.description(),
    command.commands.length > 0
      ? table(
          ['command', 'does'],
          command.commands.map((child) => [
            `[${code(child.name())}](#${anchorOf(child)})`,
            child.description(),
          ]),
        )
      : '',
    args.length > 0 ? table(['argument', 'meaning'], args) : '',
    options.length > 0 ? optionTable(options) : '',
    block(afterHelp(command)),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function optionTable(options: Option[]): string {
  return table(
    ['option', 'meaning'],
    options.map((option) => [code(option.flags), meaningOf(option)]),
  );
}

function meaningOf({ description, argChoices, defaultValue, envVar, mandatory }: Option): string {
  const byDefault =
    defaultValue === undefined || defaultValue === false || Array.isArray(defaultValue)
      ? ''
      : ` (default: ${code(defaultValue)})`;
  const required = mandatory ? ' (required)' : '';
  return description + choicesOf(argChoices) + required + byDefault + (envVar ? ` [${code(envVar)}]` : '');
}

function choicesOf(choices: readonly string[] | undefined): string {
  return choices ? `: ${choices.map(code).join(', ')}` : '';
}

function optionsOf(command: Command): Option[] {
  return command.createHelp().visibleOptions(command);
}

function isConnection({ helpGroupHeading }: Option): boolean {
  return helpGroupHeading === connection;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function anchorOf(command: Command): string {
  return pathOf(command).replaceAll(' ', '-');
}

function depthOf(command: Command): number {
  return command.parent ? depthOf(command.parent) + 1 : 0;
}

/** The examples and notes that follow the options in the help. */
function afterHelp(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help.slice(help.lastIndexOf(command.helpInformation()) + command.helpInformation().length).trim();
}

function block(text: string): string {
  return text === '' ? '' : `\`\`\`text\n${text}\n\`\`\``;
}
