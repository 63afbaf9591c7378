import { once } from 'node:events';
import { type Command, Option } from 'commander';
import type { Pages } from '../client/pages.ts';
import type { List } from '../client/types.ts';
import { type Column, createTable, type Screen } from './table.ts';
import { wholeNumber } from './values.ts';

export type JsonOption = { json?: boolean | undefined };
export type ListOptions = JsonOption & { limit: number; all?: boolean; quiet?: boolean };

/** The result of a command, and nothing else, goes to standard output. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain');
}

/** Everything else that a person may want to know. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

let onClosed: () => void = () => process.exit();

/** Whoever reads the output may stop early, as `head` does: that ends the command, quietly. */
export function endWithOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onClosed();
  });
  process.stderr.on('error', () => {});
}

/** For a command that has something to put away first. */
export function onClosedOutput(run: () => void): void {
  onClosed = run;
}

/** A single thing: one JSON document for programs, lines for people. */
export async function writeOne<T>(
  value: T,
  { json }: JsonOption,
  lines: (value: T) => string,
): Promise<void> {
  await write(json ? JSON.stringify(value, null, 2) : lines(value));
}

/** A list: one JSON document a line for programs, identifiers alone for scripts, a table for people. */
export async function writeList<T>(
  { limit, all, json, quiet }: ListOptions,
  columns: Column<T>[],
  list: (pageSize: number) => Pages<List<T>>,
): Promise<void> {
  const table = createTable(columns, screen());
  let left = all ? Number.POSITIVE_INFINITY : limit;
  let count = 0;
  for await (const { data, has_more } of list(Math.min(left, 100)).pages()) {
    const rows = data.slice(0, left);
    left -= rows.length;
    count += rows.length;
    if (rows.length > 0)
      await write((json ? rows.map(asLine) : quiet ? rows.map(identifier) : table(rows)).join('\n'));
    if (left > 0) continue;
    if (!quiet && (has_more || data.length > rows.length))
      note(`These are the first ${count}; --all shows all of them.`);
    break;
  }
  if (count === 0) note('None.');
}

export function withJson(command: Command): Command {
  return command.addOption(new Option('--json', 'for programs: one JSON document'));
}

export function withList(command: Command): Command {
  return command
    .addOption(new Option('--limit <n>', 'show at most so many').argParser(wholeNumber(1)).default(25))
    .addOption(new Option('--all', 'show all, however many').conflicts('limit'))
    .addOption(new Option('--json', 'for programs: NDJSON, one JSON document a line'))
    .addOption(new Option('-q, --quiet', 'for scripts: the identifiers and nothing else').conflicts('json'));
}

export function withExamples(command: Command, examples: string): Command {
  const lines = examples.trim().split('\n');
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line.trim()}`).join('\n')}`);
}

/** Cut to the terminal; a file or another program gets all of it, and no colours. */
export function screen(stream: NodeJS.WriteStream = process.stdout): Screen {
  return {
    width: stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY,
    colour: stream.isTTY && stream.hasColors(),
  };
}

/** Every list but that of overlaps has identifiers of its own; an overlap is an account's. */
function identifier(value: unknown): string {
  const { id, account, request_id } = value as { id?: string; account?: { id: string }; request_id?: string };
  return id ?? account?.id ?? request_id ?? '';
}

function asLine(value: unknown): string {
  return JSON.stringify(value);
}
