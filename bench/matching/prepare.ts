/*
 * Creates the labelled lists in `data` from the files that their README names: node scripts/run-typescript.mjs
 * bench/matching/prepare.ts <folder with the files>. Only the security is removed from a name ("… Common Stock", "… INH.
 * O.N."), nothing that belongs to the company's own name, because the lists test the matching.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';

const [folder = ''] = process.argv.slice(2);
type Record = { [column: string]: string };
type Row = { id: string; name: string; country: string };

const read = (file: string) => parse(readFileSync(join(folder, file)), { columns: true }) as Record[];

function write(file: string, rows: Row[]): void {
  const lines = rows.map(({ id, name, country }) => `${id},${country},"${name.replaceAll('"', '""')}"`);
  writeFileSync(
    new URL(`data/${file}.csv`, import.meta.url),
    `${['id,country,name', ...lines.sort()].join('\n')}\n`,
  );
  console.log(`${file}: ${rows.length}`);
}

// Lists of the United States, by the SEC's company number.

const sec = new Map<string, string>();
const cikOfTicker = new Map<string, string>();
const filed = JSON.parse(readFileSync(join(folder, 'sec-2026.json'), 'utf8')) as Record;
for (const { cik_str, ticker, title } of Object.values(filed) as unknown as Record[]) {
  if (!sec.has(String(cik_str))) sec.set(String(cik_str), withoutState(title ?? ''));
  cikOfTicker.set((ticker ?? '').replace('-', '.'), String(cik_str));
}
const inUs = (names: Map<string, string>) =>
  [...names].map(([id, name]) => ({ id, name: name.trim(), country: 'US' }));
const sp500 = byCompany(
  read('sp500.csv').map(({ CIK = '', Security = '' }) => [String(Number(CIK)), Security]),
);
const nyse = byCompany(
  read('other-listed.csv')
    .filter((row) => ['N', 'A'].includes(row.Exchange ?? '') && row.ETF === 'N' && row['Test Issue'] === 'N')
    .flatMap((row) => listing(row['ACT Symbol'], row['Security Name'])),
);
const nasdaq = byCompany(
  read('nasdaq-listed-symbols.csv')
    .filter((row) => row.ETF === 'N' && row['Test Issue'] === 'N' && row.NextShares === 'N')
    .flatMap((row) => listing(row.Symbol, row['Security Name'])),
);
for (const cik of [...sp500.keys(), ...nyse.keys()]) nasdaq.delete(cik);
write('us-sec', inUs(sec));
write('us-sp500', inUs(sp500));
write('us-nyse', inUs(nyse));
write('us-nasdaq', inUs(nasdaq));

/** The SEC appends the state or an earlier use of the name, as in "FIRST BANCORP /NC/". */
function withoutState(title: string): string {
  return title.replace(/\s*[\\/]\s*[a-z][a-z .]*[\\/]?$/i, '').replace(/ \(Cayman Islands\)$/i, '');
}

/** The first name of each company that the SEC knows. */
function byCompany(rows: [string, string][]): Map<string, string> {
  return new Map(rows.filter(([cik, name]) => sec.has(cik) && name !== '').reverse());
}

/** The company of a common stock or depositary share; none for funds, units, warrants, notes and preferred stock. */
function listing(ticker = '', security = ''): [string, string][] {
  const isOther =
    /\b(warrants?|units?|rights?|notes?|debentures?|preferred|preference|fund|etn|bonds?|certificates|beneficial|municipal)\b|%/i;
  const cik = cikOfTicker.get(ticker);
  if (cik === undefined || isOther.test(security)) return [];
  const name = security
    .replace(/ - .*$/, '')
    .replace(
      /\s+(new\s+)?((class|series) [a-z]\b.*|(american )?depositary.*|ads\b.*|adr\b.*|(sub\w* )?(voting |limited |multiple |exchangeable )*(common|ordinary|registered|capital) (stock|shares?|units?)\b.*|shares\b.*)$/i,
      '',
    );
  return [[cik, name]];
}

// Lists of all countries, by ISIN: German exchanges shorten names, the home exchanges do not.

