import { Command, Option } from 'commander';
import type { ApiKey, NewApiKey } from '../client/types.ts';
import type { Scope } from '../contract/key.ts';
import { scopes } from './choices.ts';
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
    .description('Make an API key for an organization. It is printed once and kept nowhere.')
    .argument('<org>', 'org_…')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(severalOf('--scopes <scopes>', 'what it may do', scopes).default(['write'], 'write'))
    .addOption(
      new Option('--expires <when>', 'a timestamp, a date, or a span such as 90d; absent, never').argParser(
        moment('ahead'),
      ),
    )
    .option('-q, --quiet', 'print the key and nothing else')
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
        note('The key is shown this once: keep it now.');
      },
    );
  const list = new Command('list')
    .description('List the keys of an organization that are not revoked, newest first.')
    .argument('<org>', 'org_…')
    .action(async (org: string, options: ListOptions & OperatorConnection) => {
      const client = await connectOperator(options);
      await writeList(options, columns, (limit) => client.keys.list(org, { limit }));
    });
  const revoke = new Command('revoke')
    .description('Revoke a key; it is refused everywhere within a second.')
    .argument('<org>', 'org_…')
    .argument('<key>', 'key_…, its id')
    .option('-y, --yes', 'do not ask')
    .action(async (org: string, id: string, options: YesOption & OperatorConnection) => {
      await confirm(`Revoke ${id}? Whoever uses it is refused from then on.`, options);
      await (await connectOperator(options)).keys.revoke(org, id);
      note(`${id} is revoked.`);
    });

  return new Command('key')
    .description('API keys of an organization, for operators.')
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
  { head: 'MADE (UTC)', value: ({ created_at }) => utc(created_at), optional: true },
];

function detail({ id, name, scopes, key, expires_at }: NewApiKey): string {
  return formatRecord([
    ['id', id],
    ['name', name],
    ['scopes', scopes.join(', ')],
    ['expires, UTC', utc(expires_at) || 'never'],
    ['key', key],
  ]);
}
