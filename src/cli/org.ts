import { Command, Option } from 'commander';
import type { Organization } from '../client/types.ts';
import type { Plan } from '../contract/organization.ts';
import type { Settings } from '../contract/settings.ts';
import { plans } from './choices.ts';
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
    .description('Make an organization; it has no key yet.')
    .argument('<name>')
    .addOption(new Option('--plan <plan>', 'sets its request limits').choices(plans).default('standard'))
    .option('-q, --quiet', 'print its id and nothing else')
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
    .argument('<org>', 'org_…')
    .action(async (id: string, options: JsonOption & OperatorConnection) => {
      const { data } = await (await connectOperator(options)).organizations.get(id);
      await writeOne(data, options, detail);
    });
  const set = new Command('set')
    .description('Change the name or the plan of an organization.')
    .argument('<org>', 'org_…')
    .option('--name <name>', 'its new name')
    .addOption(new Option('--plan <plan>', 'its new plan; holds within a second').choices(plans))
    .action(
      async (
        id: string,
        { name, plan, ...options }: { name?: string; plan?: Plan } & JsonOption & OperatorConnection,
      ) => {
        if (name === undefined && plan === undefined) throw usageError('Give --name, --plan, or both.');
        const { data } = await (await connectOperator(options)).organizations.change(id, { name, plan });
        await writeOne(data, options, detail);
      },
    );

  return new Command('org')
    .description('Organizations and their settings, for operators.')
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
    .description('Print the settings as JSON, for `set --file` to take.')
    .argument('<org>', 'org_…')
    .option('--json', 'with their version, its time and its author')
    .action(async (id: string, options: JsonOption & OperatorConnection) => {
      const { data } = await (await connectOperator(options)).settings.get(id);
      await writeOne(data, options, ({ settings }) => JSON.stringify(settings, null, 2));
      if (!options.json) note(`Version ${data.version}, ${utc(data.created_at)} UTC, by ${data.created_by}.`);
    });
  const set = new Command('set')
    .description('Replace the settings, as a whole; every change is a new version.')
    .argument('<org>', 'org_…')
    .requiredOption('--file <file>', 'the settings as JSON; - reads standard input')
    .action(async (id: string, { file, ...options }: { file: string } & JsonOption & OperatorConnection) => {
      const given = await readJsonFile(file);
      const { settings = given } = (given ?? {}) as { settings?: unknown };
      const { data } = await (await connectOperator(options)).settings.replace(id, settings as Settings);
      await writeOne(data, options, ({ version }) => `These are the settings now: version ${version}.`);
    });

  return new Command('settings')
    .description('The numbers that rules and credit go by.')
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
  { head: 'MADE (UTC)', value: ({ created_at }) => utc(created_at), optional: true },
];

function detail({ id, name, plan, created_at, updated_at }: Organization): string {
  return formatRecord([
    ['organization', id],
    ['name', name],
    ['plan', plan],
    ['made, UTC', utc(created_at)],
    ['changed, UTC', utc(updated_at)],
  ]);
}
