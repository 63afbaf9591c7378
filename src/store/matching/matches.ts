import type { AccountId, OrganizationId, PartnerId } from '../../contract/ids.ts';
import { type Overlap, OverlapSchema } from '../../contract/overlap.ts';
import { type Partner, PartnerSchema } from '../../contract/partner.ts';
import type { MatchKind, Relationship } from '../../vocabulary.ts';
import { array, arraysOf, columns, type Row, real, text, timestamptz } from '../db/columns.ts';
import { firstRows } from '../db/first-rows.ts';
import { itemColumns, toItem } from '../db/item-columns.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { columnOf, pageOf, rowsOf, run } from '../db/statement.ts';
import { all, type Tx } from '../db/tx.ts';
import type { Pair } from '../signals/pairs.ts';

const found = {
  account_id: text<AccountId>(),
  partner_id: text<PartnerId>(),
  external_id: text(),
  kind: text<MatchKind>(),
  key: text(),
};
const foundMatch = columns(found);
export type FoundMatch = Row<typeof foundMatch>;

const storedMatchColumns = columns({
  ...found,
  started_at: timestamptz(),
  ended_at: timestamptz<Date | null>(),
});
export type StoredMatch = Row<typeof storedMatchColumns>;

const match = columns({ ...storedMatchColumns.declared, confidence: real() });

const accountKey = columns({ key: text(), account_id: text<AccountId>(), kind: text<MatchKind>() });

/** A row with a key; `partner_id` is null for your own accounts, and only those have additional domains. */
export type KeyHolder = {
  key: string;
  partner_id: PartnerId | null;
  id: string;
  name: string;
  domain: string | null;
  country: string | null;
  registry_number: string | null;
  extra_domains: string[] | null;
};

/**
 * Replaces the keys of `known` accounts and adds those of new ones. Returns all accounts that share a former or present key
 * with one of these, and with a partner account: whether the key still identifies one company may have changed for them too.
 */
export async function replaceAccountKeys(
  tx: Tx,
  orgId: OrganizationId,
  known: AccountId[],
  keys: Row<typeof accountKey>[],
  maxHolders: number,
): Promise<AccountId[]> {
  const former = known.length > 0 ? await deleteAccountKeys(tx, orgId, known) : [];
  const [holders] = await Promise.all([
    findHolders(tx, orgId, [...former, ...keys], maxHolders, { shared: true }),
    insertAccountKeys(tx, orgId, keys),
  ]);
  const own = keys.filter(({ key }) => holders.has(key)).map(({ account_id }) => account_id);
  return [...own, ...ofFew(holders, maxHolders)];
}

const deleteAccountKeys = rowsOf<{ key: string }, [accountIds: AccountId[]], Tx>({
  name: 'delete_account_keys',
  writes: ['account_keys'],
  text: `delete from account_keys where org_id = $1 and account_id = any($2) returning key`,
});

const insertAccountKeys = run<[keys: Row<typeof accountKey>[]]>({
  name: 'insert_account_keys',
  writes: ['account_keys'],
  text: `
    insert into account_keys (org_id, ${accountKey.list})
    select $1, ${accountKey.list} from ${accountKey.unnest(2)}`,
  values: accountKey.arrays,
});

type PartnerAccountRef = { partner_id: PartnerId; external_id: string };

/**
 * The same for partner accounts. Returns the accounts that they reach by a former or present key, or already match. New ones
 * have neither, so only `known` ones are looked up.
 */
export async function replacePartnerAccountKeys(
  tx: Tx,
  orgId: OrganizationId,
  known: PartnerAccountRef[],
  keys: (PartnerAccountRef & { key: string })[],
  maxHolders: number,
): Promise<AccountId[]> {
  const [former, matched] = await Promise.all([
    known.length > 0 ? deletePartnerAccountKeys(tx, orgId, known) : [],
    known.length > 0 ? findAccountsOf(tx, orgId, known) : [],
    insertPartnerAccountKeys(tx, orgId, keys),
  ]);
  const holders = await findHolders(tx, orgId, [...former, ...keys], maxHolders);
  return [...ofFew(holders, maxHolders), ...matched];
}

const refArrays = (accounts: PartnerAccountRef[]) => arraysOf(accounts, 'partner_id', 'external_id');

const deletePartnerAccountKeys = rowsOf<{ key: string }, [accounts: PartnerAccountRef[]], Tx>({
  name: 'delete_partner_account_keys',
  writes: ['partner_account_keys'],
  text: `
    delete from partner_account_keys k using unnest($2::text[], $3::text[]) as a (partner_id, external_id)
    where k.org_id = $1 and k.partner_id = a.partner_id and k.external_id = a.external_id
    returning k.key`,
  values: refArrays,
});

