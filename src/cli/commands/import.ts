import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { bodyLimits, type FactKind, factKinds } from '../../vocabulary.ts';
import { withClient } from '../connection.ts';
import { withExamples, withJson } from '../terminal/output.ts';
import { wholeNumber } from '../terminal/values.ts';
import type { ImportOptions } from './import/options.ts';

/** Loads a CRM export of any size from a file. */
export function importCommand(): Command {
  const command = new Command('import')
    .description('Load facts from a CSV or JSON Lines file, such as a Salesforce or HubSpot export.')
    .addArgument(new Argument('<kind>', 'what the rows are').choices(factKinds))
    .argument('<file>', '.csv, .tsv, .ndjson, .jsonl or .json; - reads standard input')
    .option('--dry-run', 'show the plan and check all rows; send and save nothing')
    .option('--backfill', 'first load: create signals and events, but send no webhooks')
    .option('--restart', 'start over instead of continuing an interrupted import')
    .option('--refuse-unknown', 'refuse rows with unknown values instead of stopping before the import')
    .option('-y, --yes', 'do not ask; stop if something needs an answer')
    .option('--batch-rows <n>', 'rows to commit together', wholeNumber(1, bodyLimits.rows), 5_000);
  const columns = [
    repeatable('--map <field=Column>', 'column of a field; "country=" leaves the field out'),
    new Option('--map-file <file>', 'the same as a JSON file: {"field": "Column"}'),
    repeatable('--set <field=value>', 'one value for all rows, such as currency=USD'),
    repeatable('--default <field=value>', 'value for empty cells'),
  ];
  const values = [
    repeatable('--map-value <field:value=meaning>', 'what a value means, such as tier:Gold=1'),
    new Option(
      '--value-map <file>',
      'the same as a JSON file: {"tier": {"Gold": 1}}; answers are saved in it (default: partner-signals.values.json beside the imported file)',
    ),
    repeatable('--open-stage <name>', 'a stage whose deals are open'),
    repeatable('--won-stage <name>', 'a stage whose deals are won'),
    repeatable('--lost-stage <name>', 'a stage whose deals are lost'),
  ];
  const formats = [
    new Option('--dates <order>', 'order of 01/02/2026, if no date in the file shows it').choices([
      'dmy',
      'mdy',
    ]),
    new Option('--decimal <sign>', 'decimal sign, if no amount in the file shows it').choices([
      'point',
      'comma',
    ]),
    new Option('--time-zone <name>', 'time zone of times without one, such as Europe/Berlin')
      .default('UTC')
      .argParser(timeZone),
    new Option('--format <format>', 'file format, if the name does not show it').choices([
      'csv',
      'ndjson',
      'json',
    ]),
    new Option('--encoding <name>', 'text encoding, if it is not UTF-8 or marked UTF-16').argParser(encoding),
  ];
  for (const option of columns) command.addOption(option.helpGroup('Columns:'));
  for (const option of values) command.addOption(option.helpGroup('Values:'));
  for (const option of formats) command.addOption(option.helpGroup('Formats:'));
  command.action(async (kind: FactKind, file: string, options: ImportOptions) => {
    const { runImport } = await import('./import/run.ts');
    await runImport(kind, file, options);
  });
  withExamples(withClient(withJson(command)), examples);
  return command.addHelpText('after', notes);
}

const examples = `
partner-signals import accounts accounts.csv --dry-run
partner-signals import accounts Account.csv --backfill                          Salesforce, Data Loader or report
partner-signals import opportunities report.csv --dates mdy --set currency=USD  Salesforce, a report in US format
partner-signals import opportunities deals.csv --won-stage Signed --lost-stage 'No decision'
partner-signals import opportunities hubspot-deals.csv --time-zone Europe/Berlin --default currency=EUR
partner-signals import partners partners.csv --set type=gsi --map tier=Level --map-value tier:Gold=1
partner-signals import partner_accounts acme.csv --set partner_external_id=P-7 --map-value relationship:Target=prospect
partner-signals import activities activities.csv --value-map crm-values.json --yes
zcat activities.ndjson.gz | partner-signals import activities - --format ndjson
`;

const notes = `
Load in this order, because a row can only refer to records already loaded: partners, accounts, opportunities,
partner_accounts, activities. The importer knows our field names and the column names of Salesforce and HubSpot, and
ignores other columns. Importing the same file again changes nothing.

The importer reads the whole file first and shows its plan: columns, stages, values, dates and currencies. It asks
about stages and values it does not know, and remembers your answers. With --yes, or without a terminal, it stops
before sending and prints the flags to add.

Refused rows are saved in <file>.rejected.csv (or .ndjson) with the reason. Fix them and import that file.
To continue an interrupted import, run the same command again.`;

function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description} (repeatable)`).argParser((value, before: string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}

function encoding(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw new InvalidArgumentError('Use a name such as windows-1252, iso-8859-15 or utf-16le.');
  }
}

function timeZone(name: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    throw new InvalidArgumentError('Use a name such as Europe/Berlin or America/New_York.');
  }
}
