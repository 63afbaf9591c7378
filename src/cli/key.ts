import { Command, Option } from 'commander';
import type { ApiKey, NewApiKey } from '../client/types.ts';
import { type Scope, scopes } from '../vocabulary.ts';
import { confirm, type YesOption } from './confirm.ts';
import { connectOperator, type OperatorConnection, withOperator } from './connection.ts';
import {
  type JsonOption,
  type ListOptions,
  note,
  withExamples,
  withJson,
  withList,
  write,
  writeList,
  writeOne,
} from './output.ts';
import { type Column, formatRecord } from './table.ts';
import { moment, severalOf, utc } from './values.ts';

export function keyCommand(): Command {
  const create = new Command('create')
    .description('Create an API key for an organization. The key is shown only once.')
    .argument('<org>', 'ID of the organization (org_…)')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(severalOf('--scopes <scopes>', 'what the key can do', scopes).default(['write'], 'write'))
    .addOption(
      new Option('--expires <when>', 'timestamp, date or duration such as 90d (default: never)').argParser(
        moment('ahead'),
      ),
    )
    .option('-q, --quiet', 'print only the key')
    .action(
      async (
        org: string,
        {
          name,
          scopes,
          expires,
          quiet,
          ...options
        }: { name: string; scopes: Scope[]; expires?: string; quiet?: boolean } & JsonOption &
          OperatorConnection,
      ) => {
        const client = await connectOperator(options);
        const { data } = await client.keys.create(org, { name, scopes, expires_at: expires });
        if (quiet) return write(data.key);
        await writeOne(data, options, detail);
        note('The key is shown only once. Save it now.');
      },
    );
  const list = new Command('list')
    .description('List the active keys of an organization, newest first.')
    .argument('<org>', 'ID of the organization (org_…)')
    .action(async (org: string, options: ListOptions & OperatorConnection) => {
      const client = await connectOperator(options);
      await writeList(options, columns, (limit) => client.keys.list(org, { limit }));
    });
  const revoke = new Command('revoke')
    .description('Revoke a key. Every process rejects it within a second.')
    .argument('<org>', 'ID of the organization (org_…)')
    .argument('<key>', 'ID of the key (key_…)')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (org: string, id: string, options: YesOption & OperatorConnection) => {
      await confirm(`Revoke ${id}? Requests with this key will fail.`, options);
      await (await connectOperator(options)).keys.revoke(org, id);
      note(`Revoked ${id}.`);
    });

  return withExamples(
    new Command('key').description('Manage the API keys of an organization (operators).'),
    `partner-signals key create org_01h… --name dashboard --scopes read
    partner-signals key list org_01h…
    partner-signals key revoke org_01h… key_01h…`,
  )
    .addCommand(
      withExamples(
        withOperator(withJson(create)),
        `partner-signals key create org_01h… --name pipeline --scopes write,ingest --expires 90d
        PARTNER_SIGNALS_KEY=$(partner-signals key create org_01h… --name reader --scopes read --quiet)`,
      ),
    )
    .addCommand(withExamples(withOperator(withList(list)), 'partner-signals key list org_01h…'))
    .addCommand(withExamples(withOperator(revoke), 'partner-signals key revoke org_01h… key_01h… --yes'));
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