const findAccountsOf = columnOf<AccountId, [accounts: PartnerAccountRef[]], Tx>({
  name: 'find_accounts_of',
  text: `
    select m.account_id from unnest($2::text[], $3::text[]) as g (partner_id, external_id)
    cross join lateral (
      select account_id from matches
      where org_id = $1 and partner_id = g.partner_id and external_id = g.external_id and ended_at is null ${plannerFence}) m`,
  values: refArrays,
});

const insertPartnerAccountKeys = run<[keys: (PartnerAccountRef & { key: string })[]]>({
  name: 'insert_partner_account_keys',
  writes: ['partner_account_keys'],
  text: `
    insert into partner_account_keys (org_id, key, partner_id, external_id)
    select $1, * from unnest($2::text[], $3::text[], $4::text[])`,
  values: (keys) => arraysOf(keys, 'key', 'partner_id', 'external_id'),
});

/**
 * The accounts with each of these keys, at most one more than `maxHolders`. With `shared`, only keys that a partner account
 * has; these are included even without a holder.
 */
export async function findHolders(
  tx: Tx,
  orgId: OrganizationId,
  keys: { key: string }[],
  maxHolders: number,
  { shared = false } = {},
): Promise<Map<string, AccountId[]>> {
  const partners = `cross join lateral (select from partner_account_keys where org_id = $1 and key = k.key limit 1) p`;
  const rows = await all<{ key: string; account_id: AccountId | null }>(tx, {
    name: shared ? 'find_holders_of_shared' : 'find_holders',
    text: `
      select k.key, a.account_id from unnest($2::text[]) as k (key) ${shared ? partners : ''}
      ${shared ? 'left' : ''} join lateral (
        select account_id from account_keys where org_id = $1 and key = k.key limit $3 + 1) a on true`,
    values: [orgId, array([...new Set(keys.map(({ key }) => key))]), maxHolders],
  });
  const holders = new Map<string, AccountId[]>();
  for (const { key, account_id } of rows) {
    const known = holders.get(key) ?? [];
    if (account_id) known.push(account_id);
    holders.set(key, known);
  }
  return holders;
}

/** Without keys that have too many holders to identify one. */
function ofFew(holders: Map<string, AccountId[]>, maxHolders: number): AccountId[] {
  return [...holders.values()].filter((ids) => ids.length <= maxHolders).flat();
}

export const findMatchedAccounts = columnOf<AccountId, [partnerIds: PartnerId[]], Tx>({
  name: 'find_matched_accounts',
  text: `
    select distinct a.account_id from unnest($2::text[]) as g (partner_id)
    cross join lateral (
      select key from partner_account_keys where org_id = $1 and partner_id = g.partner_id ${plannerFence}) p
    cross join lateral (select account_id from account_keys where org_id = $1 and key = p.key ${plannerFence}) a
    union
    select account_id from match_decisions
    where org_id = $1 and partner_id = any($2) and decision = 'same' and ended_at is null`,
});

/** For a row of matches or candidates: nobody decided that the two are different. */
export const notDecidedDifferent = (account: string, partnerAccount: string) => `
  not exists (
    select from match_decisions d
    where d.org_id = $1 and d.account_id = ${account} and d.partner_id = ${partnerAccount}.partner_id
      and d.external_id = ${partnerAccount}.external_id and d.decision = 'different' and d.ended_at is null)`;

export type MatchCandidate = FoundMatch & { accounts: number; partner_accounts: number };

/**
 * Partner accounts that share a key with these accounts, and how many rows of either list have it. A key with too many
 * holders returns at most one row per partner.
 */
export const findCandidates = rowsOf<MatchCandidate, [accountIds: AccountId[], maxHolders: number], Tx>({
  name: 'find_candidates',
  text: `
    select a.account_id, p.partner_id, p.external_id, a.kind, a.key, h.holders::int as accounts,
      p.holders::int as partner_accounts
    from unnest($2::text[]) as g (account_id)
    cross join lateral (
      select account_id, kind, key from account_keys where org_id = $1 and account_id = g.account_id ${plannerFence}) a
    cross join lateral (
      select partner_id, external_id, count(*) over (partition by partner_id) as holders,
        row_number() over (partition by partner_id order by external_id) as place
      from partner_account_keys where org_id = $1 and key = a.key ${plannerFence}) p
    join lateral (
      select deleted_at from partners where org_id = $1 and id = p.partner_id ${plannerFence}) r on r.deleted_at is null
    cross join lateral (
      select count(*) as holders from (
        select from account_keys where org_id = $1 and key = a.key limit $3 + 1) k ${plannerFence}) h
    where (p.holders <= $3 or p.place = 1) and h.holders <= $3
      and ${notDecidedDifferent('a.account_id', 'p')}`,
});

