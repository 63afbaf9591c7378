import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { type Pages, pagesOf } from '../../client/pages.ts';
import type { List } from '../../client/types.ts';
import { pageLimits } from '../../vocabulary.ts';
import { usageError } from './exit-codes.ts';
import { type Column, createTable, type Screen } from './table.ts';
import { formatNumber, wholeNumber } from './values.ts';

export type JsonOption = { json?: boolean | undefined };
export type ListOptions = JsonOption & { limit: number; all?: boolean; quiet?: boolean; csv?: boolean };

/** Only the result of a command goes to standard output. */
export const writeLine = (text: string) => writeText(`${text}\n`);

/** CSV comes with its own line ends. */
export async function writeText(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Everything else goes to standard error. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

let onClosed: () => void = () => process.exit();

/** A reader such as `head` can stop early: the command then ends without an error. */
export function endWithOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onClosed();
  });
  process.stderr.on('error', () => {});
}

/** For a command that has to clean up first. */
export function onClosedOutput(run: () => void): void {
  onClosed = run;
}

/** A single record: one JSON document for programs, lines for people. */
export async function writeOne<T>(
  value: T,
  { json }: JsonOption,
  lines: (value: T) => string | Promise<string>,
): Promise<void> {
  await writeLine(json ? JSON.stringify(value, null, 2) : await lines(value));
}

/** A list: one JSON document per line for programs, only IDs for scripts, a table for people. */
export async function writeList<T>(
  { limit, all, json, quiet, csv }: ListOptions,
  columns: Column<T>[],
  list: (pageSize: number) => Pages<List<T>>,
): Promise<void> {
  if (csv) return writeText(await list(pageLimits.most).csv());
  const table = createTable(columns, screen());
  let left = all ? Number.POSITIVE_INFINITY : limit;
  let shown = 0;
  for await (const { data, has_more } of list(Math.min(left, pageLimits.most)).pages()) {
    const rows = data.slice(0, left);
    left -= rows.length;
    shown += rows.length;
    if (rows.length > 0)
      await writeLine((json ? rows.map(asLine) : quiet ? rows.map(identifier) : table(rows)).join('\n'));
    if (left > 0) continue;
    if (!quiet && (has_more || data.length > rows.length))
      note(`Showing the first ${formatNumber(shown)}. Use --all to show everything.`);
    break;
  }
  if (shown === 0) note('No results.');
}

/** For rows that are already loaded. */
export async function writeRows<T>(options: ListOptions, columns: Column<T>[], rows: T[]): Promise<void> {
  const data = options.all ? rows : rows.slice(0, options.limit);
  const page = { data, has_more: data.length < rows.length } as List<T>;
  await writeList(options, columns, () => pagesOf(async () => page, undefined, noCsv));
}

async function noCsv(): Promise<string> {
  throw usageError('This list cannot be printed as CSV. Use --json.');
}

export const csvOption = () =>
  new Option('--csv', 'print CSV for spreadsheets: all results').conflicts(['limit', 'all', 'json', 'quiet']);

export function withJson(command: Command, does = 'print JSON'): Command {
  return command.addOption(new Option('--json', does));
}

export function withList(command: Command): Command {
  return command
    .addOption(
      new Option('--limit <n>', 'maximum number of results')
        .argParser(wholeNumber(1))
        .default(pageLimits.default),
    )
    .addOption(new Option('--all', 'show all results').conflicts('limit'))
    .addOption(new Option('--json', 'print JSON, one document per line'))
    .addOption(new Option('--quiet', 'print only the IDs').conflicts('json'))
    .addOption(csvOption());
}

export function withExamples(command: Command, examples: string): Command {
  const lines = examples.trim().split('\n');
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line.trim()}`).join('\n')}`);
}

/** Tables are cut to the width of a terminal; a file or another program gets full lines without colours. */
export function screen(stream: NodeJS.WriteStream = process.stdout): Screen {
  return {
    width: stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY,
    colour: stream.isTTY && stream.hasColors(),
  };
}

/** A whole table for standard output. */
export function tableOf<T>(columns: Column<T>[], rows: T[]): string[] {
  return createTable(columns, screen())(rows);
}

/** A part of a record, after an empty line; nothing if it has no rows. */
export function tableBelow<T>(columns: Column<T>[], rows: T[]): string[] {
  return rows.length > 0 ? ['', ...tableOf(columns, rows)] : [];
}

/** Every list item has an ID, except an overlap, which is identified by its account, and an audit entry. */
function identifier(value: unknown): string {
  const { id, account, partner, request_id } = value as {
    id?: string;
    account?: { id: string };
    partner?: { id: string };
    request_id?: string;
  };
  return id ?? account?.id ?? partner?.id ?? request_id ?? '';
}

function asLine(value: unknown): string {
  return JSON.stringify(value);
}
