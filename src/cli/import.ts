import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { FactKind } from '../contract/ingest.ts';
import { withClient } from './connection.ts';
import type { ImportOptions } from './import/run.ts';
import { withExamples, withJson } from './output.ts';
import { wholeNumber } from './values.ts';

// Spelled out, as in choices.ts: the contract's own list would bring its schemas along for a mere --help.
const kinds: Record<FactKind, 0> = {
  partners: 0,
  accounts: 0,
  opportunities: 0,
  partner_accounts: 0,
  activities: 0,
};

/** Loads what a CRM has exported, of any size, from a file. */
export function importCommand(): Command {
  const command = new Command('import')
    .description('Load facts from a CSV or NDJSON file, such as an export of Salesforce or HubSpot.')
    .addArgument(new Argument('<kind>', 'what the rows are').choices(Object.keys(kinds)))
    .argument('<file>', '.csv, .tsv, .ndjson, .jsonl or .json; - is standard input')
    .addOption(
      new Option('--format <format>', 'where the name does not tell').choices(['csv', 'ndjson', 'json']),
    )
    .addOption(
      new Option('--encoding <name>', 'where it is neither UTF-8 nor marked as UTF-16').argParser(encoding),
    )
    .option(
      '--map <field=Column>',
      'the column of a field; "country=" takes none for it (repeatable)',
      collect,
    )
    .option('--map-file <file>', 'the same as a JSON object: {"field": "Column"}')
    .option('--set <field=value>', 'one value for all rows (repeatable)', collect)
    .option('--default <field=value>', 'a value where the cell is empty (repeatable)', collect)
    .option('--won-stage <name>', 'a stage that is won, if its name does not say so (repeatable)', collect)
    .option('--lost-stage <name>', 'a stage that is lost, if its name does not say so (repeatable)', collect)
    .addOption(new Option('--dates <order>', 'what 01/02/2026 means').choices(['dmy', 'mdy']))
    .addOption(new Option('--decimal <sign>', 'what 1.234 means').choices(['point', 'comma']))
    .addOption(
      new Option('--time-zone <name>', 'of times that are written without one, e.g. Europe/Berlin')
        .default('UTC')
        .argParser(timeZone),
    )
    .option('--backfill', 'a first load: signals and events as ever, but nothing is sent to webhooks')
    .option('--dry-run', 'show the mapping and check all rows; send nothing, write nothing')
    .option('--restart', 'begin anew where an import was broken off')
    .option('-y, --yes', 'do not ask')
    .option('--batch-rows <n>', 'rows that are committed together', wholeNumber(1, 10_000), 5_000)
    .action(async (kind: FactKind, file: string, options: ImportOptions) => {
      const { runImport } = await import('./import/run.ts');
      await runImport(kind, file, options);
    });
  withExamples(withClient(withJson(command)), examples);
  return command.addHelpText('after', notes);
}

const examples = `
partner-signals import accounts accounts.csv --dry-run
partner-signals import accounts Account.csv --backfill                          Salesforce, Data Loader or report
partner-signals import opportunities report.csv --dates mdy --default value=0   Salesforce, a report in US format
partner-signals import accounts hubspot-companies.csv                           HubSpot, companies
partner-signals import opportunities hubspot-deals.csv --time-zone Europe/Berlin --set currency=EUR
partner-signals import partners partners.csv --set type=gsi --map tier=Level
partner-signals import partner_accounts acme.csv --set partner_external_id=P-7 --set relationship=customer
zcat activities.ndjson.gz | partner-signals import activities - --format ndjson
`;

const notes = `
Load in this order, since a row may only name what is known: partners, accounts, opportunities, partner_accounts,
activities. Columns are found by our names and by those of Salesforce and HubSpot; the rest is ignored. Loading the
same again changes nothing.

Rows that are refused are kept in <file>.rejected.csv (or .ndjson) with the reason: mend them and import that file.
An import that was broken off, by Ctrl-C or otherwise, goes on where it stopped when the same command is given again.`;

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function encoding(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw new InvalidArgumentError('It takes a name such as windows-1252, iso-8859-15 or utf-16le.');
  }
}

function timeZone(name: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    throw new InvalidArgumentError('It takes a name such as Europe/Berlin or America/New_York.');
  }
}
