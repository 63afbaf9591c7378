import { Command, type Option } from 'commander';
import type { Pages } from '../client/pages.ts';
import type { List, One } from '../client/types.ts';
import { connectClient, connectOperator, withClient, withOperator } from './connection.ts';
import { usageError } from './terminal/exit-codes.ts';
import {
  csvOption,
  type JsonOption,
  type ListOptions,
  note,
  withExamples,
  withJson,
  withList,
  writeLine,
  writeList,
  writeOne,
  writeText,
} from './terminal/output.ts';
import type { Column } from './terminal/table.ts';

type Help = {
  /** What each argument is, such as `<id>`. */
  arguments?: Record<string, string>;
  /** The options for the output and the connection are added after these. */
  options?: Option[];
  examples: string;
  /** Shown after the description, before the examples. */
  notes?: string;
};

type Spec<Options> = Help & {
  /** Adds the options of the output. */
  withOutput?: (command: Command) => Command;
  run: (options: Options, ...args: string[]) => Promise<void>;
};

type ListSpec<T, Own, Client> = Help & {
  columns: Column<T>[];
  rows: (client: Client, options: Own & { limit: number }, ...args: string[]) => Pages<List<T>>;
};

type OneSpec<T, Own, Client> = Help & {
  /** The message if none of the command's own options is given. */
  needs?: string;
  get: (client: Client, options: Own, ...args: string[]) => Promise<One<T>>;
  /** For people; can ask the service for more. */
  lines: (record: T, client: Client) => string | Promise<string>;
  /** What --json does, if it does more than print JSON. */
  json?: string;
  /** What --csv prints instead. */
  csv?: (client: Client, options: Own) => Promise<string>;
  /** What --quiet prints instead, for the help and as text. */
  quiet?: [what: string, text: (record: T) => string];
  /** A remark printed to standard error. */
  remark?: (answer: One<T>, options: Own & JsonOption) => string | undefined;
};

/** Commands that call the service with an API key. */
export const clientCommands = commandsOf(withClient, connectClient);
/** Commands that call the service with an operator key. */
export const operatorCommands = commandsOf(withOperator, connectOperator);

export function group(
  name: string,
  description: string,
  { examples, commands }: { examples: string; commands: Command[] },
): Command {
  const command = withExamples(new Command(name).description(description), examples);
  for (const child of commands) command.addCommand(child);
  return command;
}

function commandsOf<Client, Connection>(
  withConnection: (command: Command) => Command,
  connect: (options: Connection) => Promise<Client>,
) {
  /** A command that does more than call the service and print the response. */
  function command<Own>(
    name: string,
    description: string,
    {
      arguments: args = {},
      options = [],
      withOutput = (command) => command,
      examples,
      notes,
      run,
    }: Spec<Own & Connection>,
  ): Command {
    const command = new Command(name).description(description);
    for (const [argument, what] of Object.entries(args)) command.argument(argument, what);
    for (const option of options) command.addOption(option);
    if (notes) command.addHelpText('after', notes);
    // Commander passes the arguments, then the options and the command.
    command.action((...given) => run(given.at(-2), ...given.slice(0, -2)));
    return withExamples(withConnection(withOutput(command)), examples);
  }

  function list<T, Own>(name: string, description: string, spec: ListSpec<T, Own, Client>): Command {
    async function run(options: Own & ListOptions & Connection, ...args: string[]): Promise<void> {
      const client = await connect(options);
      const own = ownOf<Own>(options, spec);
      await writeList(options, spec.columns, (limit) => spec.rows(client, { ...own, limit }, ...args));
    }
    return command(name, description, { ...spec, withOutput: withList, run });
  }

  function one<T, Own>(name: string, description: string, spec: OneSpec<T, Own, Client>): Command {
    type Options = Own & JsonOption & { quiet?: boolean; csv?: boolean } & Connection;
    async function run(options: Options, ...args: string[]): Promise<void> {
      const own = ownOf<Own>(options, spec);
      if (spec.needs && Object.keys(own as object).length === 0) throw usageError(spec.needs);
      const client = await connect(options);
      if (spec.csv && options.csv) return writeText(await spec.csv(client, own));
      const answer = await spec.get(client, own, ...args);
      if (spec.quiet && options.quiet) return writeLine(spec.quiet[1](answer.data));
      await writeOne(answer.data, options, (record) => spec.lines(record, client));
      const remark = spec.remark?.(answer, options);
      if (remark) note(remark);
    }
    const withOutput = (command: Command) => {
      if (spec.quiet) command.option('--quiet', spec.quiet[0]);
      return spec.csv ? withJson(command).addOption(csvOption()) : withJson(command, spec.json);
    };
    return command(name, description, { ...spec, withOutput, run });
  }

  return { command, list, one };
}

/** What was given for the command's own options, without those of the output and the connection. */
function ownOf<Own>(given: Record<string, unknown>, { options = [] }: Help): Own {
  const names = options.map((option) => option.attributeName());
  const values = names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  return Object.fromEntries(values);
}
