import type { AccountId, ActivityId, OpportunityId, OrganizationId, PartnerId } from '../contract/ids.ts';
import type { ActivityKind, PartnerType, Relationship } from '../vocabulary.ts';
import { array, columns, int, type Row, smallint, text, timestamptz } from './columns.ts';
import { company, kept } from './fact-columns.ts';
import { fence, rowsBy } from './fence.ts';
import { all, type Queryable, type Tx } from './tx.ts';

const partner = columns({
  id: text<PartnerId>(),
  external_id: text(),
  name: text(),
  name_key: text(),
  type: text<PartnerType>(),
  tier: smallint(),
  domain: text<string | null>(),
  ...kept,
});
export type PartnerFact = Row<typeof partner>;

const partnerAccount = columns({
  partner_id: text<PartnerId>(),
  external_id: text(),
  name: text(),
  ...company,
  relationship: text<Relationship>(),
  ...kept,
});
export type PartnerAccountFact = Row<typeof partnerAccount>;

const activity = columns({
  id: text<ActivityId>(),
  external_id: text(),
  partner_id: text<PartnerId>(),
  account_id: text<AccountId>(),
  opportunity_id: text<OpportunityId | null>(),
  kind: text<ActivityKind>(),
  occurred_at: timestamptz(),
  recorded_at: timestamptz(),
  source_recorded_at: timestamptz<Date | null>(),
  summary: text(),
  actor: text<string | null>(),
  source: text<string | null>(),
  /** Another one whenever anything else here changes, except the time of the source's version. */
  version: int(),
  ...kept,
});
export type ActivityFact = Row<typeof activity>;

export async function findPartnerFacts(
  db: Queryable,
  orgId: OrganizationId,
  externalIds: string[],
): Promise<PartnerFact[]> {
  return all<PartnerFact>(db, {
    name: 'find_partner_facts',
    text: rowsBy('partners', 'external_id', partner.list),
    values: [orgId, array([...new Set(externalIds)])],
  });
}

export async function upsertPartners(
  tx: Tx,
  orgId: OrganizationId,
  partners: PartnerFact[],
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'upsert_partners',
    text: `
      insert into partners (org_id, created_at, updated_at, ${partner.list})
      select $1, $3, $3, ${partner.list} from jsonb_to_recordset($2) as r ${partner.record}
      on conflict (org_id, id) do update set ${partner.excluded('id', 'external_id')}, updated_at = excluded.updated_at`,
    values: [orgId, JSON.stringify(partners), now],
  });
}

export async function findPartnerAccountFacts(
  db: Queryable,
  orgId: OrganizationId,
  keys: { partner_id: PartnerId; external_id: string }[],
): Promise<PartnerAccountFact[]> {
  return all<PartnerAccountFact>(db, {
    name: 'find_partner_account_facts',
    text: `
      select a.* from unnest($2::text[], $3::text[]) as k (partner_id, external_id)
      cross join lateral (
        select ${partnerAccount.list} from partner_accounts
        where org_id = $1 and partner_id = k.partner_id and external_id = k.external_id ${fence}) a`,
    values: [orgId, array(keys.map((key) => key.partner_id)), array(keys.map((key) => key.external_id))],
  });
}

export async function upsertPartnerAccounts(
  tx: Tx,
  orgId: OrganizationId,
  accounts: PartnerAccountFact[],
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'upsert_partner_accounts',
    text: `
      insert into partner_accounts (org_id, created_at, updated_at, ${partnerAccount.list})
      select $1, $2, $2, ${partnerAccount.list} from ${partnerAccount.unnest(3)}
      on conflict (org_id, partner_id, external_id) do update set ${partnerAccount.excluded('partner_id', 'external_id')}, updated_at = excluded.updated_at`,
    values: [orgId, now, ...partnerAccount.arrays(accounts)],
  });
}

export async function findActivityFacts(
  db: Queryable,
  orgId: OrganizationId,
  externalIds: string[],
): Promise<ActivityFact[]> {
  return all<ActivityFact>(db, {
    name: 'find_activity_facts',
    text: rowsBy('activities', 'external_id', activity.list),
    values: [orgId, array([...new Set(externalIds)])],
  });
}

export async function upsertActivities(
  tx: Tx,
  orgId: OrganizationId,
  activities: ActivityFact[],
): Promise<void> {
  await tx.query({
    name: 'upsert_activities',
    text: `
      insert into activities (org_id, ${activity.list})
      select $1, ${activity.list} from ${activity.unnest(2)}
      on conflict (org_id, id) do update set ${activity.excluded('id', 'external_id')}`,
    values: [orgId, ...activity.arrays(activities)],
  });
}
