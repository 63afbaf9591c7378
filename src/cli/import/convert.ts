import { activityKinds } from '../../contract/activity.ts';
import { opportunityStatuses, relationships } from '../../contract/ingest.ts';
import { partnerTypes } from '../../contract/partner.ts';
import { plain } from './columns.ts';
import { countryCode } from './countries.ts';
import { type DateOrder, readDate, toTimestamp, type WrittenDate } from './dates.ts';

/** How the values of a file are to be read where they do not say it themselves. */
export type Conventions = {
  dates?: DateOrder | undefined;
  decimal?: 'point' | 'comma' | undefined;
  timeZone: string;
};

/** A value as the service takes it, nothing, or the reason why it cannot be had. */
export type Converted = { value?: unknown } | { problem: string };
type Converter = (text: string, conventions: Conventions) => Converted;

/** A field has the same meaning in every fact that has it. */
const converters: Record<string, Converter> = {
  external_id: key,
  crm_id: key,
  partner_external_id: key,
  account_crm_id: key,
  opportunity_crm_id: key,
  merged_into: key,
  type: choice(partnerTypes, {
    gsi: ['globalsystemintegrator', 'globalsystemsintegrator', 'systemintegrator', 'systemsintegrator', 'si'],
    hyperscaler: ['cloudprovider', 'cloud'],
    technology_partner: ['technology', 'isv', 'independentsoftwarevendor'],
    solution_provider: ['solution', 'reseller', 'valueaddedreseller', 'var', 'msp', 'managedserviceprovider'],
  }),
  kind: choice(activityKinds),
  status: choice(opportunityStatuses, { won: ['closedwon'], lost: ['closedlost'] }),
  relationship: choice(relationships, {
    customer: ['customerdirect', 'customerchannel', 'evangelist'],
    open_opportunity: ['opportunity', 'openopp'],
    prospect: ['lead', 'marketingqualifiedlead', 'salesqualifiedlead', 'subscriber'],
  }),
  tier: (text) => amount(text.replace(/^tier\s*/i, ''), {}),
  value: amount,
  currency: (text) => ({ value: (/\(([A-Z]{3})\)/.exec(text)?.[1] ?? text).toUpperCase() }),
  country: (text) => {
    const value = countryCode(text);
    return value
      ? { value }
      : { problem: 'is not a country that is known; --map country= loads without countries' };
  },
  extra_domains: (text) => ({ value: text.split(/[;,\s]+/).filter((part) => part !== '') }),
  // Only its UTC day counts: where no zone is written, the day is best left as it stands.
  opened_at: dated((date, zone) => (date.offset ? toTimestamp(date, zone) : date.day)),
  closed_date: dated((date) => date.day),
  occurred_at: dated(toTimestamp),
  recorded_at: dated(toTimestamp),
  // A day alone would make what was changed later on that day look older than it is.
  source_updated_at: dated((date, zone) => (date.time ? toTimestamp(date, zone) : undefined)),
  deleted: truth,
  is_won: truth,
  is_lost: truth,
  is_closed: truth,
};

/** Empty cells are absent fields; JSON may hold numbers, truth values and lists already. */
export function convert(field: string, cell: unknown, conventions: Conventions): Converted {
  if (cell === undefined || cell === null) return {};
  if (field === 'extra_domains' && Array.isArray(cell)) return cell.length === 0 ? {} : { value: cell };
  if (field === 'value' && typeof cell === 'number') return { value: cell };
  if (typeof cell === 'object') return { problem: 'must be a plain value, not a list or an object' };
  const text = String(cell).trim();
  if (text === '') return {};
  return converters[field]?.(text, conventions) ?? { value: text };
}

/** HubSpot lists the records that one is associated with: the first stands for all. */
function key(text: string): Converted {
  if (/^\d(\.\d+)?E\+\d+$/i.test(text))
    return { problem: 'was shortened by a spreadsheet: export it again, or format the column as text' };
  const single = /^\d+(\s*;\s*\d+)+$/.test(text) ? text.slice(0, text.indexOf(';')).trim() : text;
  return { value: salesforceId(single) };
}

const checkLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/**
 * Salesforce writes an identifier in 15 characters, whose case matters, or in 18, where the last three say which of
 * each five were capitals. Reports have the one, Data Loader the other; here it is always the longer.
 */
function salesforceId(text: string): string {
  if (!/^(00[1-9A-Za-z]|a\d[0-9A-Za-z])[0-9A-Za-z]{12}$/.test(text)) return text;
  const check = [0, 5, 10].map((from) => {
    const capitals = [...text.slice(from, from + 5)].map((letter) => (/[A-Z]/.test(letter) ? 1 : 0));
    return checkLetters[capitals.reduce<number>((sum, bit, place) => sum + (bit << place), 0)];
  });
  return text + check.join('');
}

/** What is none of the values stays as it is, for the contract to name those that there are. */
function choice(values: readonly string[], synonyms: Record<string, string[]> = {}): Converter {
  const known = new Map(values.map((value) => [plain(value), value]));
  for (const [value, others] of Object.entries(synonyms)) for (const other of others) known.set(other, value);
  return (text) => ({ value: known.get(plain(text)) ?? text });
}

function dated(take: (date: WrittenDate, timeZone: string) => string | undefined): Converter {
  return (text, { dates, timeZone }) => {
    const date = readDate(text, dates);
    return typeof date === 'string' ? { problem: date } : { value: take(date, timeZone) };
  };
}

function truth(text: string): Converted {
  const word = text.toLowerCase();
  if (['1', 'true', 'yes', 'y', 't'].includes(word)) return { value: true };
  if (['0', 'false', 'no', 'n', 'f'].includes(word)) return { value: false };
  return { problem: 'must be true or false' };
}

/** Currency signs and codes, spaces and apostrophes aside, there are digits, points and commas. */
function amount(text: string, { decimal }: Pick<Conventions, 'decimal'>): Converted {
  const bare = text.replace(/^[A-Z]{3}\b|\b[A-Z]{3}$|\p{Sc}|[\s'’]/gu, '');
  const negative = /^\(.*\)$/.test(bare) || bare.startsWith('-');
  const digits = bare.replace(/^[(+-]+|\)$/g, '');
  if (!/^\d[\d.,]*$/.test(digits)) return { problem: 'is not a number' };
  const sign = decimal === undefined ? decimalSign(digits) : { point: '.', comma: ',' }[decimal];
  if (sign === 'unclear') {
    return {
      problem: 'may mean thousands or decimals: say by --decimal point or --decimal comma what the sign is',
    };
  }
  const [whole = '', fraction = '0', ...more] = sign ? digits.split(sign) : [digits];
  if (more.length > 0 || !/^\d*$/.test(fraction)) return { problem: 'is not a number' };
  const value = Number(`${whole.replace(/[.,]/g, '')}.${fraction}`);
  return { value: negative ? -value : value };
}

/** The last of two different signs; of one alone, only what cannot be a separator of thousands. */
function decimalSign(digits: string): '.' | ',' | '' | 'unclear' {
  const point = digits.lastIndexOf('.');
  const comma = digits.lastIndexOf(',');
  if (point === -1 && comma === -1) return '';
  if (point !== -1 && comma !== -1) return point > comma ? '.' : ',';
  const sign = point === -1 ? ',' : '.';
  if (digits.indexOf(sign) !== digits.lastIndexOf(sign)) return '';
  if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) return sign;
  return sign === ',' ? '' : 'unclear';
}
