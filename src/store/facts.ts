import type { AccountId, ActivityId, OpportunityId, OrganizationId, PartnerId } from '../contract/ids.ts';
import type { OpportunityStatus, Relationship } from '../contract/ingest.ts';
import type { PartnerType } from '../contract/partner.ts';
import type { Queryable, Tx } from './connection.ts';

/** What every kept fact has beside its own fields. */
type Kept = { deleted_at: Date | null; source_updated_at: Date | null };

export type PartnerFact = Kept & {
  id: PartnerId;
  external_id: string;
  name: string;
  name_key: string;
  type: PartnerType;
  tier: number;
  domain: string | null;
};

export type AccountFact = Kept & {
  id: AccountId;
  crm_id: string;
  name: string;
  domain: string | null;
  extra_domains: string[];
  country: string | null;
  registry_number: string | null;
  merged_into: AccountId | null;
};

export type OpportunityFact = Kept & {
  id: OpportunityId;
  account_id: AccountId;
  crm_id: string;
  name: string;
  value: number;
  currency: string | null;
  stage: string;
  status: OpportunityStatus;
  opened_at: Date;
  closed_date: string | null;
};

export type PartnerAccountFact = Kept & {
  partner_id: PartnerId;
  external_id: string;
  name: string;
  domain: string | null;
  country: string | null;
  registry_number: string | null;
  relationship: Relationship;
};

export type ActivityFact = Kept & {
  id: ActivityId;
  external_id: string;
  partner_id: PartnerId;
  account_id: AccountId;
  opportunity_id: OpportunityId | null;
  kind: string;
  occurred_at: Date;
  recorded_at: Date;
  source_recorded_at: Date | null;
  summary: string;
  actor: string | null;
  source: string | null;
  /** Another one whenever anything else here changes, except the time of the source's version. */
  version: number;
};

export async function findPartnerFacts(
  db: Queryable,
  orgId: OrganizationId,
  externalIds: string[],
): Promise<PartnerFact[]> {
  const { rows } = await db.query<PartnerFact>({
    name: 'find_partner_facts',
    text: `
      select id, external_id, name, name_key, type, tier, domain, deleted_at, source_updated_at
      from partners where org_id = $1 and external_id = any($2)`,
    values: [orgId, externalIds],
  });
  return rows;
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
      insert into partners (org_id, id, external_id, name, name_key, type, tier, domain, deleted_at, source_updated_at, created_at, updated_at)
      select $1, id, external_id, name, name_key, type, tier, domain, deleted_at, source_updated_at, $3, $3
      from jsonb_to_recordset($2) as r (
        id text, external_id text, name text, name_key text, type text, tier smallint, domain text,
        deleted_at timestamptz, source_updated_at timestamptz)
      on conflict (org_id, id) do update
      set name = excluded.name, name_key = excluded.name_key, type = excluded.type, tier = excluded.tier,
        domain = excluded.domain, deleted_at = excluded.deleted_at, source_updated_at = excluded.source_updated_at,
        updated_at = excluded.updated_at`,
    values: [orgId, JSON.stringify(partners), now],
  });
}

export async function findAccountFacts(
  db: Queryable,
  orgId: OrganizationId,
  crmIds: string[],
): Promise<AccountFact[]> {
  const { rows } = await db.query<AccountFact>({
    name: 'find_account_facts',
    text: `
      select id, crm_id, name, domain, extra_domains, country, registry_number, merged_into, deleted_at, source_updated_at
      from accounts where org_id = $1 and crm_id = any($2)`,
    values: [orgId, crmIds],
  });
  return rows;
}

/** Accounts that hold one of these keys; a domain may be shared by several. */
export async function findAccountsByKey(
  db: Queryable,
  orgId: OrganizationId,
  keys: string[],
): Promise<{ key: string; account_id: AccountId }[]> {
  const { rows } = await db.query<{ key: string; account_id: AccountId }>({
    name: 'find_accounts_by_key',
    text: `select key, account_id from account_keys where org_id = $1 and key = any($2)`,
    values: [orgId, keys],
  });
  return rows;
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
      insert into accounts (org_id, id, crm_id, name, domain, extra_domains, country, registry_number, merged_into, deleted_at, source_updated_at, created_at, updated_at)
      select $1, id, crm_id, name, domain, extra_domains, country, registry_number, merged_into, deleted_at, source_updated_at, $3, $3
      from jsonb_to_recordset($2) as r (
        id text, crm_id text, name text, domain text, extra_domains text[], country text, registry_number text,
        merged_into text, deleted_at timestamptz, source_updated_at timestamptz)
      on conflict (org_id, id) do update
      set name = excluded.name, domain = excluded.domain, extra_domains = excluded.extra_domains,
        country = excluded.country, registry_number = excluded.registry_number, merged_into = excluded.merged_into,
        deleted_at = excluded.deleted_at, source_updated_at = excluded.source_updated_at, updated_at = excluded.updated_at`,
    values: [orgId, JSON.stringify(accounts), now],
  });
}

