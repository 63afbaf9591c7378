import type { Command } from 'commander';
import type { SettingsVersion } from '../../client/types.ts';
import { clientCommands, group } from '../commands.ts';
import type { Column } from '../terminal/table.ts';
import { utc } from '../terminal/values.ts';
import {
  type FileOption,
  readSettingsFile,
  savedSettings,
  shownSettings,
  wholeFile,
} from './settings-output.ts';

export function settingsCommand(): Command {
  return group(
    'settings',
    'Show or change the settings of your organization (changing needs an admin key).',
    {
      examples: `partner-signals settings show > settings.json
    partner-signals settings set --file settings.json`,
      commands: [
        clientCommands.one('show', 'Print the settings as JSON, ready for `set --file`.', {
          examples: 'partner-signals settings show > settings.json',
          get: (client) => client.settings.get(),
          ...shownSettings,
        }),
        clientCommands.list('versions', 'List the versions of the settings, newest first.', {
          examples: 'partner-signals settings versions',
          columns: versionColumns,
          rows: (client, { limit }) => client.settings.versions({ limit }),
        }),
        wholeFile(
          clientCommands.one('set', 'Replace all settings. Every change creates a new version.', {
            examples: `partner-signals settings show > settings.json
            partner-signals settings set --file settings.json`,
            get: async (client, { file }: FileOption) => {
              const settings = await readSettingsFile(file);
              const { etag } = await client.settings.get();
              return client.settings.replace(settings, { ifMatch: etag });
            },
            ...savedSettings,
          }),
          'settings …',
        ),
      ],
    },
  );
}

const versionColumns: Column<SettingsVersion>[] = [
  { head: 'VERSION', value: ({ version }) => version, right: true },
  { head: 'CREATED (UTC)', value: ({ created_at }) => utc(created_at) },
  { head: 'BY', value: ({ created_by }) => created_by, shrink: true },
];
