import { sortKey } from '../contract/sort-key.ts';
import { normalizeDomain } from '../rules/matching/domain-name.ts';
import type { Search } from '../store/facts/begins-with.ts';

/** The filter of a list by what people type, if they do. */
export function searched({ q }: { q?: string }): { search?: Search } {
  return q === undefined ? {} : { search: toSearch(q) };
}

/** What people type, as names, domains and CRM IDs are kept. */
function toSearch(typed: string): Search {
  const text = typed.trim();
  const host = text.toLowerCase().replace(/^(?:[a-z]+:)?\/\/|^mailto:/, '');
  const start = host.replace(/^[^/]*@/, '').replace(/^www\./, '');
  return { name: sortKey(text), domain: normalizeDomain(text) ?? start, crm_id: text };
}
