import {
  activityKinds,
  opportunityStatuses,
  partnerTiers,
  partnerTypes,
  relationships,
} from '../vocabulary.ts';
import { plain } from './columns.ts';
import { countryCode } from './countries.ts';
import { currencyCode } from './currencies.ts';
import { synonyms } from './synonyms.ts';

/** A field that accepts only certain values, whatever the CRM calls them. */
export type Choice = {
  /** For people: "Enter …". */
  takes: string;
  /** All values, if there are few enough to list. */
  options?: readonly string[];
  /** Free text in CRMs, so a file can have any number of odd values: they cost their rows, not the import. */
  freeText?: true;
  read(text: string): string | number | undefined;
};

/** A field has the same meaning in every fact that has it. */
export const choices: Record<string, Choice> = {
  type: oneOf(partnerTypes, synonyms.type),
  tier: {
    takes: either(partnerTiers.map(String)),
    options: partnerTiers.map(String),
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

/** The fields whose values can be mapped. A stage keeps its name and maps to the status of its deals. */
export const mappable: Record<string, Choice> = { ...choices, stage: choices.status as Choice };

/** What the values of a file mean, by field and `valueKey`; empty if the value is to be left out. */
export type ValueMap = Record<string, Record<string, string>>;

export function mappedTo(values: ValueMap, field: string, text: string): string | undefined {
  const known = values[field];
  const key = valueKey(text);
  return known && Object.hasOwn(known, key) ? known[key] : undefined;
}

/** Punctuation counts: a program can have both "Gold" and "Gold+". */
export function valueKey(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

function oneOf<T extends string>(options: readonly T[], others: Partial<Record<T, string[]>>): Choice {
  const known = new Map<string, T>(options.map((option) => [plain(option), option]));
  for (const option of options) for (const other of others[option] ?? []) known.set(plain(other), option);
  return {
    takes: either(options),
    options,
    read: (text) => known.get(plain(text)),
  };
}

function either(options: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(options);
}
