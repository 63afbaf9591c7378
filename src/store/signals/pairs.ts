import type { AccountId, OpportunityId, OrganizationId, PartnerId } from '../../contract/ids.ts';
import type { MatchKind, PartnerType } from '../../vocabulary.ts';
import { array, arraysOf } from '../db/columns.ts';
import { plannerFence, rowsBy } from '../db/planner-fence.ts';
import { rowsOf, run } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';
import { addDueWork } from '../delivery/due-organizations.ts';
import type { OpportunityFact } from '../facts/crm-facts.ts';
import type { ActivityFact } from '../facts/partner-facts.ts';
import { evaluated, type PairSignal } from './signal-columns.ts';

/** One partner and one account, which the rules evaluate together. */
export type Pair = { account_id: AccountId; partner_id: PartnerId };

const given = `unnest($2::text[], $3::text[]) as g (account_id, partner_id)`;

const arraysOfPairs = (pairs: Pair[]) => arraysOf(pairs, 'account_id', 'partner_id');

/** Every pair on these accounts that the rules might have to evaluate. */
export const findPairsOn = rowsOf<Pair, [accountIds: AccountId[], since: Date], Tx>({
  name: 'find_pairs_on',
  text: `
    select account_id, partner_id from matches where org_id = $1 and account_id = any($2) and ended_at is null
    union
    select account_id, partner_id from signals
    where org_id = $1 and account_id = any($2) and state in ('new', 'in_progress')
    union
    select account_id, partner_id from activities
    where org_id = $1 and account_id = any($2) and deleted_at is null and occurred_at >= $3`,
});

export type PairNames = Pair & {
  partner_name: string;
  partner_type: PartnerType;
  partner_tier: 1 | 2 | 3 | 4;
  account_name: string;
  /** False if either side is withdrawn or merged. */
  alive: boolean;
};

export const findPairNames = rowsOf<PairNames, [pairs: Pair[]], Tx>({
  name: 'find_pair_names',
  text: `
    select g.account_id, g.partner_id, p.name as partner_name, p.type as partner_type, p.tier as partner_tier,
      a.name as account_name,
      p.deleted_at is null and a.deleted_at is null and a.merged_into is null as alive
    from ${given}
    cross join lateral (
      select name, type, tier, deleted_at from partners where org_id = $1 and id = g.partner_id ${plannerFence}) p
    cross join lateral (
      select name, deleted_at, merged_into from accounts where org_id = $1 and id = g.account_id ${plannerFence}) a`,
  values: arraysOfPairs,
});

export type PairMatch = Pair & {
  kind: MatchKind;
  key: string;
  confidence: number;
  started_at: Date;
  partner_account_name: string;
};

export const findPairMatches = rowsOf<PairMatch, [pairs: Pair[]], Tx>({
  name: 'find_pair_matches',
  text: `
    select m.account_id, m.partner_id, m.kind, m.key, m.confidence, m.started_at, p.name as partner_account_name
    from ${given}
    cross join lateral (
      select * from matches
      where org_id = $1 and account_id = g.account_id and partner_id = g.partner_id ${plannerFence}) m
    cross join lateral (
      select name from partner_accounts
      where org_id = $1 and partner_id = m.partner_id and external_id = m.external_id ${plannerFence}) p
    where m.ended_at is null`,
  values: arraysOfPairs,
});

export type PairActivity = Pick<
  ActivityFact,
  keyof Pair | 'id' | 'external_id' | 'kind' | 'occurred_at' | 'summary' | 'actor' | 'opportunity_id'
>;

/** The activities of each pair since the moment given for it. */
export const findPairActivities = rowsOf<PairActivity, [pairs: (Pair & { since: Date })[]], Tx>({
  name: 'find_pair_activities',
  text: `
    select v.account_id, v.partner_id, v.id, v.external_id, v.kind, v.occurred_at, v.summary, v.actor, v.opportunity_id
    from unnest($2::text[], $3::text[], $4::timestamptz[]) as g (account_id, partner_id, since)
    cross join lateral (
      select * from activities
      where org_id = $1 and account_id = g.account_id and partner_id = g.partner_id
        and deleted_at is null and occurred_at >= g.since ${plannerFence}) v`,
  values: (pairs) => arraysOf(pairs, 'account_id', 'partner_id', 'since'),
});

export type AccountOpportunity = Pick<
  OpportunityFact,
  'account_id' | 'id' | 'crm_id' | 'name' | 'value' | 'currency' | 'stage' | 'opened_at' | 'closed_date'
