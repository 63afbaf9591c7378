import { type Command, Option } from 'commander';
import type { ApiKey, CreateApiKey, NewApiKey } from '../../client/types.ts';
import { scopes } from '../../vocabulary.ts';
import { group, operatorCommands } from '../commands.ts';
import { connectOperator, type OperatorConnection } from '../connection.ts';
import { confirm, type YesOption } from '../terminal/confirm.ts';
import { note } from '../terminal/output.ts';
import { type Column, formatRecord } from '../terminal/table.ts';
import { field, parseMoment, severalOf, utc } from '../terminal/values.ts';

const orgId = { '<org>': 'ID of the organization (org_…)' };

export function keysCommand(): Command {
  return group('keys', 'Manage the API keys of an organization (operators).', {
    examples: `partner-signals keys create org_01h… --name dashboard --scopes read
    partner-signals keys list org_01h…
    partner-signals keys revoke org_01h… key_01h…`,
    commands: [
      operatorCommands.one('create', 'Create an API key for an organization. The key is shown only once.', {
        arguments: orgId,
        options: [
          new Option('--name <name>', 'what the key is for').makeOptionMandatory(),
          severalOf('--scopes <scopes>', 'what the key can do', scopes).default(['write'], 'write'),
          field(
            'expires_at',
            '--expires <when>',
            'timestamp, date or duration such as 90d (default: never)',
          ).argParser(parseMoment('ahead')),
        ],
        examples: `partner-signals keys create org_01h… --name pipeline --scopes write,ingest --expires 90d
        PARTNER_SIGNALS_KEY=$(partner-signals keys create org_01h… --name reader --scopes read --quiet)`,
        get: (client, key: CreateApiKey, org) => client.keys.create(org, key),
        lines: detail,
        quiet: ['print only the key', ({ key }) => key],
        remark: () => 'The key is shown only once. Save it now.',
      }),
      operatorCommands.list('list', 'List the active keys of an organization, newest first.', {
        arguments: orgId,
        examples: 'partner-signals keys list org_01h…',
        columns,
        rows: (client, { limit }, org) => client.keys.list(org, { limit }),
      }),
      operatorCommands.command('revoke', 'Revoke a key. Every process rejects it within a second.', {
        arguments: { ...orgId, '<key>': 'ID of the key (key_…)' },
        options: [new Option('-y, --yes', 'do not ask for confirmation')],
        examples: 'partner-signals keys revoke org_01h… key_01h… --yes',
        run: revoke,
      }),
    ],
  });
}

async function revoke(options: YesOption & OperatorConnection, org: string, id: string): Promise<void> {
  await confirm(`Revoke ${id}? Requests with this key will fail.`, options);
  await (await connectOperator(options)).keys.revoke(org, id);
  note(`Revoked ${id}.`);
}

const columns: Column<ApiKey>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'NAME', value: ({ name }) => name, shrink: true },
  { head: 'SCOPES', value: ({ scopes }) => scopes.join(',') },
  { head: 'LAST USED (UTC)', value: ({ last_used_at }) => utc(last_used_at) || 'never', optional: true },
  { head: 'EXPIRES (UTC)', value: ({ expires_at }) => utc(expires_at) || 'never', optional: true },
  {
    head: 'EXPOSED (UTC)',
    value: ({ exposed_at }) => utc(exposed_at),
    style: () => 'red',
    optional: true,
  },
  { head: 'CREATED (UTC)', value: ({ created_at }) => utc(created_at), optional: true },
];

function detail({ id, name, scopes, key, expires_at }: NewApiKey): string {
  return formatRecord([
    ['id', id],
    ['name', name],
    ['scopes', scopes.join(', ')],
    ['expires (UTC)', utc(expires_at) || 'never'],
    ['key', key],
  ]);
}
