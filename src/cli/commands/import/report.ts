import { fieldsOf, plain } from '../../../import/columns.ts';
import type { SourceRecord } from '../../../import/record.ts';
import type { Reason } from '../../../import/refusals.ts';
import { type Reading, toRow } from '../../../import/rows.ts';
import { type SeenStage, type SeenValue, type Survey, valuesOf } from '../../../import/survey.ts';
import type { FactKind } from '../../../vocabulary.ts';
import { screen } from '../../terminal/output.ts';
import { type Column, createTable } from '../../terminal/table.ts';
import { counted, formatNumber } from '../../terminal/values.ts';
import { inWords } from '../../terminal/words.ts';
import type { Done } from './state.ts';

/** What the importer is about to do, for the person who has to confirm it. */
export function planLines(reading: Reading, survey: Survey, first: SourceRecord | undefined): string[] {
  return [
    ...mappingLines(reading, first),
    ...(reading.kind === 'opportunities' ? stageLines(valuesOf(survey.stages)) : []),
    ...valueLines(reading.kind, survey),
    ...dateLine(reading, survey),
    ...currencyLines(survey),
    ...domainLine(survey),
    '',
  ];
}

/** What the importer did, with the reasons why it refused rows. */
export function resultLines(
  { rows, created, updated, unchanged, refused, reasons }: Omit<Done, 'rejects_bytes'>,
  { dryRun }: { dryRun?: boolean },
): string[] {
  const counts = dryRun
    ? `${counted(rows, 'row')}: ${formatNumber(rows - refused)} can be sent, ${formatNumber(refused)} would be refused. Nothing was sent.`
    : `${counted(rows, 'row')}: ${formatNumber(created)} created, ${formatNumber(updated)} updated, ${formatNumber(unchanged)} unchanged, ${formatNumber(refused)} refused.`;
  if (reasons.length === 0) return [counts];
  return [counts, '', ...createTable(reasonColumns, screen())(reasons)];
}

function mappingLines(reading: Reading, first: SourceRecord | undefined): string[] {
  const { row } = first ? toRow(reading, first) : { row: {} as Record<string, unknown> };
  const { columnOf } = reading.columns;
  const lines = fieldsOf(reading.kind).flatMap((field): MappingLine[] => {
    const becomes = shown(row[field]);
    const column = columnOf.get(field);
    if (reading.set[field] !== undefined)
      return [{ field, from: '(--set)', value: reading.set[field], becomes }];
    if (column !== undefined) return [{ field, from: column, value: shown(first?.cells[column]), becomes }];
    if (reading.defaults[field] !== undefined)
      return [{ field, from: '(--default)', value: reading.defaults[field], becomes }];
    if (field === 'currency' && becomes !== '')
      return [{ field, from: `(${columnOf.get('value')})`, value: '', becomes }];
    if (field !== 'status') return [];
    const sources = ['is_won', 'is_lost', 'is_closed', 'stage'].flatMap((name) => columnOf.get(name) ?? []);
    return [{ field, from: `(${sources.join(', ')})`, value: '', becomes }];
  });
  const ignored = reading.columns.ignored();
  return [
    ...createTable(mappingColumns, screen(process.stderr))(lines),
    ...(ignored.length > 0 ? [`Ignored: ${ignored.join(', ')}`] : []),
  ];
}

type MappingLine = { field: string; from: string; value: string; becomes: string };
const mappingColumns: Column<MappingLine>[] = [
  { head: 'field', value: ({ field }) => field },
  { head: 'from column', value: ({ from }) => from, shrink: true },
  { head: 'first row', value: ({ value }) => value, shrink: true },
  { head: 'becomes', value: ({ becomes }) => becomes, shrink: true },
];

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const maxListed = 30;

function listed<T>(columns: Column<T>[], rows: T[]): string[] {
  if (rows.length === 0) return [];
  const more = rows.length > maxListed ? [`… and ${formatNumber(rows.length - maxListed)} more`] : [];
  return ['', ...createTable(columns, screen(process.stderr))(rows.slice(0, maxListed)), ...more];
}

