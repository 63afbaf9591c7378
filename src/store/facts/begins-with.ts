import { pageLimits } from '../../vocabulary.ts';

/** Prefixes of a name, a domain and a CRM ID; any of them may match. */
export type Search = { name: string; domain: string; crm_id: string };

/** A condition on a column in the "C" collation that an index can serve, whatever the value. */
export function beginsWith(column: string, start: string, values: unknown[]): string {
  return `${column} >= $${values.push(start)} and ${column} < $${values.push(`${start}\u{10ffff}`)}`;
}

/** At most a page is read, however short the prefix is. */
export const mostFound = pageLimits.most;

/**
 * The IDs of accounts by the prefix of their name, a domain or their CRM ID. Accounts found by name must also satisfy
 * `more`.
 */
export function accountsFound(search: Search, values: unknown[], more = 'true'): string {
  const listed = 'org_id = $1 and deleted_at is null and merged_into is null';
  return `
    (select id from accounts where ${listed} and ${more} and ${beginsWith('name_key', search.name, values)}
      order by name_key, id limit ${mostFound + 1})
    union (${accountsByDomain(search, values)})
    union (select id from accounts where ${listed} and ${beginsWith('crm_id', search.crm_id, values)}
      order by crm_id limit ${mostFound})`;
}

/** The IDs of accounts by the prefix of one of their domains. */
export function accountsByDomain({ domain }: Search, values: unknown[]): string {
  return `
    select account_id as id from account_keys where org_id = $1 and ${beginsWith('key', `domain:${domain}`, values)}
    order by key, account_id limit ${mostFound}`;
}
