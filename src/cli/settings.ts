import { type Command, Option } from 'commander';
import type { Settings, SettingsVersion } from '../client/types.ts';
import { client, group } from './commands.ts';
import { type ClientConnection, connectClient } from './connection.ts';
import { type JsonOption, withJson } from './output.ts';
import { readSettingsFile, writeSaved, writeSettings } from './settings-output.ts';
import type { Column } from './table.ts';
import { utc } from './values.ts';

export function settingsCommand(): Command {
  return group(
    'settings',
    'Show or change the settings of your organization (changing needs an admin key).',
    {
      examples: `partner-signals settings show > settings.json
    partner-signals settings set --file settings.json`,
      commands: [
        client.command('show', 'Print the settings as JSON, ready for `set --file`.', {
          options: [new Option('--json', 'include version, time and author')],
          examples: 'partner-signals settings show > settings.json',
          run: async (options: JsonOption & ClientConnection) =>
            writeSettings((await (await connectClient(options)).settings.get()).data, options),
        }),
        client.list('versions', 'List the versions of the settings, newest first.', {
          examples: 'partner-signals settings versions',
          columns: versionColumns,
          rows: (client, { limit }) => client.settings.versions({ limit }),
        }),
        client.command('set', 'Replace all settings. Every change creates a new version.', {
          options: [
            new Option('--file <file>', 'settings as JSON; - reads standard input').makeOptionMandatory(),
          ],
          examples: 'partner-signals settings set --file settings.json',
          withOutput: withJson,
          run: setSettings,
        }),
      ],
    },
  );
}

const versionColumns: Column<SettingsVersion>[] = [
  { head: 'VERSION', value: ({ version }) => version, right: true },
  { head: 'CREATED (UTC)', value: ({ created_at }) => utc(created_at) },
  { head: 'BY', value: ({ created_by }) => created_by, shrink: true },
];

async function setSettings(options: { file: string } & JsonOption & ClientConnection): Promise<void> {
  const settings: Settings = await readSettingsFile(options.file);
  const client = await connectClient(options);
  const { etag } = await client.settings.get();
  await writeSaved((await client.settings.replace(settings, { ifMatch: etag })).data, options);
}
