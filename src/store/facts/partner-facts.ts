import type { AccountId, ActivityId, OpportunityId, PartnerId } from '../../contract/ids.ts';
import type { ActivityKind, PartnerType, Relationship } from '../../vocabulary.ts';
import { array, arraysOf, columns, int, type Row, smallint, text, timestamptz } from '../db/columns.ts';
import { plannerFence, rowsBy } from '../db/planner-fence.ts';
import { rowsOf, run } from '../db/statement.ts';
import { company, versionColumns } from './fact-columns.ts';

const partner = columns({
  id: text<PartnerId>(),
  external_id: text(),
  name: text(),
  name_key: text(),
  type: text<PartnerType>(),
  tier: smallint(),
  domain: text<string | null>(),
  ...versionColumns,
});
export type PartnerFact = Row<typeof partner>;

const partnerAccount = columns({
  partner_id: text<PartnerId>(),
  external_id: text(),
  name: text(),
  ...company,
  relationship: text<Relationship>(),
  ...versionColumns,
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
  /** Changes whenever anything else here changes, except the time of the source's version. */
  version: int(),
  ...versionColumns,
});
export type ActivityFact = Row<typeof activity>;

export const findPartnerFacts = rowsOf<PartnerFact, [externalIds: string[]]>({
  name: 'find_partner_facts',
  text: rowsBy('partners', 'external_id', partner.list),
  values: (externalIds) => [array([...new Set(externalIds)])],
});

export const upsertPartners = run<[partners: PartnerFact[], now: Date]>({
  name: 'upsert_partners',
  writes: ['partners'],
  text: `
    insert into partners (org_id, created_at, updated_at, ${partner.list})
    select $1, $3, $3, ${partner.list} from jsonb_to_recordset($2) as r ${partner.record}
    on conflict (org_id, id) do update set ${partner.excluded('id', 'external_id')}, updated_at = excluded.updated_at`,
  values: (partners, now) => [JSON.stringify(partners), now],
});

export const findPartnerAccountFacts = rowsOf<
  PartnerAccountFact,
  [keys: { partner_id: PartnerId; external_id: string }[]]
>({
  name: 'find_partner_account_facts',
  text: `
    select a.* from unnest($2::text[], $3::text[]) as k (partner_id, external_id)
    cross join lateral (
      select ${partnerAccount.list} from partner_accounts
      where org_id = $1 and partner_id = k.partner_id and external_id = k.external_id ${plannerFence}) a`,
  values: (keys) => arraysOf(keys, 'partner_id', 'external_id'),
});

export const upsertPartnerAccounts = run<[accounts: PartnerAccountFact[]]>({
  name: 'upsert_partner_accounts',
  writes: ['partner_accounts'],
  text: `
    insert into partner_accounts (org_id, ${partnerAccount.list})
    select $1, ${partnerAccount.list} from ${partnerAccount.unnest(2)}
    on conflict (org_id, partner_id, external_id) do update set ${partnerAccount.excluded('partner_id', 'external_id')}`,
  values: partnerAccount.arrays,
});

export const findActivityFacts = rowsOf<ActivityFact, [externalIds: string[]]>({
  name: 'find_activity_facts',
  text: rowsBy('activities', 'external_id', activity.list),
  values: (externalIds) => [array([...new Set(externalIds)])],
});

export const upsertActivities = run<[activities: ActivityFact[]]>({
  name: 'upsert_activities',
  writes: ['activities'],
  text: `
    insert into activities (org_id, ${activity.list})
    select $1, ${activity.list} from ${activity.unnest(2)}
    on conflict (org_id, id) do update set ${activity.excluded('id', 'external_id')}`,
  values: activity.arrays,
});