const regions = new Intl.DisplayNames('en', { type: 'region' });
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const codes = letters.flatMap((one) => letters.map((other) => one + other));
const countries = new Map(
  codes
    .filter((code) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`)
    .map((code) => [(regions.of(code) ?? '').replace(' SAR China', ''), code]),
);
const boards = ['BER', 'MUN', 'DUS', 'HAM', 'HAN', 'GER', 'STU', 'FRA'];
const equities = read('fd-equities.csv')
  .map((row) => ({ ...row, country: countries.get(row.country ?? '') ?? '' }) as Record)
  .filter(
    (row) =>
      row.country !== '' && row.isin !== '' && !/\b(etf|etp|etn|fund|ucits|leverage)\b/i.test(row.name ?? ''),
  );
// A company has an ISIN per security; those with the same website and country are one company.
const firstIsin = new Map<string, string>();
for (const row of equities.sort((a, b) => ((a.isin ?? '') < (b.isin ?? '') ? -1 : 1))) {
  const site = `${row.country} ${(row.website ?? '').replace(/^https?:\/\/(www\.)?/, '').replace(/\/.*$/, '')}`;
  const known = row.website ? firstIsin.get(site) : undefined;
  if (row.website && known === undefined)
    firstIsin.set(site, firstIsin.get(row.isin ?? '') ?? row.isin ?? '');
  if (!firstIsin.has(row.isin ?? '') || known !== undefined)
    firstIsin.set(row.isin ?? '', known ?? row.isin ?? '');
}
for (const row of equities) row.isin = firstIsin.get(row.isin ?? '') ?? '';
const home = companies(
  equities.filter((row) => !boards.includes(row.exchange ?? '')),
  withoutSecurity,
);
const isEven = (isin: string) => (createHash('sha256').update(isin).digest()[0] ?? 0) % 2 === 0;
const berlin = listed(['BER', 'DUS', 'GER', 'HAN']).filter(({ id }) => isEven(id));
const munich = listed(['MUN', 'HAM']).filter(({ id }) => !isEven(id));
write('world-home', home);
write('world-berlin', berlin);
write('world-munich', munich);

function listed(exchanges: string[]): Row[] {
  // Names in capitals are the exchange's own spelling; others are copied from the home exchange.
  const rows = equities.filter(
    (row) => exchanges.includes(row.exchange ?? '') && !/\p{Ll}/u.test(row.name ?? ''),
  );
  const names = companies(rows, withoutSecurity);
  const counterparts = new Map(home.map((row) => [row.id, row]));
  // Some rows have the ISIN of another company; if two rows differ in the country, that is the case.
  return names.filter((row) => counterparts.get(row.id)?.country === row.country);
}

/** One row per ISIN, with the name that most of its listings have. */
function companies(rows: Record[], clean: (name: string) => string): Row[] {
  const byIsin = groupBy(rows, (row) => row.isin ?? '');
  return [...byIsin].map(([id, group]) => {
    const names = groupBy(group, (row) => clean(row.name ?? ''));
    const [[name, named]] = [...names].sort(
      (a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1),
    ) as [[string, Record[]]];
    return { id, name, country: named[0]?.country ?? '' };
  });
}

function withoutSecurity(name: string): string {
  return name
    .replace(/\s*\(?\b(sp\.?\s?)?[ag]dr\b.*$/i, '')
    .replace(/\s*\b(DL|EO|LS|SF|NK|SK|DK|HD|AD|SD|YC|BA|IS|RC|RP|ZY|CD|TN)?\s?-?,?\d*[,.]\d+$/, '')
    .replace(/\s+(DL|EO|LS|SF|NK|SK|DK|HD|AD|SD|YC|BA|IS|RC|RP|ZY|CD|ND)\s*-?[\d,]+.*$/, '')
    .replace(/\s+(sponsored|depositary receipts|pref)\b.*$/i, '')
    .replace(/\s+(class|cl\.?)\s?[a-z]\b.*$/i, '')
    .replace(
      /(\s+|(?<=\.))(INH\.?|O\.\s?N\.?|NA|NAM\.?|VZO?|STO|SHS|ORD|REG\.?S|NEW|SUB\.? VTG.*|-FGN-)$/g,
      '',
    )
    .replace(/(\s+|(?<=\.))(INH\.?|O\.\s?N\.?|NA|NAM\.?|VZO?|STO|SHS|ORD|REG\.?S|NEW|-FGN-)$/g, '')
    .trim();
}

function groupBy<T>(rows: T[], key: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return groups;
}
