import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'commander';
import type { Event } from '../client/types.ts';
import { pageLimits } from '../vocabulary.ts';
import { type ClientConnection, connectClient, withClient } from './connection.ts';
import {
  type JsonOption,
  type ListOptions,
  screen,
  withExamples,
  withList,
  write,
  writeList,
} from './output.ts';
import { type Column, createTable } from './table.ts';
import { wholeNumber } from './values.ts';
import { inWords } from './words.ts';

type Start = { cursor?: string };
type Follow = Start & { cursorFile?: string; interval: number };

export function eventsCommand(): Command {
  const cursor = () => new Option('--cursor <cursor>', 'continue after this cursor');
  const list = new Command('list')
    .description('List the events of the last 30 days, oldest first.')
    .addOption(cursor())
    .action(async ({ cursor, ...options }: Start & ListOptions & ClientConnection) => {
      const client = await connectClient(options);
      await writeList(options, columns, (limit) => client.events.list({ cursor, limit }));
    });
  const follow = new Command('follow')
    .description('Print events, oldest first, and new ones as they happen. Press Ctrl-C to stop.')
    .addOption(cursor())
    .addOption(
      new Option(
        '--cursor-file <file>',
        'continue after the cursor in this file, and keep the file up to date',
      ).conflicts('cursor'),
    )
    .addOption(
      new Option('--interval <seconds>', 'polling interval').argParser(wholeNumber(1, 3600)).default(2),
    )
    .option('--json', 'print JSON, one document per line')
    .action(followEvents);

  return withExamples(
    new Command('events').description('Read the event feed, to poll or to catch up after downtime.'),
    `partner-signals events list --limit 10
    partner-signals events follow --cursor-file ./events.cursor`,
  )
    .addCommand(withExamples(withClient(withList(list)), 'partner-signals events list --all --json'))
    .addCommand(
      withExamples(
        withClient(follow),
        'partner-signals events follow --cursor-file ./events.cursor --json | ./handle-events',
      ),
    );
}

async function followEvents(options: Follow & JsonOption & ClientConnection): Promise<void> {
  const client = await connectClient(options, { maxRetries: 10 });
  const { cursorFile } = options;
  const kept = cursorFile && (await readFile(cursorFile, 'utf8').catch(absent)).trim();
  let cursor = kept || options.cursor;
  const table = createTable(columns, screen());
  for (;;) {
    const { data, has_more, resume_cursor } = await client.events
      .list({ cursor, limit: pageLimits.most })
      .page();
    if (data.length > 0)
      await write((options.json ? data.map((event) => JSON.stringify(event)) : table(data)).join('\n'));
    if (cursorFile && resume_cursor !== cursor) await replace(cursorFile, resume_cursor);
    cursor = resume_cursor;
    if (!has_more) await delay(options.interval * 1000);
  }
}

/** Written atomically, and only after the events: after a crash, events can repeat but are never lost. */
async function replace(file: string, cursor: string): Promise<void> {
  await writeFile(`${file}.new`, `${cursor}\n`);
  await rename(`${file}.new`, file);
}

function absent(error: NodeJS.ErrnoException): string {
  if (error.code !== 'ENOENT') throw error;
  return '';
}

const columns: Column<Event>[] = [
  { head: 'WHEN (UTC)', value: ({ timestamp }) => timestamp.slice(0, 19).replace('T', ' ') },
  { head: 'EVENT', value: ({ event }) => event },
  { head: 'ID', value: ({ data }) => data.id },
  { head: 'STATE', value: ({ data }) => inWords('state' in data ? data.state : data.tier) },
  { head: 'PARTNER', value: ({ data }) => data.partner.name, shrink: true },
  { head: 'ACCOUNT', value: ({ data }) => data.account.name, shrink: true },
];
