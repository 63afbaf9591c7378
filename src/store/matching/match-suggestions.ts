import type { AccountId, OrganizationId, PartnerId, SuggestionId } from '../../contract/ids.ts';
import { type MatchSuggestion, MatchSuggestionSchema } from '../../contract/match.ts';
import type { MatchKind } from '../../vocabulary.ts';
import { suggestionsOfPair } from '../../vocabulary.ts';
import { arraysOf, columns, type Row, real, smallint, text, textArray } from '../db/columns.ts';
import type { Position } from '../db/cursor.ts';
import { firstRows } from '../db/first-rows.ts';
import { itemColumns, toItem } from '../db/item-columns.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { columnOf, oneOf, rowsOf, run, variant } from '../db/statement.ts';
import { all, type Reader, type Tx } from '../db/tx.ts';
import {
  type AccountKey,
  accountKeyColumns,
  type PartnerAccountKey,
  partnerAccountKeyColumns,
} from './suggestion-blocks.ts';

/** Matches that somebody reported as wrong come first. */
const reportedRank = 1001;
export const rankOf = (score: number, isReported = false) =>
  Math.round(score * 1000) + (isReported ? reportedRank : 0);
const isReported = `s.rank >= ${reportedRank}`;

const pair = { account_id: text<AccountId>(), partner_id: text<PartnerId>(), external_id: text() };
const suggestion = columns({
  id: text<SuggestionId>(),
  ...pair,
  score: real(),
  rank: smallint(),
  reasons: textArray(),
});
export type NewSuggestion = Row<typeof suggestion>;
type PartnerAccountRef = { partner_id: PartnerId; external_id: string };

/** For an account `a` and a partner account `p`; the fence makes each check an index look-up. */
const isMatchedPair = (a: string, p: string) => `exists (
  select from matches m
  where m.org_id = $1 and m.account_id = ${a}.account_id and m.partner_id = ${p}.partner_id and m.ended_at is null
  ${plannerFence})`;
const isDecided = (a: string, p: string) => `exists (
  select from match_decisions d
  where d.org_id = $1 and d.account_id = ${a}.account_id and d.partner_id = ${p}.partner_id
    and d.external_id = ${p}.external_id and d.ended_at is null ${plannerFence})`;
const isMatchedCompany = (p: string) => `exists (
  select from matches m
  where m.org_id = $1 and m.partner_id = ${p}.partner_id and m.external_id = ${p}.external_id and m.ended_at is null
  ${plannerFence})`;

export type SuggestionFilters = { partner_id?: PartnerId; account_id?: AccountId; min_score?: number };
type Listed = MatchSuggestion & { rank: number };

/** Best first. Leaves out suggestions that facts or decisions have overtaken, before the background job deletes them. */
export async function listSuggestions(
  db: Reader,
  orgId: OrganizationId,
  { partner_id, account_id, min_score }: SuggestionFilters,
  limit: number,
  after: Position | null,
): Promise<Listed[]> {
  const values: unknown[] = [orgId, limit];
  const where = {
    partner: partner_id && `s.partner_id = $${values.push(partner_id)}`,
    account: account_id && `s.account_id = $${values.push(account_id)}`,
    score:
      min_score !== undefined &&
      `s.rank >= $${values.push(Math.floor(min_score * 1000))} and s.score >= $${values.push(min_score)}::real`,
    after: after && `(s.rank, s.id) < ($${values.push(after[0])}, $${values.push(after[1])})`,
  };
  const given = Object.values(where).filter(Boolean);
  const page = `
    select ${itemColumns(MatchSuggestionSchema, 's')}, s.rank
    from match_suggestions s
    cross join lateral (
      select * from accounts
      where org_id = $1 and id = s.account_id and deleted_at is null and merged_into is null ${plannerFence}) account
    cross join lateral (
      select * from partners where org_id = $1 and id = s.partner_id and deleted_at is null ${plannerFence}) partner
    cross join lateral (
      select * from partner_accounts
      where org_id = $1 and partner_id = s.partner_id and external_id = s.external_id and deleted_at is null ${plannerFence}
    ) partner_account
    where s.org_id = $1 and not ${isDecided('s', 's')} and (${isReported} or not ${isMatchedPair('s', 's')})
      ${given.map((condition) => `and ${condition}`).join(' ')}`;
  const text = firstRows(page, 'rank desc, id desc', '$2');
  const rows = await all(db, variant('list_match_suggestions', text, values));
  return rows.map(toItem<Listed>);
}

