import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { companyName } from '../../src/demo/names.ts';
import { between, pickOne, type Random, randomOf } from '../../src/demo/random.ts';

const day = 86_400_000;
const epoch = Date.UTC(2024, 0, 1);
const countries = [
  'Germany',
  'United States',
  'United Kingdom',
  'Österreich',
  'FR',
  'Korea, Republic of',
  '',
];
const suffixes = ['GmbH', 'AG & Co. KG', 'Söhne', '"Nord" Ltd.', 'S.à r.l.', ', Inc.'];

/** About one row in a hundred is invalid in one of these ways. */
type Flaw =
  | 'none'
  | 'no name'
  | 'bad country'
  | 'bad date'
  | 'too many cells'
  | 'unknown company'
  | 'bad amount'
  | 'other currency';

export type Export = { rows: number; bad: number };

/** A Data Loader export of accounts: all cells quoted, IDs with 15 and 18 characters, two-line addresses. */
export function writeSalesforceAccounts(file: string, rows: number): Promise<Export> {
  const header = [
    'Id',
    'IsDeleted',
    'MasterRecordId',
    'Name',
    'Type',
    'BillingStreet',
    'BillingCountry',
    'Website',
    'Description',
    'LastModifiedDate',
  ];
  return writeExport(file, header, rows, always, (index, random) => {
    const flaw = flawOf(random, ['no name', 'bad country', 'bad date', 'too many cells']);
    const { name, slug } = companyName(index, 0);
    const cells = [
      salesforceId(index),
      'false',
      '',
      flaw === 'no name' ? ' ' : `${name} ${pickOne(random, suffixes)}`,
      pickOne(random, ['Prospect', 'Customer - Direct', '']),
      `Straße ${between(random, 1, 200)}\n"Hof", links`,
      flaw === 'bad country' ? 'Atlantis' : pickOne(random, countries),
      random() < 0.2 ? '' : `https://www.${slug}.example/`,
      random() < 0.5 ? '' : 'Zeile 1\r\nZeile 2; "zitiert", und mehr',
      flaw === 'bad date' ? '31.31.2025' : isoOf(random).replace('Z', '+0000'),
      ...(flaw === 'too many cells' ? ['extra'] : []),
    ];
    return { cells, bad: flaw !== 'none' };
  });
}

/** A HubSpot export of companies: UTF-8 with a byte order mark, quotes only where needed. */
export function writeHubSpotCompanies(file: string, rows: number): Promise<Export> {
  const header = [
    'Record ID',
    'Company name',
    'Company Domain Name',
    'Country/Region',
    'Company owner',
    'Create Date',
    'Last Modified Date',
  ];
  return writeExport(file, header, rows, whereNeeded, (index, random) => {
    const flaw = flawOf(random, ['no name', 'bad country']);
    const { name, slug } = companyName(index, 7);
    const cells = [
      companyId(index),
      flaw === 'no name' ? '' : `${name} ${pickOne(random, suffixes)}`,
      random() < 0.1 ? '' : `${slug}.example`,
      flaw === 'bad country' ? '???' : pickOne(random, countries),
      '',
      minuteOf(random),
      minuteOf(random),
    ];
    return { cells, bad: flaw !== 'none' };
  });
}

/** A HubSpot export of deals. Some refer to a company that is in no export, which only the service can detect. */
export function writeHubSpotOpportunities(file: string, rows: number, companies: number): Promise<Export> {
  const header = [
    'Record ID',
    'Deal Name',
    'Deal Stage',
    'Amount',
    'Currency',
    'Close Date',
    'Create Date',
    'Is Closed Won',
    'Is Deal Closed?',
    'Associated Company IDs',
    'Last Modified Date',
  ];
  const amounts = [
    ['€ 12.500,00', ''],
    ['$1,250.50', 'USD'],
    ['8000', 'EUR'],
    ['0.5', ''],
    ["CHF 3'000", ''],
    ['', 'EUR'],
  ];
  const stages = ['Appointment Scheduled', 'Contract Sent', 'Closed Won', 'Closed Lost'];
  // Do not refer to refused companies, or the number of invalid deals would depend on them.
  const isBad = (index: number) => flawOf(randomOf(1, 1, index), ['no name', 'bad country']) !== 'none';
  const goodCompanies = Array.from({ length: companies }, (_, index) => index).filter(
    (index) => !isBad(index),
  );
  return writeExport(file, header, rows, whereNeeded, (index, random) => {
    const flaw = flawOf(random, ['unknown company', 'bad amount', 'other currency']);
    const stage = pickOne(random, stages);
    const company = companyId(pickOne(random, goodCompanies));
    const [value = '', currency = ''] = pickOne(random, amounts);
    const cells = [
      String(30_000_000_000 + index),
      `${companyName(index, 3).name} – Erneuerung, "Phase ${between(random, 1, 4)}"`,
      stage,
      flaw === 'bad amount' ? 'n/a' : flaw === 'other currency' ? 'EUR 5' : value,
      flaw === 'other currency' ? 'USD' : currency,
      minuteOf(random),
      minuteOf(random),
      stage === 'Closed Won' ? 'true' : 'false',
      stage.startsWith('Closed') ? 'true' : 'false',
      flaw === 'unknown company' ? '999' : random() < 0.1 ? `${company};${companyId(0)}` : company,
      minuteOf(random),
    ];
    return { cells, bad: flaw !== 'none' };
  });
}

type Quote = (cell: string) => string;
const always: Quote = (cell) => `"${cell.replaceAll('"', '""')}"`;
const whereNeeded: Quote = (cell) => (/[",\r\n]/.test(cell) ? always(cell) : cell);

async function writeExport(
  file: string,
  header: string[],
  rows: number,
  quote: Quote,
  row: (index: number, random: Random) => { cells: string[]; bad: boolean },
): Promise<Export> {
  let bad = 0;
  const line = (cells: string[]) => `${cells.map(quote).join(',')}\r\n`;
  function* lines() {
    yield (quote === whereNeeded ? '\ufeff' : '') + line(header);
    for (let index = 0; index < rows; index++) {
      const made = row(index, randomOf(1, 1, index));
      if (made.bad) bad++;
      yield line(made.cells);
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
  return { rows, bad };
}

/** Uses the first random number of a row, so that its index alone determines whether it is invalid. */
function flawOf(random: Random, flaws: Flaw[]): Flaw {
  const chance = random();
  return chance < 0.01 ? (flaws[Math.floor(chance * 100 * flaws.length)] ?? 'none') : 'none';
}

/** Odd ones have the short form that reports use, without the last three letters. */
function salesforceId(index: number): string {
  const short = `0015g00000${index.toString(36).padStart(5, '0')}`;
  return index % 2 === 1 ? short : `${short}AAA`;
}

function companyId(index: number): string {
  return String(20_000_000_000 + index);
}

function isoOf(random: Random): string {
  return new Date(epoch + between(random, 0, 700 * day)).toISOString();
}

function minuteOf(random: Random): string {
  return isoOf(random).slice(0, 16).replace('T', ' ');
}
