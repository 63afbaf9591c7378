import { Command, Option } from 'commander';
import type { Organization, Settings } from '../client/types.ts';
import { type Plan, plans } from '../vocabulary.ts';
import { connectOperator, type OperatorConnection, withOperator } from './connection.ts';
import { usageError } from './exit-codes.ts';
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
import { readJsonFile, utc } from './values.ts';

type QuietOption = { quiet?: boolean };

export function orgCommand(): Command {
  const create = new Command('create')
    .description('Create an organization. Create a key for it next, with `key create`.')
    .argument('<name>', 'name of the organization')
    .addOption(new Option('--plan <plan>', 'plan, which sets its limits').choices(plans).default('standard'))
    .option('-q, --quiet', 'print only the ID')
    .action(
      async (
        name: string,
        { plan, quiet, ...options }: { plan: Plan } & QuietOption & JsonOption & OperatorConnection,
      ) => {
        const { data } = await (await connectOperator(options)).organizations.create({ name, plan });
        if (quiet) await write(data.id);
        else await writeOne(data, options, detail);
      },
    );
  const list = new Command('list')
    .description('List organizations, newest first.')
    .action(async (options: ListOptions & OperatorConnection) => {
      const client = await connectOperator(options);
      await writeList(options, columns, (limit) => client.organizations.list({ limit }));
    });
  const show = new Command('show')
    .description('Show an organization.')
    .argument('<org>', 'ID of the organization (org_…)')
    .action(async (id: string, options: JsonOption & OperatorConnection) => {
      const { data } = await (await connectOperator(options)).organizations.get(id);
      await writeOne(data, options, detail);
    });
  const set = new Command('set')
    .description('Change the name or plan of an organization.')
    .argument('<org>', 'ID of the organization (org_…)')
    .option('--name <name>', 'new name')
    .addOption(new Option('--plan <plan>', 'new plan; takes effect within a second').choices(plans))
    .action(
      async (
        id: string,
        { name, plan, ...options }: { name?: string; plan?: Plan } & JsonOption & OperatorConnection,
      ) => {
        if (name === undefined && plan === undefined) throw usageError('Add --name, --plan, or both.');
        const { data } = await (await connectOperator(options)).organizations.change(id, { name, plan });
        await writeOne(data, options, detail);
      },
    );

  return withExamples(
    new Command('org').description('Manage organizations and their settings (operators).'),
    `partner-signals org create "Acme" --plan enterprise
    partner-signals org list`,
  )
    .addCommand(
      withExamples(
        withOperator(withJson(create)),
        `partner-signals org create "Acme" --plan enterprise
        org=$(partner-signals org create "Acme" --quiet)`,
      ),
    )
    .addCommand(withExamples(withOperator(withList(list)), 'partner-signals org list --all'))
    .addCommand(withExamples(withOperator(withJson(show)), 'partner-signals org show org_01h…'))
    .addCommand(
      withExamples(withOperator(withJson(set)), 'partner-signals org set org_01h… --plan enterprise'),
    )
    .addCommand(settingsCommand());
}

function settingsCommand(): Command {
  const show = new Command('show')
    .description('Print the settings as JSON, ready for `set --file`.')
    .argument('<org>', 'ID of the organization (org_…)')
    .option('--json', 'include version, time and author')
    .action(async (id: string, options: JsonOption & OperatorConnection) => {
      const { data } = await (await connectOperator(options)).settings.get(id);
      await writeOne(data, options, ({ settings }) => JSON.stringify(settings, null, 2));
      if (!options.json) note(`Version ${data.version}, ${utc(data.created_at)} UTC, by ${data.created_by}.`);
    });
  const set = new Command('set')
    .description('Replace all settings. Every change creates a new version.')
    .argument('<org>', 'ID of the organization (org_…)')
    .requiredOption('--file <file>', 'settings as JSON; - reads standard input')
    .action(async (id: string, { file, ...options }: { file: string } & JsonOption & OperatorConnection) => {
      const given = await readJsonFile(file);
      const { settings = given } = (given ?? {}) as { settings?: unknown };
      const { data } = await (await connectOperator(options)).settings.replace(id, settings as Settings);
      await writeOne(data, options, ({ version }) => `Saved as version ${version}.`);
    });

  return withExamples(
    new Command('settings').description('Show or change the settings of the signal and attribution rules.'),
    `partner-signals org settings show org_01h… > settings.json
    partner-signals org settings set org_01h… --file settings.json`,
  )
    .addCommand(
      withExamples(withOperator(show), 'partner-signals org settings show org_01h… > settings.json'),
    )
    .addCommand(
      withExamples(
        withOperator(withJson(set)),
        'partner-signals org settings set org_01h… --file settings.json',
      ),
    );
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