function stageLines(stages: SeenStage[]): string[] {
  return listed(
    [
      { head: 'stage', value: ({ text }) => text, shrink: true },
      { head: 'read as', value: ({ status }) => status ?? 'unknown' },
      { head: 'deals', value: ({ rows }) => formatNumber(rows), right: true },
    ],
    stages,
  );
}

/** Leaves out values that need no translation, and country names that were understood. */
function valueLines(kind: FactKind, { known, unknown }: Survey): string[] {
  const lines = fieldsOf(kind).flatMap((field) => {
    const understood = field === 'country' ? [] : valuesOf(known.get(field));
    const translated = understood.filter(({ text, becomes }) => plain(text) !== plain(String(becomes)));
    const values = field === 'stage' ? [] : [...translated, ...valuesOf(unknown.get(field))];
    return values.map((seen) => ({ ...seen, field }));
  });
  return listed<SeenValue & { field: string }>(
    [
      { head: 'field', value: ({ field }) => field },
      { head: 'value', value: ({ text }) => text, shrink: true },
      { head: 'read as', value: ({ becomes }) => meaning(becomes) },
      { head: 'rows', value: ({ rows }) => formatNumber(rows), right: true },
    ],
    lines,
  );
}

function meaning(becomes: unknown): string {
  if (becomes === undefined) return 'unknown';
  return becomes === '' ? 'empty' : inWords(String(becomes));
}

function dateLine({ conventions }: Reading, { dates }: Survey): string[] {
  if (!conventions.dates || !(dates.dmy || dates.mdy || dates.unclear)) return [];
  const seen = conventions.dates === 'dmy' ? dates.dmy : dates.mdy;
  const why = seen ? `, as in ${seen.text} in line ${formatNumber(seen.line)}` : '';
  return ['', `Dates: ${conventions.dates === 'dmy' ? 'day' : 'month'} first${why}.`];
}

function currencyLines({ currencies, withoutCurrency, withoutAmount }: Survey): string[] {
  const counts = [...currencies].sort((a, b) => b[1] - a[1]).slice(0, maxListed);
  const listed = counts.map(([code, rows]) => `${code} ${counted(rows, 'deal')}`).join(', ');
  const without = (rows: number, what: string, outcome: string) => {
    const they = rows === 1 ? 'it is' : 'they are';
    return rows > 0 ? [`${counted(rows, 'deal has', 'deals have')} no ${what}; ${they} ${outcome}.`] : [];
  };
  return [
    ...(counts.length > 0 ? ['', `Currencies: ${listed}.`] : []),
    ...without(withoutCurrency, 'currency', 'totalled separately'),
    ...without(withoutAmount, 'amount', 'loaded as 0'),
  ];
}

function domainLine({ sharedDomains: seen }: Survey): string[] {
  if (!seen) return [];
  const rows = counted(seen.rows, 'row has', 'rows have');
  return [
    '',
    `${rows} a domain that many companies share, such as ${seen.text} in line ${formatNumber(seen.line)}. Such a domain never matches a partner's account.`,
  ];
}

const reasonColumns: Column<Reason>[] = [
  { head: 'rows', value: ({ count }) => formatNumber(count), right: true },
  {
    head: 'lines',
    value: ({ lines, count }) => `${lines.map(formatNumber).join(', ')}${count > lines.length ? ', …' : ''}`,
  },
  { head: 'why', value: (reason) => `${reason.field} ${reason.message}${examples(reason)}` },
];

/** The values with their counts; the list says if there are more. */
function examples({ values, count }: Reason): string {
  if (values.length === 0) return '';
  const listed = values.reduce((sum, { rows }) => sum + rows, 0);
  const list = values.map(({ value, rows }) => `"${value}"${rows > 1 ? ` (${formatNumber(rows)})` : ''}`);
  return `: ${list.join(', ')}${count > listed ? ', …' : ''}`;
}
