import { isDeepStrictEqual } from 'node:util';
import type { OrganizationId, PartnerId, SignalId } from '../../contract/ids.ts';
import type { PriorityParts } from '../../contract/signal.ts';
import { creditsForFullScore } from '../../vocabulary.ts';
import { columns, jsonb, type Row, smallint, text } from '../db/columns.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { firstOf, rowsOf, run } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';
import { addDueWork } from '../delivery/due-organizations.ts';
import { inserted } from './signal-columns.ts';

export type ScaleRow = {
  amounts: number[];
  /** The rate of each currency to that of the amounts; `''` for deals without a currency. */
  rates: Record<string, number>;
  deals: number;
  changed_deals: number;
  walked_to: string[] | null;
};

export const insertScale = run<[]>({
  name: 'insert_scale',
  writes: ['priority_scales'],
  text: `insert into priority_scales (org_id, due_at) values ($1, now() + interval '1 day')`,
});

export const findScale = firstOf<ScaleRow>({
  name: 'find_scale',
  text: `select amounts, rates, deals, changed_deals, walked_to from priority_scales where org_id = $1`,
});

export const upsertScale = run<[scale: Omit<ScaleRow, 'walked_to'>]>({
  name: 'upsert_scale',
  writes: ['priority_scales'],
  text: `
    insert into priority_scales (org_id, amounts, rates, deals, changed_deals) values ($1, $2, $3, $4, $5)
    on conflict (org_id) do update set amounts = excluded.amounts, rates = excluded.rates,
      deals = excluded.deals, changed_deals = excluded.changed_deals`,
  values: ({ amounts, rates, deals, changed_deals }) => [amounts, rates, deals, changed_deals],
});

/** The amounts of some open deals. An index contains only these, so it reads no more. */
export const sampleOpenOpportunities = rowsOf<{ value: number; currency: string | null }>({
  name: 'sample_open_opportunities',
  text: `
    select value, currency from opportunities where org_id = $1 and status = 'open' and deleted_at is null
    order by account_id desc limit 10000`,
});

/** Scores all active signals of the organization again, from the first one. */
export async function restartRescoring(tx: Tx, orgId: OrganizationId, at: Date): Promise<void> {
  await tx.query({
    name: 'restart_rescoring',
    writes: ['priority_scales'],
    text: `update priority_scales set due_at = least(due_at, $2), walked_to = null where org_id = $1`,
    values: [orgId, at],
  });
  addDueWork(tx, orgId, at);
}

/** Where the next step begins, or when the next round starts. */
export const moveRescoring = run<[next: { walkedTo: string[] } | { at: Date }]>({
  name: 'move_rescoring',
  writes: ['priority_scales'],
  text: `
    update priority_scales set walked_to = $2, due_at = coalesce($3::timestamptz, due_at) where org_id = $1`,
  values: (next) => ('at' in next ? [null, next.at] : [next.walkedTo, null]),
});

/** An active signal with everything that its priority depends on, and its current priority. */
export type ScoredRow = Row<typeof own> & {
  partner_tier: number;
  is_open: boolean;
  value: number;
  currency: string | null;
  stage: string;
  closed_date: string | null;
  confidence: number | null;
};

const { recommended_action, urgency, reasons, ...scoredColumns } = inserted.declared;
const own = columns(scoredColumns);
const scored = (signals: string) => `
  select s.*, p.tier as partner_tier, o.status = 'open' and o.deleted_at is null as is_open, o.value, o.currency, o.stage,
    o.closed_date, m.confidence
  from (${signals}) s
  cross join lateral (select tier from partners where org_id = $1 and id = s.partner_id ${plannerFence}) p
  cross join lateral (
    select status, deleted_at, value, currency, stage, closed_date from opportunities
    where org_id = $1 and id = s.opportunity_id ${plannerFence}) o
  left join lateral (
    select confidence from matches
    where org_id = $1 and account_id = s.account_id and partner_id = s.partner_id and ended_at is null ${plannerFence}) m on true`;

const key = 'account_id, partner_id, type, opportunity_id';
/** How many signals are scored in one step. */
export const stepSignals = 500;

/** Active signals after a position, in the order of an index that contains only active signals. */
export const findScoredAfter = rowsOf<ScoredRow, [after: string[]], Tx>({
  name: 'find_scored_after',
  text: `
    ${scored(`
      select ${own.list} from signals
      where org_id = $1 and state in ('new', 'in_progress') and (${key}) > ($2, $3, $4, $5) order by ${key} limit ${stepSignals}`)}
    order by ${key}`,
  values: (after) => after,
});

export const findScored = rowsOf<ScoredRow, [ids: SignalId[]], Tx>({
  name: 'find_scored',
  text: scored(`select ${own.list} from signals where org_id = $1 and id = any($2)`),
});

const newScore = columns({
  id: text<SignalId>(),
  priority: smallint(),
  priority_parts: jsonb<PriorityParts | null>(),
});
export type NewScore = Row<typeof newScore>;

export function sameScore(a: Omit<NewScore, 'id'>, b: Omit<NewScore, 'id'>): boolean {
  return a.priority === b.priority && isDeepStrictEqual(a.priority_parts, b.priority_parts);
}

/** Changes nothing else of a signal and sends no event. Locks in the common order of signals. */
export const updatePriorities = run<[scores: NewScore[]]>({
  name: 'update_priorities',
  writes: ['signals'],
  text: `
    with given as (select * from jsonb_to_recordset($2) as r ${newScore.record}),
    locked as (
      select id from signals where org_id = $1 and id in (select id from given) order by id for update
    )
    update signals s set ${newScore.from('r', 'id')} from given r join locked l on l.id = r.id
    where s.org_id = $1 and s.id = r.id`,
  values: (scores) => [JSON.stringify(scores)],
});

export type ScoringFacts = Pick<ScaleRow, 'amounts' | 'rates'> & {
  /** How many deals each partner was credited for, up to the number for a full score; absent if none. */
  credits: Record<PartnerId, number>;
};

/** What priorities depend on besides the signal's own facts, in one statement. */
export const findScoringFacts = firstOf<ScoringFacts, [partnerIds: PartnerId[], since: string]>({
  name: 'find_scoring_facts',
  text: `
    select amounts, rates, (
      select coalesce(jsonb_object_agg(g.partner_id, c.count), '{}') from unnest($2::text[]) as g (partner_id)
      cross join lateral (
        select count(*) from (
          select from attribution_records
          where org_id = $1 and partner_id = g.partner_id and status = 'active' and closed_date >= $3
          limit ${creditsForFullScore}) r) c
    ) as credits
    from priority_scales where org_id = $1`,
  values: (partnerIds, since) => [[...new Set(partnerIds)], since],
});
