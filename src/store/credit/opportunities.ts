import type { AccountId, OpportunityId, PartnerId, SignalId } from '../../contract/ids.ts';
import { OpportunitySummary, type Signal } from '../../contract/signal.ts';
import type { Period } from '../../contract/values/time.ts';
import { arraysOf, fieldsOf } from '../db/columns.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { columnOf, rowsOf } from '../db/statement.ts';
import type { ActivityFact } from '../facts/partner-facts.ts';

/** A deal to credit. A deal that is no longer won has no closing date to use. */
export type OpportunityToCredit = Signal['opportunity'] & {
  account_id: AccountId;
  won: boolean;
  opened_at: Date;
  closed_date: string;
};

const opportunity = `
  ${fieldsOf(OpportunitySummary)}, account_id, (status = 'won' and deleted_at is null) as won, opened_at,
  coalesce(closed_date, opened_at::date) as closed_date`;

export const findOpportunitiesToCredit = rowsOf<OpportunityToCredit, [ids: OpportunityId[]]>({
  name: 'find_opportunities_to_credit',
  text: `select ${opportunity} from opportunities where org_id = $1 and id = any($2) and crm_id is not null`,
});

/** Won deals on these accounts that closed on or after the day from which something changed. */
export const findWonOpportunitiesSince = columnOf<
  OpportunityId,
  [touched: { account_id: AccountId; since: string }[]]
>({
  name: 'find_won_opportunities_since',
  text: `
    select distinct o.id from unnest($2::text[], $3::date[]) as g (account_id, since)
    cross join lateral (
      select id from opportunities
      where org_id = $1 and account_id = g.account_id and status = 'won' and deleted_at is null
        and closed_date >= g.since ${plannerFence}) o`,
  values: (touched) => arraysOf(touched, 'account_id', 'since'),
});

/** Deals with a record of these partners, and won deals on accounts where they had activity before the close. */
export const findOpportunitiesOfPartners = columnOf<OpportunityId, [partnerIds: PartnerId[]]>({
  name: 'find_opportunities_of_partners',
  text: `
    select opportunity_id as id from attribution_records where org_id = $1 and partner_id = any($2)
    union
    select o.id from (
      select account_id, (min(occurred_at) at time zone 'UTC')::date as since from activities
      where org_id = $1 and partner_id = any($2) and deleted_at is null group by account_id
    ) v
    join opportunities o on o.org_id = $1 and o.account_id = v.account_id and o.status = 'won' and o.deleted_at is null
      and o.closed_date >= v.since`,
});

export const stepOpportunities = 500;

/** Deals of a period, both ends excluded, newest first, one step at a time. */
export const listWonOpportunities = rowsOf<
  OpportunityToCredit,
  [period: Period, after: { closed_date: string; id: OpportunityId } | null]
>({
  name: 'list_won_opportunities',
  text: `
    select ${opportunity} from opportunities
    where org_id = $1 and status = 'won' and deleted_at is null
      and closed_date > coalesce($2, '-infinity'::date) and closed_date < coalesce($3, 'infinity'::date)
      -- The first is for the index: without it every step would read all those before it again.
      and closed_date <= coalesce($4::date, 'infinity') and ($4::date is null or (closed_date, id) < ($4, $5))
    order by closed_date desc, id desc limit $6`,
  values: ({ closed_after, closed_before }, after) => [
    closed_after,
    closed_before,
    after?.closed_date,
    after?.id,
    stepOpportunities,
  ],
});

export type OpportunityActivityRow = Omit<
  ActivityFact,
  'account_id' | 'opportunity_id' | 'actor' | 'source' | 'version' | 'deleted_at' | 'source_updated_at'
> & {
  opportunity_id: OpportunityId;
  partner_external_id: string;
};

/** Activities on the account of each deal, within its period, that name this deal or none. */
export const findOpportunityActivities = rowsOf<
  OpportunityActivityRow,
  [opportunities: { id: OpportunityId; account_id: AccountId; since: Date; until: Date }[]]
>({
  name: 'find_opportunity_activities',
  text: `
    select g.id as opportunity_id, v.id, v.external_id, v.partner_id, p.external_id as partner_external_id,
      v.kind, v.occurred_at, v.recorded_at, v.source_recorded_at, v.summary
    from unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as g (id, account_id, since, until)
    -- The account by its index, and the rest by a look at its rows: given more, the planner may go through the index of
    -- partners instead, from one end to the other for every deal.
    cross join lateral (select * from activities where org_id = $1 and account_id = g.account_id ${plannerFence}) v
    cross join lateral (
      select external_id, deleted_at from partners where org_id = $1 and id = v.partner_id ${plannerFence}) p
    where v.deleted_at is null and v.occurred_at >= g.since and v.occurred_at < g.until
      and (v.opportunity_id is null or v.opportunity_id = g.id) and p.deleted_at is null`,
  values: (opportunities) => arraysOf(opportunities, 'id', 'account_id', 'since', 'until'),
});

/** The pre-intent signal of each partner before each deal. */
export const findPreIntentSignals = rowsOf<
  { opportunity_id: OpportunityId; partner_id: PartnerId; id: SignalId },
  [opportunityIds: OpportunityId[]]
>({
  name: 'find_pre_intent_signals',
  text: `
    select distinct on (s.opportunity_id, s.partner_id) s.opportunity_id, s.partner_id, s.id
    from unnest($2::text[]) as g (id)
    cross join lateral (select account_id from opportunities where org_id = $1 and id = g.id ${plannerFence}) o
    cross join lateral (
      select opportunity_id, partner_id, fired_at, id from signals
      where org_id = $1 and account_id = o.account_id and opportunity_id = g.id and type = 'pre_intent' ${plannerFence}) s
    order by s.opportunity_id, s.partner_id, s.fired_at, s.id`,
});
