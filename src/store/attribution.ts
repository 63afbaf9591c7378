import type { Tier } from '../contract/activity.ts';
import type { AttributionRecord } from '../contract/attribution.ts';
import type { AccountId, AttributionId, OpportunityId, OrganizationId, PartnerId } from '../contract/ids.ts';
import type { PartnerType } from '../contract/partner.ts';
import type { Queryable, Tx } from './connection.ts';
import type { Position } from './cursor.ts';
import { fence } from './fence.ts';
import { firstRows } from './first-rows.ts';

/** A list item, from rows `r` of records and what they show. */
const item = `
  r.id, r.tier, r.status, r.policy_version, r.closed_date, r.created_at, r.updated_at,
  p.id as partner_id, p.name as partner_name, p.type as partner_type,
  a.id as account_id, a.name as account_name, a.crm_id as account_crm_id,
  o.id as opportunity_id, o.name as opportunity_name, o.value as opportunity_value, o.stage as opportunity_stage,
  coalesce((
    select d.status from disputes d where d.org_id = $1 and d.record_id = r.id
    order by d.opened_at desc, d.id desc limit 1), 'none') as dispute_status`;
const joins = `
  cross join lateral (select id, name, type from partners where org_id = $1 and id = r.partner_id ${fence}) p
  cross join lateral (
    select id, account_id, name, value, stage from opportunities where org_id = $1 and id = r.opportunity_id ${fence}) o
  cross join lateral (select id, name, crm_id from accounts where org_id = $1 and id = o.account_id ${fence}) a`;

type ItemRow = Omit<AttributionRecord, 'partner' | 'account' | 'opportunity'> & {
  partner_id: PartnerId;
  partner_name: string;
  partner_type: PartnerType;
  account_id: AccountId;
  account_name: string;
  account_crm_id: string;
  opportunity_id: OpportunityId;
  opportunity_name: string;
  opportunity_value: number;
  opportunity_stage: string;
};

function toItem(row: ItemRow): AttributionRecord {
  return {
    id: row.id,
    tier: row.tier,
    status: row.status,
    partner: { id: row.partner_id, name: row.partner_name, type: row.partner_type },
    account: { id: row.account_id, name: row.account_name, crm_id: row.account_crm_id },
    opportunity: {
      id: row.opportunity_id,
      name: row.opportunity_name,
      value: row.opportunity_value,
      stage: row.opportunity_stage,
    },
    closed_date: row.closed_date,
    dispute_status: row.dispute_status,
    policy_version: row.policy_version,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

export type AttributionFilters = {
  partner_id?: PartnerId;
  tier?: Tier;
  closed_after?: string;
  closed_before?: string;
};

const conditionOf: Record<keyof AttributionFilters, (parameter: string) => string> = {
  partner_id: (parameter) => `r.partner_id = ${parameter}`,
  tier: (parameter) => `r.tier = ${parameter}`,
  closed_after: (parameter) => `r.closed_date > ${parameter}`,
  closed_before: (parameter) => `r.closed_date < ${parameter}`,
};

/** The conditions of the filters that are given, their values pushed to `values`, and a name for the combination. */
export function toConditions(
  filters: AttributionFilters,
  values: unknown[],
): { conditions: string[]; names: string[] } {
  const given = (Object.keys(conditionOf) as (keyof AttributionFilters)[]).filter(
    (name) => filters[name] !== undefined,
  );
  return {
    conditions: given.map((name) => conditionOf[name](`$${values.push(filters[name])}`)),
    names: given,
  };
}

/** Newest closing first; a page is found in an index and only its rows are joined. */
export async function listAttribution(
  db: Queryable,
  orgId: OrganizationId,
  filters: AttributionFilters,
  limit: number,
  after: Position | null,
): Promise<AttributionRecord[]> {
  const values: unknown[] = [orgId, limit];
  const { conditions, names } = toConditions(filters, values);
  if (after) {
    conditions.push(`(r.closed_date, r.id) < ($${values.push(after[0])}, $${values.push(after[1])})`);
    names.push('after' as never);
  }
  const page = `select * from attribution_records r where ${['r.org_id = $1', ...conditions].join(' and ')}`;
  const { rows } = await db.query<ItemRow>({
    name: ['list_attribution', ...names].join('_'),
    text: `
      select ${item} from (${firstRows(page, 'closed_date desc, id desc', '$2')}) r
      ${joins} order by r.closed_date desc, r.id desc`,
    values,
  });
  return rows.map(toItem);
}

export async function findAttributionItems(
  db: Queryable,
  orgId: OrganizationId,
  ids: AttributionId[],
): Promise<AttributionRecord[]> {
  const { rows } = await db.query<ItemRow>({
    name: 'find_attribution_items',
    text: `
      select ${item} from unnest($2::text[]) as g (id)
      cross join lateral (select * from attribution_records where org_id = $1 and id = g.id ${fence}) r ${joins}`,
    values: [orgId, ids],
  });
  return rows.map(toItem);
}

export type HeldRecord = {
  id: AttributionId;
  opportunity_id: OpportunityId;
  partner_id: PartnerId;
  tier: Tier;
  status: 'active' | 'reversed';
  pinned: boolean;
  policy_version: number;
  closed_date: string;
};

const held = `id, opportunity_id, partner_id, tier, status, pinned, policy_version, closed_date`;

export async function findRecordsOf(
  db: Queryable,
  orgId: OrganizationId,
  opportunityIds: OpportunityId[],
): Promise<HeldRecord[]> {
  const { rows } = await db.query<HeldRecord>({
    name: 'find_records_of',
    text: `select ${held} from attribution_records where org_id = $1 and opportunity_id = any($2)`,
    values: [orgId, opportunityIds],
  });
  return rows;
}

export async function findRecord(
  db: Queryable,
  orgId: OrganizationId,
  id: AttributionId,
): Promise<HeldRecord | undefined> {
  const { rows } = await db.query<HeldRecord>({
    name: 'find_record',
    text: `select ${held} from attribution_records where org_id = $1 and id = $2`,
    values: [orgId, id],
  });
  return rows[0];
}

export async function upsertRecords(
  tx: Tx,
  orgId: OrganizationId,
  records: HeldRecord[],
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'upsert_records',
    text: `
      insert into attribution_records (org_id, id, opportunity_id, partner_id, tier, status, pinned, policy_version, closed_date, created_at, updated_at)
      select $1, id, opportunity_id, partner_id, tier, status, pinned, policy_version, closed_date, $3, $3
      from jsonb_to_recordset($2) as r (
        id text, opportunity_id text, partner_id text, tier text, status text, pinned boolean, policy_version int, closed_date date)
      on conflict (org_id, id) do update
      set tier = excluded.tier, status = excluded.status, pinned = excluded.pinned,
        policy_version = excluded.policy_version, closed_date = excluded.closed_date, updated_at = excluded.updated_at`,
    values: [orgId, JSON.stringify(records), now],
  });
}

export async function touchRecords(
  tx: Tx,
  orgId: OrganizationId,
  ids: AttributionId[],
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'touch_records',
    text: `update attribution_records set updated_at = $3 where org_id = $1 and id = any($2)`,
    values: [orgId, ids, now],
  });
}
