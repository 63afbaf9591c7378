import { type Command, Option } from 'commander';
import type { ChangeOrganization, Organization } from '../../client/types.ts';
import { type Plan, plans } from '../../vocabulary.ts';
import { group, operatorCommands } from '../commands.ts';
import { type Column, formatRecord } from '../terminal/table.ts';
import { utc } from '../terminal/values.ts';
import {
  type FileOption,
  readSettingsFile,
  savedSettings,
  shownSettings,
  wholeFile,
} from './settings-output.ts';

const orgId = { '<org>': 'ID of the organization (org_…)' };

export function orgsCommand(): Command {
  return group('orgs', 'Manage organizations and their settings (operators).', {
    examples: `partner-signals orgs create "Acme" --plan enterprise
    partner-signals orgs list`,
    commands: [
      operatorCommands.one(
        'create',
        'Create an organization. Create a key for it next, with `keys create`.',
        {
          arguments: { '<name>': 'name of the organization' },
          options: [
            new Option('--plan <plan>', 'plan, which sets its limits').choices(plans).default('standard'),
          ],
          examples: `partner-signals orgs create "Acme" --plan enterprise
        org=$(partner-signals orgs create "Acme" --quiet)`,
          get: (client, { plan }: { plan: Plan }, name) => client.organizations.create({ name, plan }),
          lines: detail,
          quiet: ['print only the ID', ({ id }) => id],
        },
      ),
      operatorCommands.list('list', 'List organizations, newest first.', {
        examples: 'partner-signals orgs list --all',
        columns,
        rows: (client, { limit }) => client.organizations.list({ limit }),
      }),
      operatorCommands.one('show', 'Show an organization.', {
        arguments: orgId,
        examples: 'partner-signals orgs show org_01h…',
        get: (client, _, id) => client.organizations.get(id),
        lines: detail,
      }),
      operatorCommands.one('set', 'Change the name or plan of an organization.', {
        arguments: orgId,
        options: [
          new Option('--name <name>', 'new name'),
          new Option('--plan <plan>', 'new plan; takes effect within a second').choices(plans),
        ],
        examples: 'partner-signals orgs set org_01h… --plan enterprise',
        needs: 'Add --name, --plan, or both.',
        get: (client, change: ChangeOrganization, id) => client.organizations.change(id, change),
        lines: detail,
      }),
      settingsCommand(),
    ],
  });
}

function settingsCommand(): Command {
  return group('settings', 'Show or change the settings of the signal and attribution rules.', {
    examples: `partner-signals orgs settings show org_01h… > settings.json
    partner-signals orgs settings set org_01h… --file settings.json`,
    commands: [
      operatorCommands.one('show', 'Print the settings as JSON, ready for `set --file`.', {
        arguments: orgId,
        examples: 'partner-signals orgs settings show org_01h… > settings.json',
        get: (client, _, id) => client.settings.get(id),
        ...shownSettings,
      }),
      wholeFile(
        operatorCommands.one('set', 'Replace all settings. Every change creates a new version.', {
          arguments: orgId,
          examples: `partner-signals orgs settings show org_01h… > settings.json
          partner-signals orgs settings set org_01h… --file settings.json`,
          get: async (client, { file }: FileOption, id) => {
            const settings = await readSettingsFile(file);
            const { etag } = await client.settings.get(id);
            return client.settings.replace(id, settings, { ifMatch: etag });
          },
          ...savedSettings,
        }),
        'orgs settings … <id>',
      ),
    ],
  });
}

const columns: Column<Organization>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'NAME', value: ({ name }) => name, shrink: true },
  { head: 'PLAN', value: ({ plan }) => plan },
  { head: 'CREATED (UTC)', value: ({ created_at }) => utc(created_at), optional: true },
];

function detail({ id, name, plan, created_at, updated_at }: Organization): string {
  return formatRecord([
    ['organization', id],
    ['name', name],
    ['plan', plan],
    ['created (UTC)', utc(created_at)],
    ['updated (UTC)', utc(updated_at)],
  ]);
}
