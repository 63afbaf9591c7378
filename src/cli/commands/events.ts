import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { Event } from '../../client/types.ts';
import { pageLimits } from '../../vocabulary.ts';
import { clientCommands, group } from '../commands.ts';
import { type ClientConnection, connectClient } from '../connection.ts';
import { type JsonOption, screen, writeLine } from '../terminal/output.ts';
import { type Column, createTable } from '../terminal/table.ts';
import { wholeNumber } from '../terminal/values.ts';
import { inWords } from '../terminal/words.ts';

type Start = { cursor?: string };
type Follow = Start & { cursorFile?: string; interval: number };

export function eventsCommand(): Command {
  const cursor = () => new Option('--cursor <cursor>', 'continue after this cursor');
  return group('events', 'Read the event feed, to poll or to catch up after downtime.', {
    examples: `partner-signals events list --limit 10
    partner-signals events follow --cursor-file ./events.cursor`,
    commands: [
      clientCommands.list('list', 'List the events of the last 30 days, oldest first.', {
        options: [cursor()],
        examples: 'partner-signals events list --all --json',
        columns,
        rows: (client, { cursor, limit }: Start & { limit: number }) => client.events.list({ cursor, limit }),
      }),
      clientCommands.command(
        'follow',
        'Print events, oldest first, and new ones as they happen. Press Ctrl-C to stop.',
        {
          options: [
            cursor(),
            new Option(
              '--cursor-file <file>',
              'continue after the cursor in this file, and keep the file up to date',
            ).conflicts('cursor'),
            new Option('--interval <seconds>', 'polling interval').argParser(wholeNumber(1, 3600)).default(2),
            new Option('--json', 'print JSON, one document per line'),
          ],
          examples: 'partner-signals events follow --cursor-file ./events.cursor --json | ./handle-events',
          run: followEvents,
        },
      ),
    ],
  });
}

async function followEvents(options: Follow & JsonOption & ClientConnection): Promise<void> {
  const client = await connectClient(options, 10);
  const { cursorFile } = options;
  const kept = cursorFile && (await readFile(cursorFile, 'utf8').catch(absent)).trim();
  let cursor = kept || options.cursor;
  const table = createTable(columns, screen());
  for (;;) {
    const { data, has_more, resume_cursor } = await client.events
      .list({ cursor, limit: pageLimits.most })
      .page();
    if (data.length > 0)
      await writeLine((options.json ? data.map((event) => JSON.stringify(event)) : table(data)).join('\n'));
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