export type Candidate = Row<typeof candidate>;
const candidate = columns(pair);

/** A key with more holders on one list is ignored. */
const mostHolders = 50;
/** For each key, at most this multiple of `mostHolders` is read: once per partner if there are few. */
const mostPartnersRead = 10;
/** The most companies of one list that one company is compared with, starting with those that share the rarest keys. */
const mostCandidates = 10;

/**
 * A candidate is a pair that shares a key, unless it is decided or the account already matches the partner. `sharing`
 * returns the pairs that share a key of one kind, once per key, with the number of holders on the list.
 */
const candidates = (list: string, sharing: (table: string, given: string) => string, condition = '') => `
  select ${candidate.list} from (
    select ${candidate.list}, bool_or(is_exact) as is_exact,
      row_number() over (
        partition by ${list} order by bool_or(is_exact) desc, sum(1::float8 / holders) desc, ${candidate.list}) as place
    from (
      select *, true as is_exact from (${sharing('keys', '$2')}) e union all
      select *, false from (${sharing('blocks', '$3')}) b
    ) s group by ${candidate.list}
  ) c
  where c.place <= ${mostCandidates} and not ${isDecided('c', 'c')} and not ${isMatchedPair('c', 'c')} ${condition}`;

/** `keys` identify matches, `blocks` do not; a company that matches another account is a candidate only by `keys`. */
export const findCandidatesOfAccounts = rowsOf<Candidate, [keys: AccountKey[], blocks: AccountKey[]], Tx>({
  name: 'find_candidates_of_accounts',
  text: candidates(
    'account_id, partner_id',
    (table, given) => `
      select k.account_id, p.partner_id, p.external_id, p.holders
      from jsonb_to_recordset(${given}) as k ${accountKeyColumns.record}
      cross join lateral (
        select partner_id, external_id, count(*) over (partition by partner_id) as holders from (
          select partner_id, external_id from partner_account_${table} where org_id = $1 and key = k.key
          order by partner_id, external_id limit ${mostHolders + 1} * (
            select count(*) from (select from partners where org_id = $1 order by id limit ${mostPartnersRead}) n)) h ${plannerFence}) p
      where p.holders <= ${mostHolders}`,
    `and (c.is_exact or not ${isMatchedCompany('c')})`,
  ),
  values: (keys, blocks) => [JSON.stringify(keys), JSON.stringify(blocks)],
});

/** The same for partner accounts; those that match have no `blocks`. */
export const findCandidatesOfPartnerAccounts = rowsOf<
  Candidate,
  [keys: PartnerAccountKey[], blocks: PartnerAccountKey[]],
  Tx
>({
  name: 'find_candidates_of_partner_accounts',
  text: candidates(
    'partner_id, external_id',
    (table, given) => `
      select a.account_id, k.partner_id, k.external_id, a.holders
      from jsonb_to_recordset(${given}) as k ${partnerAccountKeyColumns.record}
      cross join lateral (
        select account_id, count(*) over () as holders from (
          select account_id from account_${table} where org_id = $1 and key = k.key
          limit ${mostHolders + 1}) h ${plannerFence}) a
      where a.holders <= ${mostHolders}`,
  ),
  values: (keys, blocks) => [JSON.stringify(keys), JSON.stringify(blocks)],
});

/** Those that match an account. */
export const findMatchedCompanies = rowsOf<PartnerAccountRef, [accounts: PartnerAccountRef[]], Tx>({
  name: 'find_matched_companies',
  text: `
    select g.partner_id, g.external_id from unnest($2::text[], $3::text[]) as g (partner_id, external_id)
    where ${isMatchedCompany('g')}`,
  values: (accounts) => arraysOf(accounts, 'partner_id', 'external_id'),
});

/** Not `exists`: this uses a hash look-up, however many there are. */
const isStillSuggested = `(s.account_id, s.partner_id, s.external_id) in (
  select ${candidate.list} from jsonb_to_recordset($3) as r ${candidate.record})`;
/** A reported match waits for a decision as long as it exists. */
const waits = `${isReported} and not ${isDecided('s', 's')} and exists (
  select from matches m where m.org_id = $1 and m.account_id = s.account_id and m.partner_id = s.partner_id
    and m.external_id = s.external_id and m.ended_at is null)`;

