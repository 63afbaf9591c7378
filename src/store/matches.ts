import type { AccountId, OrganizationId, PartnerId } from '../contract/ids.ts';
import type { Overlap } from '../contract/overlap.ts';
import type { Partner } from '../contract/partner.ts';
import { type MatchKind, matchKinds, type Relationship } from '../vocabulary.ts';
import { columns, type Row, real, text, timestamptz } from './columns.ts';
import { fence } from './fence.ts';
import { firstRows } from './first-rows.ts';
import { notDecidedDifferent } from './match-decisions.ts';
import type { Pair } from './pairs.ts';
import { all, type Queryable, type Tx } from './tx.ts';

const found = {
  account_id: text<AccountId>(),
  partner_id: text<PartnerId>(),
  external_id: text(),
  kind: text<MatchKind>(),
  key: text(),
};
const foundMatch = columns(found);
export type FoundMatch = Row<typeof foundMatch>;

const heldMatch = columns({ ...found, started_at: timestamptz(), ended_at: timestamptz<Date | null>() });
export type HeldMatch = Row<typeof heldMatch>;

const match = columns({ ...heldMatch.declared, confidence: real() });

/** Takes the keys of these accounts away and gives them the new ones. */
export async function replaceAccountKeys(
  tx: Tx,
  orgId: OrganizationId,
  accountIds: AccountId[],
  keys: { account_id: AccountId; key: string; kind: string }[],
): Promise<void> {
  await tx.query({
    name: 'delete_account_keys',
    text: `delete from account_keys where org_id = $1 and account_id = any($2)`,
    values: [orgId, accountIds],
  });
  await tx.query({
    name: 'insert_account_keys',
    text: `
      insert into account_keys (org_id, key, account_id, kind)
      select $1, key, account_id, kind from jsonb_to_recordset($2) as r (key text, account_id text, kind text)`,
    values: [orgId, JSON.stringify(keys)],
  });
}

type PartnerAccountRef = { partner_id: PartnerId; external_id: string };

export async function replacePartnerAccountKeys(
  tx: Tx,
  orgId: OrganizationId,
  accounts: PartnerAccountRef[],
  keys: (PartnerAccountRef & { key: string })[],
): Promise<void> {
  await tx.query({
    name: 'delete_partner_account_keys',
    text: `
      delete from partner_account_keys k using unnest($2::text[], $3::text[]) as a (partner_id, external_id)
      where k.org_id = $1 and k.partner_id = a.partner_id and k.external_id = a.external_id`,
    values: [
      orgId,
      accounts.map((account) => account.partner_id),
      accounts.map((account) => account.external_id),
    ],
  });
  await tx.query({
    name: 'insert_partner_account_keys',
    text: `
      insert into partner_account_keys (org_id, key, partner_id, external_id)
      select $1, key, partner_id, external_id
      from jsonb_to_recordset($2) as r (key text, partner_id text, external_id text)`,
    values: [orgId, JSON.stringify(keys)],
  });
}

const accountsOfKey = `cross join lateral (
        select account_id from account_keys where org_id = $1 and key = p.key ${fence}) a`;

/** The accounts that partner accounts reach by their present keys, or are matched with already. */
export async function findAccountsOf(
  tx: Tx,
  orgId: OrganizationId,
  accounts: PartnerAccountRef[],
): Promise<AccountId[]> {
  const { rows } = await tx.query<{ account_id: AccountId }>({
    name: 'find_accounts_of',
    text: `
      with given as (select * from unnest($2::text[], $3::text[]) as g (partner_id, external_id))
      select a.account_id from given g
      cross join lateral (
        select key from partner_account_keys
        where org_id = $1 and partner_id = g.partner_id and external_id = g.external_id ${fence}) p
      ${accountsOfKey}
      union
      select m.account_id from given g
      cross join lateral (
        select account_id from matches
        where org_id = $1 and partner_id = g.partner_id and external_id = g.external_id and ended_at is null ${fence}) m`,
    values: [
      orgId,
      accounts.map((account) => account.partner_id),
      accounts.map((account) => account.external_id),
    ],
  });
  return rows.map((row) => row.account_id);
}

export async function findMatchedAccounts(
  tx: Tx,
  orgId: OrganizationId,
  partnerIds: PartnerId[],
): Promise<AccountId[]> {
  const { rows } = await tx.query<{ account_id: AccountId }>({
    name: 'find_matched_accounts',
    text: `
      select distinct a.account_id from unnest($2::text[]) as g (partner_id)
      cross join lateral (
        select key from partner_account_keys where org_id = $1 and partner_id = g.partner_id ${fence}) p
      ${accountsOfKey}
      union
      select account_id from match_decisions
      where org_id = $1 and partner_id = any($2) and decision = 'same' and ended_at is null`,
    values: [orgId, partnerIds],
  });
  return rows.map((row) => row.account_id);
}