export async function findOpportunityFacts(
  db: Queryable,
  orgId: OrganizationId,
  crmIds: string[],
): Promise<OpportunityFact[]> {
  const { rows } = await db.query<OpportunityFact>({
    name: 'find_opportunity_facts',
    text: `
      select id, account_id, crm_id, name, value, currency, stage, status, opened_at, closed_date, deleted_at, source_updated_at
      from opportunities where org_id = $1 and crm_id = any($2)`,
    values: [orgId, crmIds],
  });
  return rows;
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
      insert into opportunities (org_id, id, account_id, crm_id, name, value, currency, stage, status, opened_at, closed_date, deleted_at, source_updated_at, created_at, updated_at)
      select $1, id, account_id, crm_id, name, value, currency, stage, status, opened_at, closed_date, deleted_at, source_updated_at, $3, $3
      from jsonb_to_recordset($2) as r (
        id text, account_id text, crm_id text, name text, value numeric, currency text, stage text, status text,
        opened_at timestamptz, closed_date date, deleted_at timestamptz, source_updated_at timestamptz)
      on conflict (org_id, id) do update
      set account_id = excluded.account_id, crm_id = excluded.crm_id, name = excluded.name, value = excluded.value,
        currency = excluded.currency, stage = excluded.stage, status = excluded.status, opened_at = excluded.opened_at,
        closed_date = excluded.closed_date, deleted_at = excluded.deleted_at,
        source_updated_at = excluded.source_updated_at, updated_at = excluded.updated_at`,
    values: [orgId, JSON.stringify(opportunities), now],
  });
}

export type ProspectiveOpportunity = { id: OpportunityId; account_id: AccountId; first_evidence_on: string };

export async function findProspective(
  db: Queryable,
  orgId: OrganizationId,
  accountIds: AccountId[],
): Promise<ProspectiveOpportunity[]> {
  const { rows } = await db.query<ProspectiveOpportunity>({
    name: 'find_prospective',
    text: `
      select id, account_id, first_evidence_on from opportunities
      where org_id = $1 and account_id = any($2) and crm_id is null`,
    values: [orgId, accountIds],
  });
  return rows;
}

/** One an account; where there is one already, only an earlier first evidence is taken over. */
export async function ensureProspective(
  tx: Tx,
  orgId: OrganizationId,
  prospects: (ProspectiveOpportunity & { name: string })[],
  now: Date,
): Promise<ProspectiveOpportunity[]> {
  const { rows } = await tx.query<ProspectiveOpportunity>({
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
  return rows;
}

export async function findPartnerAccountFacts(
  db: Queryable,
  orgId: OrganizationId,
  keys: { partner_id: PartnerId; external_id: string }[],
): Promise<PartnerAccountFact[]> {
  const { rows } = await db.query<PartnerAccountFact>({
    name: 'find_partner_account_facts',
    text: `
      select a.partner_id, a.external_id, a.name, a.domain, a.country, a.registry_number, a.relationship, a.deleted_at, a.source_updated_at
      from unnest($2::text[], $3::text[]) as k (partner_id, external_id)
      join partner_accounts a on a.org_id = $1 and a.partner_id = k.partner_id and a.external_id = k.external_id`,
    values: [orgId, keys.map((key) => key.partner_id), keys.map((key) => key.external_id)],
  });
  return rows;
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
      insert into partner_accounts (org_id, partner_id, external_id, name, domain, country, registry_number, relationship, deleted_at, source_updated_at, created_at, updated_at)
      select $1, partner_id, external_id, name, domain, country, registry_number, relationship, deleted_at, source_updated_at, $3, $3
      from jsonb_to_recordset($2) as r (
        partner_id text, external_id text, name text, domain text, country text, registry_number text,
        relationship text, deleted_at timestamptz, source_updated_at timestamptz)
      on conflict (org_id, partner_id, external_id) do update
      set name = excluded.name, domain = excluded.domain, country = excluded.country,
        registry_number = excluded.registry_number, relationship = excluded.relationship,
        deleted_at = excluded.deleted_at, source_updated_at = excluded.source_updated_at, updated_at = excluded.updated_at`,
    values: [orgId, JSON.stringify(accounts), now],
  });
}

