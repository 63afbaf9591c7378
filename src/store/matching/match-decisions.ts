import type { AccountId, DecisionId, OrganizationId, PartnerId } from '../../contract/ids.ts';
import {
  type MatchDecision,
  type MatchDecisionDetail,
  MatchDecisionSchema,
  PastDecisionSchema,
} from '../../contract/match.ts';
import type { MatchKind, MatchDecision as Verdict } from '../../vocabulary.ts';
import { arraysOf, columns, type Row, text, timestamptz } from '../db/columns.ts';
import type { Position } from '../db/cursor.ts';
import { firstRows } from '../db/first-rows.ts';
import { itemColumns, toItem } from '../db/item-columns.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { columnOf, rowsOf, run, variant } from '../db/statement.ts';
import { all, first, type Reader, type Tx } from '../db/tx.ts';
import type { ChangedBy } from '../signals/signal-changes.ts';
import { type FoundMatch, notDecidedDifferent } from './matches.ts';

export type DecidedPair = { account_id: AccountId; partner_id: PartnerId; external_id: string };

const decision = columns({
  id: text<DecisionId>(),
  account_id: text<AccountId>(),
  partner_id: text<PartnerId>(),
  external_id: text(),
  decision: text<Verdict>(),
  note: text<string | null>(),
  matched_by: text<MatchKind | null>(),
  decided_at: timestamptz(),
});
export type NewDecision = Row<typeof decision>;

/** `aliases` are the keys that identify later rows of the partner as the same company. */
export async function insertDecision(
  tx: Tx,
  orgId: OrganizationId,
  made: NewDecision,
  by: ChangedBy,
  aliases: string[],
): Promise<void> {
  await tx.query({
    name: 'insert_match_decision',
    writes: ['match_decisions'],
    text: `
      insert into match_decisions (org_id, decided_by, ${decision.list})
      select $1, $3::jsonb, ${decision.list} from jsonb_to_recordset($2) as r ${decision.record}`,
    values: [orgId, JSON.stringify([made]), by],
  });
  await tx.query({
    name: 'insert_match_aliases',
    writes: ['match_aliases'],
    text: `
      insert into match_aliases (org_id, partner_id, key, decision_id) select $1, $2, unnest($4::text[]), $3`,
    values: [orgId, made.partner_id, made.id, aliases],
  });
}

/** Ends the current decision on a pair, and returns the kind of match that it was about. */
export async function supersedeDecision(
  tx: Tx,
  orgId: OrganizationId,
  { account_id, partner_id, external_id }: DecidedPair,
  by: ChangedBy,
  now: Date,
): Promise<{ matched_by: MatchKind | null } | undefined> {
  const ended = await first<{ id: DecisionId; matched_by: MatchKind | null }>(tx, {
    name: 'supersede_match_decision',
    writes: ['match_decisions'],
    text: `
      update match_decisions set ended_as = 'superseded', ended_by = $5, ended_at = $6
      where org_id = $1 and account_id = $2 and partner_id = $3 and external_id = $4 and ended_at is null
      returning id, matched_by`,
    values: [orgId, account_id, partner_id, external_id, by, now],
  });
  if (ended) await deleteAliases(tx, orgId, [ended.id]);
  return ended;
}

/** False if it was not current. */
export async function revertDecision(
  tx: Tx,
  orgId: OrganizationId,
  id: DecisionId,
  by: ChangedBy,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'revert_match_decision',
    writes: ['match_decisions'],
    text: `
      update match_decisions set ended_as = 'reverted', ended_by = $3, ended_at = $4
      where org_id = $1 and id = $2 and ended_at is null`,
    values: [orgId, id, by, now],
  });
  await deleteAliases(tx, orgId, [id]);
  return rowCount === 1;
}

const deleteAliases = run<[ids: DecisionId[]]>({
  name: 'delete_match_aliases',
  writes: ['match_aliases'],
  text: `delete from match_aliases where org_id = $1 and decision_id = any($2)`,
});

const joinDecisions = columnOf<DecisionId, [from: AccountId, into: AccountId, now: Date], Tx>({
  name: 'join_match_decisions',
  writes: ['match_decisions'],
  text: `
    with older as (
      select least(f.id, t.id) as id from match_decisions f
      join match_decisions t on t.org_id = $1 and t.account_id = $3 and t.partner_id = f.partner_id
        and t.external_id = f.external_id and t.ended_at is null
      where f.org_id = $1 and f.account_id = $2 and f.ended_at is null
    )
    update match_decisions d set ended_as = 'superseded', ended_at = $4
    from older o where d.org_id = $1 and d.id = o.id
    returning d.id`,
});

/** Decisions on a merged account now apply to the remaining one; of two on the same pair, the newer applies. */
export async function moveDecisions(
  tx: Tx,
  orgId: OrganizationId,
  from: AccountId,
  into: AccountId,
  now: Date,
): Promise<void> {
  const older = await joinDecisions(tx, orgId, from, into, now);
  if (older.length > 0) await deleteAliases(tx, orgId, older);
  await tx.query({
    name: 'move_match_decisions',
    writes: ['match_decisions'],
    text: `update match_decisions set account_id = $3 where org_id = $1 and account_id = $2`,
    values: [orgId, from, into],
  });
}

/**
 * The match of each account and partner that people confirmed: the row that they confirmed or, while that is withdrawn, the
 * only row of the partner with the same keys.
 */
