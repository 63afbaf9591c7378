import { sortKey } from '../../contract/values/sort-key.ts';
import { text, timestamptz } from '../db/columns.ts';

/** The columns that every fact has in addition to its own fields. */
export const versionColumns = {
  deleted_at: timestamptz<Date | null>(),
  source_updated_at: timestamptz<Date | null>(),
};
export const company = {
  domain: text<string | null>(),
  country: text<string | null>(),
  registry_number: text<string | null>(),
};

/** The key for sorting and searching. It follows from the name, so it is not part of the fact. */
export function withNameKey<Fact extends { name: string }>(fact: Fact): Fact & { name_key: string } {
  return { ...fact, name_key: sortKey(fact.name) };
}
