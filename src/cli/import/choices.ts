import { activityKinds } from '../../contract/activity.ts';
import { opportunityStatuses, relationships } from '../../contract/ingest.ts';
import { partnerTypes } from '../../contract/partner.ts';
import { plain } from './columns.ts';
import { countryCode } from './countries.ts';
import { currencyCode } from './currencies.ts';
import { synonyms } from './synonyms.ts';

/** A field that takes only certain values, whatever the CRM calls them. */
export type Choice = {
  /** For people: "It takes …". */
  takes: string;
  /** All of the values, where there are few enough to list. */
  options?: readonly string[];
  /** People type it freely, so a file has any number of odd values: they cost their rows, not the import. */
  freeText?: true;
  read(text: string): string | number | undefined;
};

const tiers = ['1', '2', '3', '4'];

/** A field has the same meaning in every fact that has it. */
export const choices: Record<string, Choice> = {
  type: oneOf(partnerTypes, synonyms.type),
  tier: {
    takes: '1, 2, 3 or 4',
    options: tiers,
    read: (text) => {
      const [, digit] = /^(?:tier|level)?\s*([1-4])(?:\.0+)?$/i.exec(text) ?? [];
      return digit === undefined ? undefined : Number(digit);
    },
  },
  kind: oneOf(activityKinds, synonyms.kind),
  status: oneOf(opportunityStatuses, synonyms.status),
  relationship: oneOf(relationships, synonyms.relationship),
  currency: { takes: 'a currency, such as EUR', read: currencyCode },
  country: { takes: 'a country, such as DE or Germany', freeText: true, read: countryCode },
};

/** The fields whose values can be mapped. A stage keeps its name: what it maps to is the status of its deals. */
export const mappable: Record<string, Choice> = { ...choices, stage: choices.status as Choice };

/** What the values of a file stand for, by field and `valueKey`; empty where they are to be left out. */
export type ValueMap = Record<string, Record<string, string>>;

export function mappedTo(values: ValueMap, field: string, text: string): string | undefined {
  const known = values[field];
  const key = valueKey(text);
  return known && Object.hasOwn(known, key) ? known[key] : undefined;
}

/** Punctuation counts: a programme may have both "Gold" and "Gold+", and a dollar sign is nothing else. */
export function valueKey(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** As people say it. */
export function labelOf(option: string): string {
  return option === 'gsi' ? 'GSI (global systems integrator)' : option.replaceAll('_', ' ');
}

function oneOf<T extends string>(options: readonly T[], others: Partial<Record<T, string[]>>): Choice {
  const known = new Map<string, T>(options.map((option) => [plain(option), option]));
  for (const option of options) for (const other of others[option] ?? []) known.set(plain(other), option);
  return {
    takes: new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(options),
    options,
    read: (text) => known.get(plain(text)),
  };
}
