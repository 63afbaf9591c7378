import type { PartnerId } from '../../contract/ids.ts';
import { PartnerSummary } from '../../contract/partner.ts';
import type { Signal } from '../../contract/signal.ts';
import {
  type DismissReason,
  dismissReasons,
  type OpportunityStatus,
  type SignalType,
} from '../../vocabulary.ts';
import { arraysOf } from '../db/columns.ts';
import { summaryColumns, toItem } from '../db/item-columns.ts';
import { rowsOf } from '../db/statement.ts';

/** `until` is exclusive. */
export type Period = { from: Date; until: Date };

/** All signals, those of a type, or those of a partner: whichever is not null. */
export type Group = { type: SignalType | null; partner_id: PartnerId | null };

export type FiredRow = Group & {
  /** Only for a group of a partner. */
  partner: Signal['partner'];
  fired: number;
  active: number;
  taken_up: number;
  handled: number;
  dismissed: number;
  expired_untouched: number;
  median_hours: number | null;
} & Record<DismissReason, number>;

const fired = `signals where org_id = $1 and fired_at >= $2 and fired_at < $3`;
const count = (condition: string, name: string) => `count(*) filter (where ${condition}) as ${name}`;

/** What was done about the signals that fired in the period: all, by type and by partner. One pass over them. */
export const countFired = rowsOf<FiredRow, [period: Period, maxPartners: number]>(
  {
    name: 'count_fired',
    text: `
    with counted as (
      select grouping(type, partner_id) as level, type, partner_id, count(*) as fired,
        ${count(`state in ('new', 'in_progress')`, 'active')},
        count(taken_up_at) as taken_up,
        ${count(`state = 'handled'`, 'handled')},
        ${count(`end_reason = 'dismissed'`, 'dismissed')},
        ${dismissReasons.map((reason) => count(`dismiss_reason = '${reason}'`, reason)).join(', ')},
        ${count(`state = 'expired' and first_action_at is null`, 'expired_untouched')},
        percentile_cont(0.5) within group (order by extract(epoch from first_action_at - fired_at)) / 3600 as median_hours
      from ${fired} group by grouping sets ((), (type), (partner_id))
    )
    select c.*, ${summaryColumns('partner', PartnerSummary)}
    from counted c left join partners partner on partner.org_id = $1 and partner.id = c.partner_id
    order by c.level desc, c.fired desc, partner.name_key, partner.id limit 4 + $4`,
    values: ({ from, until }, maxPartners) => [from, until, maxPartners],
  },
  toItem,
);

export type OutcomeRow = Group & {
  has_handled: boolean;
  status: OpportunityStatus | 'prospective';
  currency: string | null;
  deals: number;
  value: number;
  converted: number | null;
};

/** For won deals: the rate of each currency on each day. */
export type DayRate = { currency: string; closed_date: string; rate: number };

/** The outcome of the deals of these signals; each deal once per group. */
export const countOpportunitiesOfFired = rowsOf<
  OutcomeRow,
  [period: Period, partnerIds: PartnerId[], rates: DayRate[]]
>({
  name: 'count_opportunities_of_fired',
  text: `
    with of_opportunity as (
      select type, partner_id, opportunity_id, bool_or(state = 'handled') as has_handled
      from ${fired}
      group by grouping sets ((opportunity_id), (type, opportunity_id), (partner_id, opportunity_id))
    )
    select d.type, d.partner_id, d.has_handled, o.status, o.currency, count(*) as deals, sum(o.value) as value,
      sum(o.value * x.rate) as converted
    from of_opportunity d
    -- A join, because a list in a parameter would be searched from its start for each of them.
    left join unnest($4::text[]) as listed (id) on listed.id = d.partner_id
    join opportunities o on o.org_id = $1 and o.id = d.opportunity_id and o.deleted_at is null
    left join unnest($5::text[], $6::date[], $7::numeric[]) as x (currency, closed_date, rate)
      on o.status = 'won' and x.currency = o.currency and x.closed_date = o.closed_date
    where d.partner_id is null or listed.id is not null
    group by d.type, d.partner_id, d.has_handled, o.status, o.currency`,
  values: ({ from, until }, partnerIds, rates) => [
    from,
    until,
    partnerIds,
    ...arraysOf(rates, 'currency', 'closed_date', 'rate'),
  ],
});

/** The currencies and closing days of the won deals, which is all that a rate depends on. */
export const findWonDays = rowsOf<
  { currency: string | null; closed_date: string; deals: number },
  [period: Period]
>({
  name: 'find_won_days_of_fired',
  text: `
    select o.currency, o.closed_date, count(*) as deals
    from (select distinct opportunity_id from ${fired}) d
    join opportunities o on o.org_id = $1 and o.id = d.opportunity_id and o.deleted_at is null
    where o.status = 'won' and o.closed_date is not null group by o.currency, o.closed_date`,
  values: ({ from, until }) => [from, until],
});
