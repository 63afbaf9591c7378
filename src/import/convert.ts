import { type DecimalSign, readAmount } from './amounts.ts';
import { choices, mappedTo, type ValueMap } from './choices.ts';
import { type DateOrder, readDate, toTimestamp, type WrittenDate } from './dates.ts';

/** How to read values that are ambiguous on their own. */
export type Conventions = {
  dates?: DateOrder | undefined;
  decimal?: DecimalSign | undefined;
  timeZone: string;
  values: ValueMap;
};

/** What a cell shows about the whole file, or leaves open. */
export type Clue =
  | { about: 'choice'; text: string; becomes: unknown }
  | { about: 'dates'; text: string; shows: DateOrder | undefined }
  | { about: 'decimal'; text: string; shows: DecimalSign | undefined }
  | { about: 'currency'; mark: string; currencies: string[] }
  | { about: 'no amount' };

/** A value for the service, nothing, or the reason why there is none. */
export type Converted = ({ value?: unknown } | { problem: string }) & { clue?: Clue; mark?: CurrencyMark };
/** What is written next to an amount, and the currencies it can mean. */
export type CurrencyMark = { mark: string; currencies: string[] };
type Converter = (text: string, conventions: Conventions) => Converted;

/** A field has the same meaning in every fact that has it. */
const converters: Record<string, Converter> = {
  external_id: key,
  crm_id: key,
  partner_external_id: key,
  account_crm_id: key,
  opportunity_crm_id: key,
  merged_into: key,
  value: amount,
  owner: person,
  extra_domains: (text) => ({ value: text.split(/[;,\s]+/).filter((part) => part !== '') }),
  // Only the UTC day counts. Without a time zone, keep the day as written.
  opened_at: dated((date, zone) => (date.offset ? toTimestamp(date, zone) : date.day)),
  closed_date: dated((date) => date.day),
  date: dated((date) => date.day),
  rate: (text) =>
    /^\d+(\.\d+)?$/.test(text) ? { value: Number(text) } : { problem: 'must be a number such as 1.0823' },
  occurred_at: dated(toTimestamp),
  recorded_at: dated(toTimestamp),
  // A date without a time would make later changes on that day look older than they are.
  source_updated_at: dated((date, zone) => (date.time ? toTimestamp(date, zone) : undefined)),
  deleted: truth,
  is_won: truth,
  is_lost: truth,
  is_closed: truth,
  ...Object.fromEntries(Object.keys(choices).map((field) => [field, chosen(field)])),
};

/** Empty cells are absent fields. JSON can contain numbers, booleans and lists. */
export function convert(field: string, cell: unknown, conventions: Conventions): Converted {
  if (cell === undefined || cell === null) return {};
  if (field === 'extra_domains' && Array.isArray(cell)) return cell.length === 0 ? {} : { value: cell };
  if ((field === 'value' || field === 'rate') && typeof cell === 'number') return { value: cell };
  if (field === 'owner' && typeof cell === 'object' && !Array.isArray(cell)) return { value: cell };
  if (typeof cell === 'object') return { problem: 'must be a plain value, not a list or an object' };
  const text = String(cell).trim();
  if (text === '') return {};
  return converters[field]?.(text, conventions) ?? { value: text };
}

/** HubSpot lists all associated records; the first one is used. */
function key(text: string): Converted {
  if (/^\d(\.\d+)?E\+\d+$/i.test(text))
    return { problem: 'was shortened by a spreadsheet; export it again, or format the column as text' };
  const single = /^\d+(\s*;\s*\d+)+$/.test(text) ? text.slice(0, text.indexOf(';')).trim() : text;
  return { value: salesforceId(single) };
}

const checkLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/**
 * Salesforce IDs have 15 case-sensitive characters, or 18, where the last three encode which of the others are capital
 * letters. Reports use the short form, Data Loader the long one. This always returns the long form.
 */
function salesforceId(text: string): string {
  if (!/^(00[1-9A-Za-z]|a\d[0-9A-Za-z])[0-9A-Za-z]{12}$/.test(text)) return text;
  const check = [0, 5, 10].map((from) => {
    const capitals = [...text.slice(from, from + 5)].map((letter) => (/[A-Z]/.test(letter) ? 1 : 0));
    return checkLetters[capitals.reduce<number>((sum, bit, place) => sum + (bit << place), 0)];
  });
  return text + check.join('');
}

/** A name, an e-mail address, or both: Noor Halvorsen <noor@example.com>, Noor Halvorsen (noor@example.com) */
function person(text: string): Converted {
  const [, name, email = text] = /^(.*?)\s*[<(]([^<>()\s]+@[^<>()\s]+)[>)]$/.exec(text) ?? [];
  if (!/^\S+@\S+$/.test(email)) return { value: { name: text } };
  return { value: { name: name || email, email } };
}

function chosen(field: string): Converter {
  const choice = choices[field];
  return (text, { values }) => {
    const mapped = mappedTo(values, field, text);
    if (mapped === '') return { clue: { about: 'choice', text, becomes: '' } };
    const value = choice?.read(mapped ?? text);
    const clue: Clue = { about: 'choice', text, becomes: value };
    // The message contains no value, so that rows with different values are reported together.
    return value === undefined ? { problem: `is not ${choice?.takes}`, clue } : { value, clue };
  };
}

function dated(take: (date: WrittenDate, timeZone: string) => string | undefined): Converter {
  return (text, { dates, timeZone }) => {
    const date = readDate(text, dates);
    const clue = shownBy('dates', text, date);
    return 'problem' in date ? { problem: date.problem, ...clue } : { value: take(date, timeZone), ...clue };
  };
}

/** What a date or an amount shows about the others, or that it leaves its own meaning open. */
function shownBy<About extends 'dates' | 'decimal'>(
  about: About,
  text: string,
  { unclear, shows }: { unclear?: true; shows?: Extract<Clue, { about: About }>['shows'] },
) {
  return unclear || shows ? { clue: { about, text, shows } as Clue } : {};
}

function truth(text: string): Converted {
  const word = text.toLowerCase();
  if (['1', 'true', 'yes', 'y', 't'].includes(word)) return { value: true };
  if (['0', 'false', 'no', 'n', 'f'].includes(word)) return { value: false };
  return { problem: 'must be true or false' };
}

/** Spreadsheets show an amount of zero as a dash. */
function amount(text: string, { decimal }: Conventions): Converted {
  if (/^[-–—]$/.test(text)) return {};
  const read = readAmount(text, decimal);
  const clue = shownBy('decimal', text, read);
  if ('problem' in read) return { problem: read.problem, ...clue };
  const { value, mark, currencies } = read;
  return { value, ...clue, ...(mark !== undefined && currencies ? { mark: { mark, currencies } } : {}) };
}