/** Deletes all suggestions of these accounts except those given. */
export const deleteOtherSuggestionsOfAccounts = run<[accountIds: AccountId[], kept: Candidate[]]>({
  name: 'delete_other_suggestions_of_accounts',
  writes: ['match_suggestions'],
  text: `
    delete from match_suggestions s
    where org_id = $1 and account_id = any($2) and not ${isStillSuggested} and not (${waits})`,
  values: (accountIds, kept) => [accountIds, JSON.stringify(kept)],
});

/** The accounts that have suggestions of these partner accounts, except those given. */
export const findOtherSuggestionsOfPartnerAccounts = columnOf<
  AccountId,
  [accounts: PartnerAccountRef[], kept: Candidate[]],
  Tx
>({
  name: 'find_other_suggestions_of_partner_accounts',
  text: `
    select distinct s.account_id from unnest($2::text[], $4::text[]) as g (partner_id, external_id)
    cross join lateral (
      select account_id, partner_id, external_id, rank from match_suggestions
      where org_id = $1 and partner_id = g.partner_id and external_id = g.external_id ${plannerFence}) s
    where not ${isStillSuggested} and not (${isReported})`,
  values: (accounts, kept) => {
    const [partnerIds, externalIds] = arraysOf(accounts, 'partner_id', 'external_id');
    return [partnerIds, JSON.stringify(kept), externalIds];
  },
});

/** A suggestion keeps its ID and time while it exists. Returns the accounts where one got a lower score. */
export const upsertSuggestions = columnOf<AccountId, [suggestions: NewSuggestion[], now: Date], Tx>({
  name: 'upsert_match_suggestions',
  writes: ['match_suggestions'],
  text: `
    with given as (select * from jsonb_to_recordset($2) as r ${suggestion.record}),
    worse as (
      select s.account_id from given r
      cross join lateral (
        select account_id, rank from match_suggestions
        where org_id = $1 and account_id = r.account_id and partner_id = r.partner_id
          and external_id = r.external_id ${plannerFence}) s
      where s.rank > r.rank
    ),
    written as (
      insert into match_suggestions as s (org_id, suggested_at, ${suggestion.list})
      select $1, $3::timestamptz, ${suggestion.list} from given
      on conflict (org_id, account_id, partner_id, external_id) do update
      set ${suggestion.excluded('id', 'account_id', 'partner_id', 'external_id')}
      where (s.rank, s.reasons) is distinct from (excluded.rank, excluded.reasons)
    )
    select distinct account_id from worse`,
  values: (suggestions, now) => [JSON.stringify(suggestions), now],
});

/** Keeps the best for each account and partner. */
export const trimSuggestions = run<[pairs: { account_id: AccountId; partner_id: PartnerId }[]]>({
  name: 'trim_match_suggestions',
  writes: ['match_suggestions'],
  text: `
    delete from match_suggestions where org_id = $1 and id = any(array(
      select s.id from (select distinct * from unnest($2::text[], $3::text[]) as g (account_id, partner_id)) g
      cross join lateral (
        select id from match_suggestions where org_id = $1 and account_id = g.account_id and partner_id = g.partner_id
        order by rank desc, external_id offset ${suggestionsOfPair}) s))`,
  values: (pairs) => arraysOf(pairs, 'account_id', 'partner_id'),
});

type Judged = { decisions: number; confirmed: number };
export type QualityCounts = {
  matches: Partial<Record<MatchKind, number>>;
  /** Decisions on pairs that did not match are under ''. */
  decisions: Partial<Record<MatchKind | '', Judged>>;
  open: number;
  waiting: number;
};

export const countQuality = oneOf<QualityCounts>({
  name: 'count_match_quality',
  text: `
    select (
      select coalesce(jsonb_object_agg(kind, count), '{}') from (
        select kind, count(*) from matches where org_id = $1 and ended_at is null group by kind) m
    ) as matches, (
      select coalesce(jsonb_object_agg(
        coalesce(matched_by, ''), jsonb_build_object('decisions', decisions, 'confirmed', confirmed)), '{}')
      from (
        select matched_by, count(*) as decisions, count(*) filter (where decision = 'same') as confirmed
        from match_decisions where org_id = $1 and ended_at is null group by matched_by) d
    ) as decisions,
    (select count(*)::int from match_suggestions where org_id = $1) as open,
    (select coalesce(sum(size), 0)::int from suggestion_queue where org_id = $1) as waiting`,
});
