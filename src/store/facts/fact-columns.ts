import { sortKey } from '../../contract/sort-key.ts';
import { text, timestamptz } from '../db/columns.ts';

/** What every kept fact has beside its own fields. */
export const kept = {
  deleted_at: timestamptz<Date | null>(),
  source_updated_at: timestamptz<Date | null>(),
};
export const company = {
  domain: text<string | null>(),
  country: text<string | null>(),
  registry_number: text<string | null>(),
};

/** What lists are sorted and searched by; it follows from the name, so that it is no part of the fact. */
export function withNameKey<Fact extends { name: string }>(fact: Fact): Fact & { name_key: string } {
  return { ...fact, name_key: sortKey(fact.name) };
}
