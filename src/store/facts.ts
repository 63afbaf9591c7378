import type { AccountId, ActivityId, OpportunityId, OrganizationId, PartnerId } from '../contract/ids.ts';
import type { Person } from '../contract/person.ts';
import { sortKey } from '../contract/sort-key.ts';
import type { ActivityKind, OpportunityStatus, PartnerType, Relationship } from '../vocabulary.ts';
import {
  array,
  columns,
  date,
  int,
  jsonb,
  numeric,
  type Row,
  smallint,
  text,
  texts,
  timestamptz,
} from './columns.ts';
import { fence } from './fence.ts';
import { all, type Queryable, type Tx } from './tx.ts';

/** What every kept fact has beside its own fields. */
const kept = {
  deleted_at: timestamptz<Date | null>(),
  source_updated_at: timestamptz<Date | null>(),
};
const company = {
  domain: text<string | null>(),
  country: text<string | null>(),
  registry_number: text<string | null>(),
};

const owned = { owner: jsonb<Person | null>(), owner_key: text<string | null>() };

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

const account = columns({
  id: text<AccountId>(),
  crm_id: text(),
  name: text(),
  ...company,
  extra_domains: texts(),
  merged_into: text<AccountId | null>(),
  ...owned,
  ...kept,
});
const accountRow = columns({ ...account.declared, name_key: text() });
export type AccountFact = Row<typeof account>;

const opportunity = columns({
  id: text<OpportunityId>(),
  account_id: text<AccountId>(),
  crm_id: text(),
  name: text(),
  value: numeric(),
  currency: text<string | null>(),
  stage: text(),
  status: text<OpportunityStatus>(),
  opened_at: timestamptz(),
  closed_date: date<string | null>(),
  ...owned,
  ...kept,
});
const opportunityRow = columns({ ...opportunity.declared, name_key: text() });
export type OpportunityFact = Row<typeof opportunity>;

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

/** What lists are sorted and searched by; it follows from the name, so that it is no part of the fact. */
function withNameKey<Fact extends { name: string }>(fact: Fact): Fact & { name_key: string } {
  return { ...fact, name_key: sortKey(fact.name) };
}

