import type { AccountId, ActivityId, OpportunityId, OrganizationId, PartnerId } from '../contract/ids.ts';
import type { Queryable } from './connection.ts';
import type { Position } from './cursor.ts';
import { firstRows } from './first-rows.ts';

export type Activity = {
  id: ActivityId;
  kind: string;
  occurred_at: Date;
  recorded_at: Date;
  summary: string;
  actor: string | null;
  source: string | null;
  opportunity_id: OpportunityId | null;
};

const columns = `v.id, v.kind, v.occurred_at, v.recorded_at, v.summary, v.actor, v.source, v.opportunity_id`;

/** The complete log of one partner on one account, newest first. */
export async function listPairActivities(
  db: Queryable,
  orgId: OrganizationId,
  accountId: AccountId,
  partnerId: PartnerId,
): Promise<Activity[]> {
  const { rows } = await db.query<Activity>({
    name: 'list_pair_activities',
    text: `
      select ${columns} from activities v
      where v.org_id = $1 and v.account_id = $2 and v.partner_id = $3 and v.deleted_at is null
      order by v.occurred_at desc, v.id desc`,
    values: [orgId, accountId, partnerId],
  });
  return rows;
}

export type PartnerActivity = Activity & { account: { id: AccountId; name: string; crm_id: string } };

export async function listPartnerActivities(
  db: Queryable,
  orgId: OrganizationId,
  partnerId: PartnerId,
  limit: number,
  after: Position | null,
): Promise<PartnerActivity[]> {
  const page = `
    select * from activities
    where org_id = $1 and partner_id = $2 and deleted_at is null
      ${after ? 'and (occurred_at, id) < ($4, $5)' : ''}`;
  const { rows } = await db.query<PartnerActivity>({
    name: `list_partner_activities${after ? '_after' : ''}`,
    text: `
      select ${columns}, json_build_object('id', a.id, 'name', a.name, 'crm_id', a.crm_id) as account
      from (${firstRows(page, 'occurred_at desc, id desc', '$3')}) v
      join accounts a on a.org_id = $1 and a.id = v.account_id
      order by v.occurred_at desc, v.id desc`,
    values: [orgId, partnerId, limit, ...(after ?? [])],
  });
  return rows;
}
