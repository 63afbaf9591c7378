import { type Account, AccountSchema } from '../../contract/account.ts';
import type { AccountId, OpportunityId, OrganizationId } from '../../contract/ids.ts';
import { type StoredOpportunity, StoredOpportunitySchema } from '../../contract/opportunity.ts';
import { type Partner, PartnerSchema } from '../../contract/partner.ts';
import type { OpportunityStatus } from '../../vocabulary.ts';
import { fieldsOf } from '../db/columns.ts';
import { itemColumns, toItem } from '../db/item-columns.ts';
import { firstOf, rowsOf } from '../db/statement.ts';
import { all, type Reader } from '../db/tx.ts';

/*
 * What people name in a question: found by its CRM ID, or else by a name that contains every word of the text. There is no
 * index on parts of names: such a search reads all names of the organization.
 */

export const searchPartners = rowsOf<Partner, [text: string, limit: number]>({
  name: 'search_partners',
  text: `
    select ${fieldsOf(PartnerSchema)} from partners
    where org_id = $1 and deleted_at is null and (name ilike all($2) or external_id = $3)
    order by lower(name) = lower($3) desc, length(name), name_key, id limit $4`,
  values: (text, limit) => [patterns(text), text, limit],
});

const account = fieldsOf(AccountSchema);

export const findAccountSummary = firstOf<Account, [id: AccountId]>({
  name: 'find_account_summary',
  text: `select ${account} from accounts where org_id = $1 and id = $2 and deleted_at is null and merged_into is null`,
});

export async function searchAccounts(
  db: Reader,
  orgId: OrganizationId,
  text: string,
  limit: number,
): Promise<Account[]> {
  const byCrmId = await all<Account>(db, {
    name: 'find_account_by_crm_id',
    text: `
      select ${account} from accounts
      where org_id = $1 and crm_id = $2 and deleted_at is null and merged_into is null`,
    values: [orgId, text],
  });
  if (byCrmId.length > 0) return byCrmId;
  return all<Account>(db, {
    name: 'search_accounts',
    text: `
      select ${account} from accounts
      where org_id = $1 and deleted_at is null and merged_into is null
        and (name ilike all($2) or domain = lower($3))
      order by lower(name) = lower($3) desc, length(name), name, id limit $4`,
    values: [orgId, patterns(text), text, limit],
  });
}

/** A CRM opportunity always has these. */
export type CrmOpportunity = StoredOpportunity & {
  crm_id: string;
  status: OpportunityStatus;
  opened_at: Date;
};
/** Rows `o` that are CRM opportunities, not prospective ones. */
const crmOpportunity = `
  select ${itemColumns(StoredOpportunitySchema, 'o')}
  from opportunities o join accounts account on account.org_id = $1 and account.id = o.account_id
  where o.org_id = $1 and o.crm_id is not null and o.deleted_at is null`;
/** Open ones first, then the latest. */
const opportunityOrder = `o.status = 'open' desc, coalesce(o.closed_date, o.opened_at::date) desc, o.id desc`;

export const findCrmOpportunity = firstOf<CrmOpportunity, [id: OpportunityId]>(
  { name: 'find_crm_opportunity', text: `${crmOpportunity} and o.id = $2` },
  toItem,
);

/** By its own name, or as an opportunity of one of these accounts. */
export async function searchOpportunities(
  db: Reader,
  orgId: OrganizationId,
  text: string,
  accountIds: AccountId[],
  limit: number,
): Promise<CrmOpportunity[]> {
  const byCrmId = await all(db, {
    name: 'find_opportunity_by_crm_id',
    text: `${crmOpportunity} and o.crm_id = $2`,
    values: [orgId, text],
  });
  if (byCrmId.length > 0) return byCrmId.map(toItem<CrmOpportunity>);
  const byName = await all(db, {
    name: 'search_opportunities',
    text: `
      ${crmOpportunity} and (o.name ilike all($2) or o.account_id = any($4))
      order by lower(o.name) = lower($3) desc, ${opportunityOrder} limit $5`,
    values: [orgId, patterns(text), text, accountIds, limit],
  });
  return byName.map(toItem<CrmOpportunity>);
}

export const listAccountOpportunities = rowsOf<CrmOpportunity, [accountId: AccountId, limit: number]>(
  {
    name: 'list_account_opportunities',
    text: `${crmOpportunity} and o.account_id = $2 order by ${opportunityOrder} limit $3`,
  },
  toItem,
);

/** One pattern per word; a name must match all of them. */
function patterns(text: string): string[] {
  return text.split(/\s+/).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
}
