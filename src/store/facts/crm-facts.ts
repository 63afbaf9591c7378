import type { AccountId, OpportunityId } from '../../contract/ids.ts';
import type { Person } from '../../contract/person.ts';
import type { OpportunityStatus } from '../../vocabulary.ts';
import {
  array,
  columns,
  date,
  jsonb,
  numeric,
  type Row,
  text,
  textArray,
  timestamptz,
} from '../db/columns.ts';
import { rowsBy } from '../db/planner-fence.ts';
import { rowsOf, run } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';
import { company, versionColumns, withNameKey } from './fact-columns.ts';

const owned = { owner: jsonb<Person | null>(), owner_key: text<string | null>() };

const account = columns({
  id: text<AccountId>(),
  crm_id: text(),
  name: text(),
  ...company,
  extra_domains: textArray(),
  merged_into: text<AccountId | null>(),
  ...owned,
  ...versionColumns,
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
  ...versionColumns,
});
const opportunityRow = columns({ ...opportunity.declared, name_key: text() });
export type OpportunityFact = Row<typeof opportunity>;

export const findAccountFacts = rowsOf<AccountFact, [crmIds: string[]]>({
  name: 'find_account_facts',
  text: rowsBy('accounts', 'crm_id', account.list),
  values: (crmIds) => [array([...new Set(crmIds)])],
});

export const findAccountFactsById = rowsOf<AccountFact, [ids: AccountId[]]>({
  name: 'find_account_facts_by_id',
  text: `
    select ${account.list} from accounts where org_id = $1 and id = any($2)`,
});

/** Accounts with one of these keys; several accounts may share a domain. */
export const findAccountsByKey = rowsOf<{ key: string; account_id: AccountId }, [keys: string[]]>({
  name: 'find_accounts_by_key',
  text: `select key, account_id from account_keys where org_id = $1 and key = any($2)`,
});

export const upsertAccounts = run<[accounts: AccountFact[], now: Date]>({
  name: 'upsert_accounts',
  writes: ['accounts'],
  text: `
    insert into accounts (org_id, created_at, updated_at, ${accountRow.list})
    select $1, $2, $2, ${accountRow.list} from ${accountRow.unnest(3)}
    on conflict (org_id, id) do update set ${accountRow.excluded('id', 'crm_id')}, updated_at = excluded.updated_at`,
  values: (accounts, now) => [now, ...accountRow.arrays(accounts.map(withNameKey))],
});

export const findOpportunityFacts = rowsOf<OpportunityFact, [crmIds: string[]]>({
  name: 'find_opportunity_facts',
  text: rowsBy('opportunities', 'crm_id', opportunity.list),
  values: (crmIds) => [array([...new Set(crmIds)])],
});

/** Also converts a prospective opportunity into a CRM opportunity if the fact has its ID. */
export const upsertOpportunities = run<[opportunities: OpportunityFact[], now: Date]>({
  name: 'upsert_opportunities',
  writes: ['opportunities'],
  text: `
    insert into opportunities (org_id, created_at, updated_at, ${opportunityRow.list})
    select $1, $2, $2, ${opportunityRow.list} from ${opportunityRow.unnest(3)}
    on conflict (org_id, id) do update set ${opportunityRow.excluded('id')}, updated_at = excluded.updated_at`,
  values: (opportunities, now) => [now, ...opportunityRow.arrays(opportunities.map(withNameKey))],
});

export type ProspectiveOpportunity = { id: OpportunityId; account_id: AccountId; first_evidence_on: string };

export const findProspective = rowsOf<ProspectiveOpportunity, [accountIds: AccountId[]]>({
  name: 'find_prospective',
  text: rowsBy('opportunities', 'account_id', 'id, account_id, first_evidence_on', 'and crm_id is null'),
  values: (accountIds) => [array(accountIds)],
});

/** One per account. If there is one already, only an earlier first evidence is applied. */
export const ensureProspective = rowsOf<
  ProspectiveOpportunity,
  [prospects: (ProspectiveOpportunity & { name: string })[], now: Date],
  Tx
>({
  name: 'ensure_prospective',
  writes: ['opportunities'],
  text: `
    insert into opportunities as o (org_id, id, account_id, name, value, stage, status, first_evidence_on, created_at, updated_at)
    select $1, id, account_id, name, 0, 'prospective', 'prospective', first_evidence_on, $3, $3
    from jsonb_to_recordset($2) as r (id text, account_id text, name text, first_evidence_on date)
    on conflict (org_id, account_id) where crm_id is null do update
    set first_evidence_on = least(o.first_evidence_on, excluded.first_evidence_on)
    returning id, account_id, first_evidence_on`,
  values: (prospects, now) => [JSON.stringify(prospects), now],
});

/** For each merged account, the account at the end of its merge chain, and whether that still exists. */
export const findMergeHeads = rowsOf<{ id: AccountId; head: AccountId; alive: boolean }, [crmIds: string[]]>({
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
});
