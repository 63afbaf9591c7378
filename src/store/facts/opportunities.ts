import type { AccountId, OpportunityId, OrganizationId } from '../../contract/ids.ts';
import {
  type StoredOpportunity,
  type StoredOpportunityDetail,
  StoredOpportunityDetailSchema,
  StoredOpportunitySchema,
} from '../../contract/opportunity.ts';
import { type OpportunityStatus, opportunityStatuses } from '../../vocabulary.ts';
import type { Position } from '../db/cursor.ts';
import { firstRows } from '../db/first-rows.ts';
import { itemColumns, joinSummary, toItem } from '../db/item-columns.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { firstOf, variant } from '../db/statement.ts';
import type { Reader } from '../db/tx.ts';
import { accountsByDomain, beginsWith, mostFound, type Search } from './begins-with.ts';

export type OpportunityFilters = { account_id?: AccountId; status?: OpportunityStatus };
type Listed = StoredOpportunity & { name_key: string };

const account = joinSummary('account', 'o.account_id');
const listed = 'org_id = $1 and crm_id is not null and deleted_at is null';

/**
 * By name. Each status is read in its own order and the three are merged; an account has few opportunities. Results by CRM
 * ID or domain are a page at most, and are sorted in among the names.
 */
export async function listOpportunities(
  db: Reader,
  orgId: OrganizationId,
  { account_id, status }: OpportunityFilters,
  search: Search | null,
  limit: number,
  after: Position | null,
): Promise<Listed[]> {
  const values: unknown[] = [orgId, limit];
  const where = [listed];
  if (after) where.push(`(name_key, id) > ($${values.push(after[0])}, $${values.push(after[1])})`);
  if (account_id) where.push(`account_id = $${values.push(account_id)}`);
  const statuses = status ? [`$${values.push(status)}`] : opportunityStatuses.map((name) => `'${name}'`);
  const first = (select: string) => firstRows(select, 'name_key, id', '$2');
  const select = `select * from opportunities where ${where.join(' and ')}`;
  const inStatus = `status in (${statuses.join(', ')})`;
  /** In the order of names, with an additional condition. */
  const byName = (condition: string) =>
    account_id
      ? `${select} and ${inStatus} and ${condition}`
      : `select b.* from (values ${statuses.map((name) => `(${name})`).join(', ')}) as s (status)
         cross join lateral (${first(`${select} and status = s.status and ${condition}`)}) b`;
  let page = byName('true');
  if (search) {
    const named = beginsWith('name_key', search.name, values);
    page = `
      select b.* from (
        select id from (${first(byName(named))}) n
        union (select id from opportunities where ${listed} and ${beginsWith('crm_id', search.crm_id, values)}
          order by crm_id limit ${mostFound})
        union (
          select d.id from (${accountsByDomain(search, values)}) a
          cross join lateral (select id from opportunities where ${listed} and account_id = a.id ${plannerFence}) d
          order by d.id limit ${mostFound})
      ) found
      cross join lateral (${select} and ${inStatus} and id = found.id ${plannerFence}) b`;
  }
  const text = `
    select ${itemColumns(StoredOpportunitySchema, 'o')}, o.name_key from (${first(page)}) o ${account}
    order by o.name_key, o.id`;
  const { rows } = await db.query(variant('list_opportunities', text, values));
  return rows.map(toItem<Listed>);
}

export const findOpportunity = firstOf<StoredOpportunityDetail, [id: OpportunityId]>(
  {
    name: 'find_opportunity',
    text: `
      select ${itemColumns(StoredOpportunityDetailSchema, 'o')} from opportunities o ${account}
      where o.org_id = $1 and o.id = $2 and o.deleted_at is null`,
  },
  toItem,
);