/** The kinds in their order of precedence. */
const strongestFirst = `array_position(array[${matchKinds.map((kind) => `'${kind}'`).join(', ')}], a.kind)`;

/** The one match of each account and partner that the keys call for: the strongest kind, then the first partner account. */
export async function computeMatches(
  tx: Tx,
  orgId: OrganizationId,
  accountIds: AccountId[],
): Promise<FoundMatch[]> {
  return all<FoundMatch>(tx, {
    name: 'compute_matches',
    text: `
      select distinct on (a.account_id, p.partner_id) a.account_id, p.partner_id, p.external_id, a.kind, a.key
      from unnest($2::text[]) as g (account_id)
      cross join lateral (
        select account_id, kind, key from account_keys where org_id = $1 and account_id = g.account_id ${fence}) a
      cross join lateral (
        select partner_id, external_id from partner_account_keys k
        where org_id = $1 and key = a.key and ${notDecidedDifferent('a.account_id', 'k')} ${fence}) p
      join lateral (
        select deleted_at from partners where org_id = $1 and id = p.partner_id ${fence}) r on r.deleted_at is null
      order by a.account_id, p.partner_id,
        ${strongestFirst}, p.external_id`,
    values: [orgId, accountIds],
  });
}

/** The match of an account and a partner that holds now. */
export async function findMatch(tx: Tx, orgId: OrganizationId, pair: Pair): Promise<HeldMatch | undefined> {
  const matches = await findMatches(tx, orgId, [pair.account_id]);
  return matches.find(({ partner_id, ended_at }) => partner_id === pair.partner_id && !ended_at);
}

export async function findMatches(
  tx: Tx,
  orgId: OrganizationId,
  accountIds: AccountId[],
): Promise<HeldMatch[]> {
  return all<HeldMatch>(tx, {
    name: 'find_matches',
    text: `
      select ${heldMatch.list} from matches where org_id = $1 and account_id = any($2)`,
    values: [orgId, accountIds],
  });
}

export async function upsertMatches(
  tx: Tx,
  orgId: OrganizationId,
  matches: Row<typeof match>[],
): Promise<void> {
  await tx.query({
    name: 'upsert_matches',
    text: `
      insert into matches (org_id, ${match.list})
      select $1, ${match.list} from jsonb_to_recordset($2) as r ${match.record}
      on conflict (org_id, account_id, partner_id) do update set ${match.excluded('account_id', 'partner_id')}`,
    values: [orgId, JSON.stringify(matches)],
  });
}

export async function listOverlaps(
  db: Queryable,
  orgId: OrganizationId,
  partnerId: PartnerId,
  limit: number,
  after: string[] | null,
): Promise<Overlap[]> {
  const page = `
    select * from matches
    where org_id = $1 and partner_id = $2 and ended_at is null
      ${after ? 'and (started_at, account_id) < ($4, $5)' : ''}`;
  return all<Overlap>(db, {
    name: `list_overlaps${after ? '_after' : ''}`,
    text: `
      select json_build_object('id', a.id, 'name', a.name, 'crm_id', a.crm_id) as account,
        json_build_object('external_id', p.external_id, 'name', p.name, 'relationship', p.relationship) as partner_account,
        m.kind as matched_by, m.key, m.confidence, m.started_at as matched_at
      from (${firstRows(page, 'started_at desc, account_id desc', '$3')}) m
      join accounts a on a.org_id = $1 and a.id = m.account_id
      join partner_accounts p on p.org_id = $1 and p.partner_id = m.partner_id and p.external_id = m.external_id
      order by m.started_at desc, m.account_id desc`,
    values: [orgId, partnerId, limit, ...(after ?? [])],
  });
}

/** A partner that shares an account, strongest match first. */
export type SharingPartner = Omit<Overlap, 'account'> & { partner: Partner; relationship: Relationship };

export async function listSharingPartners(
  db: Queryable,
  orgId: OrganizationId,
  accountId: AccountId,
  limit: number,
): Promise<SharingPartner[]> {
  return all<SharingPartner>(db, {
    name: 'list_sharing_partners',
    text: `
      select json_build_object('id', r.id, 'name', r.name, 'type', r.type, 'tier', r.tier) as partner,
        json_build_object('external_id', p.external_id, 'name', p.name, 'relationship', p.relationship) as partner_account,
        p.relationship, m.kind as matched_by, m.key, m.confidence, m.started_at as matched_at
      from matches m
      join partners r on r.org_id = $1 and r.id = m.partner_id and r.deleted_at is null
      join partner_accounts p on p.org_id = $1 and p.partner_id = m.partner_id and p.external_id = m.external_id
      where m.org_id = $1 and m.account_id = $2 and m.ended_at is null
      order by m.confidence desc, r.tier, r.name_key, r.id limit $3`,
    values: [orgId, accountId, limit],
  });
}