>;

export const findOpenOpportunities = rowsOf<AccountOpportunity, [accountIds: AccountId[]], Tx>({
  name: 'find_open_opportunities',
  text: rowsBy(
    'opportunities',
    'account_id',
    'account_id, id, crm_id, name, value, currency, stage, opened_at, closed_date',
    `and status = 'open' and deleted_at is null`,
  ),
  values: (accountIds) => [array(accountIds)],
});

export type ClosedOpportunity = {
  account_id: AccountId;
  id: OpportunityId;
  status: 'won' | 'lost' | 'deleted';
  closed_date: string | null;
};

/** Those that are no longer open. */
export const findClosedOpportunities = rowsOf<ClosedOpportunity, [ids: OpportunityId[]], Tx>({
  name: 'find_closed_opportunities',
  text: `
    select account_id, id, case when deleted_at is null then status else 'deleted' end as status, closed_date
    from opportunities
    where org_id = $1 and id = any($2) and crm_id is not null and (status <> 'open' or deleted_at is not null)`,
});

/**
 * Locked until the end of the transaction: a client's change waits, and is then checked against the result. An account has
 * few signals, and a partner may have a million, so no index may serve the condition on the partner: "is not distinct from"
 * is the equality that none can.
 */
export const lockPairSignals = rowsOf<PairSignal, [pairs: Pair[], endedSince: Date], Tx>({
  name: 'lock_pair_signals',
  text: `
    select ${evaluated.of('s')} from ${given}
    join signals s on s.org_id = $1 and s.account_id = g.account_id and s.partner_id is not distinct from g.partner_id
    where s.state in ('new', 'in_progress') or s.ended_at >= $4
    order by s.id
    for update of s`,
  values: (pairs, endedSince) => [...arraysOfPairs(pairs), endedSince],
});

/** The earlier of two times applies. */
const upsertRecheck = (pairs: string) => `
  insert into rechecks as r (org_id, account_id, partner_id, due_at) ${pairs}
  on conflict (org_id, account_id, partner_id) do update set due_at = least(r.due_at, excluded.due_at)`;

export async function upsertRechecks(
  tx: Tx,
  orgId: OrganizationId,
  rechecks: (Pair & { due_at: Date })[],
): Promise<void> {
  await tx.query({
    name: 'upsert_rechecks',
    writes: ['rechecks'],
    text: upsertRecheck(`
      select $1, account_id, partner_id, due_at from unnest($2::text[], $3::text[], $4::timestamptz[]) as g (account_id, partner_id, due_at)`),
    values: [orgId, ...arraysOf(rechecks, 'account_id', 'partner_id', 'due_at')],
  });
  for (const { due_at } of rechecks) addDueWork(tx, orgId, due_at);
}

function recheckPairsOf(name: string, pairs: string) {
  const upsert = run<[partnerIds: PartnerId[], dueAt: Date]>({
    name,
    writes: ['rechecks'],
    text: upsertRecheck(`select distinct $1, account_id, partner_id, $3::timestamptz from ${pairs}`),
  });
  return async (tx: Tx, orgId: OrganizationId, partnerIds: PartnerId[], dueAt: Date): Promise<void> => {
    await upsert(tx, orgId, partnerIds, dueAt);
    addDueWork(tx, orgId, dueAt);
  };
}

/** Marks the active signals of these partners; the background job rewrites their recommended actions in small steps. */
export const recheckPartners = recheckPairsOf(
  'recheck_partners',
  `signals where org_id = $1 and partner_id = any($2) and state in ('new', 'in_progress')`,
);

/** For partners that are no longer withdrawn: their activities may reactivate signals that ended with them. */
export const recheckReturnedPartners = recheckPairsOf(
  'recheck_returned_partners',
  `activities where org_id = $1 and partner_id = any($2) and deleted_at is null`,
);

/**
 * The limit is part of the text, so that the planner knows it: it would otherwise expect a tenth of all rows, and read all
 * of them.
 */
export const takeDueRechecks = rowsOf<Pair, [now: Date], Tx>({
  name: 'take_due_rechecks',
  writes: ['rechecks'],
  text: `
    delete from rechecks where org_id = $1 and (account_id, partner_id) in (
      select account_id, partner_id from rechecks
      where org_id = $1 and due_at <= $2 order by due_at limit 200 for update skip locked)
    returning account_id, partner_id`,
});