export const findConfirmedMatches = rowsOf<FoundMatch, [accountIds: AccountId[]], Tx>({
  name: 'find_confirmed_matches',
  text: `
    select distinct on (c.account_id, c.partner_id) c.account_id, c.partner_id, p.external_id,
      'confirmed' as kind, 'decision:' || c.id as key
    from (
      select id, account_id, partner_id, external_id from match_decisions
      where org_id = $1 and account_id = any($2) and decision = 'same' and ended_at is null ${plannerFence}) c
    join lateral (
      select deleted_at, merged_into from accounts where org_id = $1 and id = c.account_id ${plannerFence}) a
      on a.deleted_at is null and a.merged_into is null
    join lateral (
      select deleted_at from partners where org_id = $1 and id = c.partner_id ${plannerFence}) r on r.deleted_at is null
    cross join lateral (
      select external_id, 0 as place from partner_accounts
      where org_id = $1 and partner_id = c.partner_id and external_id = c.external_id and deleted_at is null
      union all
      select min(k.external_id), 1 from match_aliases m
      cross join lateral (
        select partner_id, external_id from partner_account_keys
        where org_id = $1 and key = m.key and partner_id = c.partner_id ${plannerFence}) k
      where m.org_id = $1 and m.decision_id = c.id and ${notDecidedDifferent('c.account_id', 'k')}
      having count(distinct k.external_id) = 1
      ${plannerFence}) p
    order by c.account_id, c.partner_id, p.place, p.external_id`,
});

/** Accounts that decisions connect with these partner accounts, by their former and present keys. */
export const findDecidedAccounts = columnOf<
  AccountId,
  [accounts: Omit<DecidedPair, 'account_id'>[], keys: { partner_id: PartnerId; key: string }[]],
  Tx
>({
  name: 'find_decided_accounts',
  text: `
    with given as (select * from unnest($2::text[], $3::text[]) as g (partner_id, external_id))
    select d.account_id from given g
    cross join lateral (
      select account_id from match_decisions
      where org_id = $1 and partner_id = g.partner_id and external_id = g.external_id and ended_at is null ${plannerFence}) d
    union
    select d.account_id from (
      select g.partner_id, k.key from given g
      cross join lateral (
        select key from partner_account_keys
        where org_id = $1 and partner_id = g.partner_id and external_id = g.external_id ${plannerFence}) k
      union select * from unnest($4::text[], $5::text[])
    ) k
    cross join lateral (
      select decision_id from match_aliases
      where org_id = $1 and partner_id = k.partner_id and key = k.key ${plannerFence}) m
    cross join lateral (
      select account_id from match_decisions where org_id = $1 and id = m.decision_id ${plannerFence}) d`,
  values: (accounts, keys) => [
    ...arraysOf(accounts, 'partner_id', 'external_id'),
    ...arraysOf(keys, 'partner_id', 'key'),
  ],
});

const computed = { status: `coalesce(d.ended_as, 'current')` };
const inFull = (decisions: string) => `
  select ${itemColumns(MatchDecisionSchema, 'd', computed)}
  from (${decisions}) d
  join accounts account on account.org_id = $1 and account.id = d.account_id
  join partners partner on partner.org_id = $1 and partner.id = d.partner_id
  join partner_accounts partner_account on partner_account.org_id = $1 and partner_account.partner_id = d.partner_id
    and partner_account.external_id = d.external_id`;

export const findDecisions = rowsOf<MatchDecision, [ids: DecisionId[]]>(
  {
    name: 'find_match_decisions',
    text: inFull(`select * from match_decisions where org_id = $1 and id = any($2)`),
  },
  toItem,
);

export async function findDecision(
  db: Reader,
  orgId: OrganizationId,
  id: DecisionId,
): Promise<MatchDecisionDetail | undefined> {
  const [found] = await findDecisions(db, orgId, [id]);
  if (!found) return undefined;
  const history = await all<MatchDecisionDetail['history'][number]>(db, {
    name: 'list_decisions_of_pair',
    text: `
      select ${itemColumns(PastDecisionSchema, 'd', computed)} from match_decisions d
      where org_id = $1 and account_id = $2 and partner_id = $3 and external_id = $4 order by id desc`,
    values: [orgId, found.account.id, found.partner.id, found.partner_account.external_id],
  });
  return { ...found, history };
}

export type DecisionFilters = { partner_id?: PartnerId; account_id?: AccountId; decision?: Verdict };

/** Newest first; the ID contains the creation time. */
export async function listDecisions(
  db: Reader,
  orgId: OrganizationId,
  { partner_id, account_id, decision }: DecisionFilters,
  limit: number,
  after: Position | null,
): Promise<MatchDecision[]> {
  const values: unknown[] = [orgId, limit];
  const filters = Object.entries({ partner_id, account_id, decision }).filter(([, value]) => value);
  const page = [
    'select * from match_decisions where org_id = $1',
    ...filters.map(([column, value]) => `and ${column} = $${values.push(value)}`),
    ...(after ? [`and id < $${values.push(after[0])}`] : []),
  ].join(' ');
  const text = `${inFull(firstRows(page, 'id desc', '$2'))} order by d.id desc`;
  const rows = await all(db, variant('list_match_decisions', text, values));
  return rows.map(toItem<MatchDecision>);
}