export async function findActivityFacts(
  db: Queryable,
  orgId: OrganizationId,
  externalIds: string[],
): Promise<ActivityFact[]> {
  const { rows } = await db.query<ActivityFact>({
    name: 'find_activity_facts',
    text: `
      select id, external_id, partner_id, account_id, opportunity_id, kind, occurred_at, recorded_at, source_recorded_at,
        summary, actor, source, version, deleted_at, source_updated_at
      from activities where org_id = $1 and external_id = any($2)`,
    values: [orgId, externalIds],
  });
  return rows;
}

export async function upsertActivities(
  tx: Tx,
  orgId: OrganizationId,
  activities: ActivityFact[],
): Promise<void> {
  await tx.query({
    name: 'upsert_activities',
    text: `
      insert into activities (org_id, id, external_id, partner_id, account_id, opportunity_id, kind, occurred_at, recorded_at, source_recorded_at, summary, actor, source, version, deleted_at, source_updated_at)
      select $1, id, external_id, partner_id, account_id, opportunity_id, kind, occurred_at, recorded_at, source_recorded_at, summary, actor, source, version, deleted_at, source_updated_at
      from jsonb_to_recordset($2) as r (
        id text, external_id text, partner_id text, account_id text, opportunity_id text, kind text,
        occurred_at timestamptz, recorded_at timestamptz, source_recorded_at timestamptz, summary text, actor text,
        source text, version int, deleted_at timestamptz, source_updated_at timestamptz)
      on conflict (org_id, id) do update
      set partner_id = excluded.partner_id, account_id = excluded.account_id, opportunity_id = excluded.opportunity_id,
        kind = excluded.kind, occurred_at = excluded.occurred_at, recorded_at = excluded.recorded_at,
        source_recorded_at = excluded.source_recorded_at, summary = excluded.summary, actor = excluded.actor,
        source = excluded.source, version = excluded.version, deleted_at = excluded.deleted_at,
        source_updated_at = excluded.source_updated_at`,
    values: [orgId, JSON.stringify(activities)],
  });
}

/** For each of these that was merged away, the account at the end of its chain, and whether that is still there. */
export async function findMergeHeads(
  db: Queryable,
  orgId: OrganizationId,
  crmIds: string[],
): Promise<{ id: AccountId; head: AccountId; alive: boolean }[]> {
  const { rows } = await db.query<{ id: AccountId; head: AccountId; alive: boolean }>({
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
  return rows;
}