/** All rows on your list and on the given partner's list with one of these keys, with the fields that distinguish them. */
export const findKeyHolders = rowsOf<KeyHolder, [shared: { key: string; partner_id: PartnerId }[]], Tx>({
  name: 'find_key_holders',
  text: `
    with shared as (
      select key, array_agg(partner_id) as partners from unnest($2::text[], $3::text[]) as s (key, partner_id)
      group by key)
    select s.key, null as partner_id, a.* from shared s
    cross join lateral (
      select account_id from account_keys where org_id = $1 and key = s.key ${plannerFence}) h
    cross join lateral (
      select id, name, domain, country, registry_number, extra_domains
      from accounts where org_id = $1 and id = h.account_id ${plannerFence}) a
    union all
    select s.key, h.partner_id, a.* from shared s
    cross join lateral (
      select partner_id, external_id from partner_account_keys where org_id = $1 and key = s.key ${plannerFence}) h
    cross join lateral (
      select external_id as id, name, domain, country, registry_number, null::text[] as extra_domains
      from partner_accounts
      where org_id = $1 and partner_id = h.partner_id and external_id = h.external_id ${plannerFence}) a
    where h.partner_id = any(s.partners)`,
  values: (shared) => arraysOf(shared, 'key', 'partner_id'),
});

/** The current match of an account and a partner. */
export async function findMatch(tx: Tx, orgId: OrganizationId, pair: Pair): Promise<StoredMatch | undefined> {
  const matches = await findMatches(tx, orgId, [pair.account_id]);
  return matches.find(({ partner_id, ended_at }) => partner_id === pair.partner_id && !ended_at);
}

export const findMatches = rowsOf<StoredMatch, [accountIds: AccountId[]], Tx>({
  name: 'find_matches',
  text: `
    select m.* from unnest($2::text[]) as g (account_id)
    cross join lateral (
      select ${storedMatchColumns.list} from matches where org_id = $1 and account_id = g.account_id ${plannerFence}) m`,
});

export const upsertMatches = run<[matches: Row<typeof match>[]]>({
  name: 'upsert_matches',
  writes: ['matches'],
  text: `
    insert into matches (org_id, ${match.list})
    select $1, ${match.list} from ${match.unnest(2)}
    on conflict (org_id, account_id, partner_id) do update set ${match.excluded('account_id', 'partner_id')}`,
  values: match.arrays,
});

const matchColumns = { matched_by: 'm.kind', matched_at: 'm.started_at' };
const joinPartnerAccount = `
  join partner_accounts partner_account on partner_account.org_id = $1 and partner_account.partner_id = m.partner_id
    and partner_account.external_id = m.external_id`;

/** Newest first. */
export const listOverlaps = pageOf<Overlap, [partnerId: PartnerId]>(
  {
    name: 'list_overlaps',
    text: (after) => {
      const page = `select * from matches where org_id = $1 and partner_id = $2 and ended_at is null ${after}`;
      return `
        select ${itemColumns(OverlapSchema, 'm', matchColumns)}
        from (${firstRows(page, 'started_at desc, account_id desc', '$3')}) m
        join accounts account on account.org_id = $1 and account.id = m.account_id
        ${joinPartnerAccount}
        order by m.started_at desc, m.account_id desc`;
    },
    after: 'and (started_at, account_id) < ($4, $5)',
  },
  toItem,
);

/** A partner that shares an account, strongest match first. */
export type SharingPartner = Omit<Overlap, 'account'> & { partner: Partner; relationship: Relationship };
const { account: _account, ...overlap } = OverlapSchema.properties;
const sharingPartner = { properties: { partner: PartnerSchema, ...overlap } };

export const listSharingPartners = rowsOf<SharingPartner, [accountId: AccountId, limit: number]>(
  {
    name: 'list_sharing_partners',
    text: `
      select ${itemColumns(sharingPartner, 'm', matchColumns)}, partner_account.relationship
      from matches m
      join partners partner on partner.org_id = $1 and partner.id = m.partner_id and partner.deleted_at is null
      ${joinPartnerAccount}
      where m.org_id = $1 and m.account_id = $2 and m.ended_at is null
      order by m.confidence desc, partner.tier, partner.name_key, partner.id limit $3`,
  },
  toItem,
);