export async function findPartnerFacts(
  db: Queryable,
  orgId: OrganizationId,
  externalIds: string[],
): Promise<PartnerFact[]> {
  return all<PartnerFact>(db, {
    name: 'find_partner_facts',
    text: `
      select p.* from unnest($2::text[]) as g (external_id)
      cross join lateral (
        select ${partner.list} from partners where org_id = $1 and external_id = g.external_id ${fence}) p`,
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

export async function findAccountFacts(
  db: Queryable,
  orgId: OrganizationId,
  crmIds: string[],
): Promise<AccountFact[]> {
  return all<AccountFact>(db, {
    name: 'find_account_facts',
    text: `
      select a.* from unnest($2::text[]) as g (crm_id)
      cross join lateral (
        select ${account.list} from accounts where org_id = $1 and crm_id = g.crm_id ${fence}) a`,
    values: [orgId, array([...new Set(crmIds)])],
  });
}

export async function findAccountFactsById(
  db: Queryable,
  orgId: OrganizationId,
  ids: AccountId[],
): Promise<AccountFact[]> {
  return all<AccountFact>(db, {
    name: 'find_account_facts_by_id',
    text: `
      select ${account.list} from accounts where org_id = $1 and id = any($2)`,
    values: [orgId, ids],
  });
}

/** Accounts that hold one of these keys; a domain may be shared by several. */
export async function findAccountsByKey(
  db: Queryable,
  orgId: OrganizationId,
  keys: string[],
): Promise<{ key: string; account_id: AccountId }[]> {
  return all<{ key: string; account_id: AccountId }>(db, {
    name: 'find_accounts_by_key',
    text: `select key, account_id from account_keys where org_id = $1 and key = any($2)`,
    values: [orgId, keys],
  });
}

export async function upsertAccounts(
  tx: Tx,
  orgId: OrganizationId,
  accounts: AccountFact[],
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'upsert_accounts',
    text: `
      insert into accounts (org_id, created_at, updated_at, ${accountRow.list})
      select $1, $3, $3, ${accountRow.list} from jsonb_to_recordset($2) as r ${accountRow.record}
      on conflict (org_id, id) do update set ${accountRow.excluded('id', 'crm_id')}, updated_at = excluded.updated_at`,
    values: [orgId, JSON.stringify(accounts.map(withNameKey)), now],
  });
}

export async function findOpportunityFacts(
  db: Queryable,
  orgId: OrganizationId,
  crmIds: string[],
): Promise<OpportunityFact[]> {
  return all<OpportunityFact>(db, {
    name: 'find_opportunity_facts',
    text: `
      select o.* from unnest($2::text[]) as g (crm_id)
      cross join lateral (
        select ${opportunity.list} from opportunities where org_id = $1 and crm_id = g.crm_id ${fence}) o`,
    values: [orgId, array([...new Set(crmIds)])],
  });
}

/** Also turns a prospective opportunity into the CRM's, where the fact carries its id. */
export async function upsertOpportunities(
  tx: Tx,
  orgId: OrganizationId,
  opportunities: OpportunityFact[],
  now: Date,
): Promise<void> {
  await tx.query({
    name: 'upsert_opportunities',
    text: `
      insert into opportunities (org_id, created_at, updated_at, ${opportunityRow.list})
      select $1, $3, $3, ${opportunityRow.list} from jsonb_to_recordset($2) as r ${opportunityRow.record}
      on conflict (org_id, id) do update set ${opportunityRow.excluded('id')}, updated_at = excluded.updated_at`,
    values: [orgId, JSON.stringify(opportunities.map(withNameKey)), now],
  });
}

export type ProspectiveOpportunity = { id: OpportunityId; account_id: AccountId; first_evidence_on: string };

export async function findProspective(
  db: Queryable,
  orgId: OrganizationId,
  accountIds: AccountId[],
): Promise<ProspectiveOpportunity[]> {
  return all<ProspectiveOpportunity>(db, {
    name: 'find_prospective',
    text: `
      select o.* from unnest($2::text[]) as g (account_id)
      cross join lateral (
        select id, account_id, first_evidence_on from opportunities
        where org_id = $1 and account_id = g.account_id and crm_id is null ${fence}) o`,
    values: [orgId, array(accountIds)],
  });
}

/** One an account; where there is one already, only an earlier first evidence is taken over. */
export async function ensureProspective(
  tx: Tx,
  orgId: OrganizationId,
  prospects: (ProspectiveOpportunity & { name: string })[],
  now: Date,
): Promise<ProspectiveOpportunity[]> {
  return all<ProspectiveOpportunity>(tx, {
    name: 'ensure_prospective',
    text: `
      insert into opportunities as o (org_id, id, account_id, name, value, stage, status, first_evidence_on, created_at, updated_at)
      select $1, id, account_id, name, 0, 'prospective', 'prospective', first_evidence_on, $3, $3
      from jsonb_to_recordset($2) as r (id text, account_id text, name text, first_evidence_on date)
      on conflict (org_id, account_id) where crm_id is null do update
      set first_evidence_on = least(o.first_evidence_on, excluded.first_evidence_on)
      returning id, account_id, first_evidence_on`,
    values: [orgId, JSON.stringify(prospects), now],
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
    text: `
      select a.* from unnest($2::text[]) as g (external_id)
      cross join lateral (
        select ${activity.list} from activities where org_id = $1 and external_id = g.external_id ${fence}) a`,
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

/** For each of these that was merged away, the account at the end of its chain, and whether that is still there. */
export async function findMergeHeads(
  db: Queryable,
  orgId: OrganizationId,
  crmIds: string[],
): Promise<{ id: AccountId; head: AccountId; alive: boolean }[]> {
  return all<{ id: AccountId; head: AccountId; alive: boolean }>(db, {
    name: 'find_merge_heads',
    text: `
      with recursive chain as (
        select id, merged_into as head from accounts
        where org_id = $1 and crm_id = any($2) and merged_into is not null
        union
        select c.id, a.merged_into from chain c
        join accounts a on a.org_id = $1 and a.id = c.head and a.merged_into is not null
      )
      select c.id, c.head, a.deleted_at is null as alive from chain c
      join accounts a on a.org_id = $1 and a.id = c.head
      where a.merged_into is null`,
    values: [orgId, crmIds],
  });
}
