import { sortKey } from '../contract/values/sort-key.ts';
import { normalizeDomain } from '../rules/matching/domain-name.ts';
import type { Search } from '../store/facts/begins-with.ts';

/** The search filter of a list, if any. */
export function searched({ q }: { q?: string }): { search?: Search } {
  return q === undefined ? {} : { search: toSearch(q) };
}

/** Normalizes the search text as names, domains and CRM IDs are stored. */
function toSearch(typed: string): Search {
  const text = typed.trim();
  const host = text.toLowerCase().replace(/^(?:[a-z]+:)?\/\/|^mailto:/, '');
  const start = host.replace(/^[^/]*@/, '').replace(/^www\./, '');
  return { name: sortKey(text), domain: normalizeDomain(text) ?? start, crm_id: text };
}
