import { pageLimits } from '../../vocabulary.ts';

/** Beginnings of a name, of a domain and of a CRM ID; one of them is enough. */
export type Search = { name: string; domain: string; crm_id: string };

/** The condition on a column in the "C" collation that an index can serve, whatever the value. */
export function beginsWith(column: string, start: string, values: unknown[]): string {
  return `${column} >= $${values.push(start)} and ${column} < $${values.push(`${start}\u{10ffff}`)}`;
}

/** As few as a page shows: so many are read however short the beginning is. */
export const mostFound = pageLimits.most;

/** The ids of accounts by the beginning of their name, a domain or their CRM ID; those of a name that satisfy `more`. */
export function accountsFound(search: Search, values: unknown[], more = 'true'): string {
  const listed = 'org_id = $1 and deleted_at is null and merged_into is null';
  return `
    (select id from accounts where ${listed} and ${more} and ${beginsWith('name_key', search.name, values)}
      order by name_key, id limit ${mostFound + 1})
    union (${accountsByDomain(search, values)})
    union (select id from accounts where ${listed} and ${beginsWith('crm_id', search.crm_id, values)}
      order by crm_id limit ${mostFound})`;
}

/** The ids of accounts by the beginning of one of their domains. */
export function accountsByDomain({ domain }: Search, values: unknown[]): string {
  return `
    select account_id as id from account_keys where org_id = $1 and ${beginsWith('key', `domain:${domain}`, values)}
    order by key, account_id limit ${mostFound}`;
}
