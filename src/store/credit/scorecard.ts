import type { OrganizationId, PartnerId } from '../../contract/ids.ts';
import { type Partner, PartnerSchema } from '../../contract/partner.ts';
import { type LargestDeal, LargestDealSchema } from '../../contract/scorecard.ts';
import type { Period } from '../../contract/values/time.ts';
import type { PartnerType, Tier } from '../../vocabulary.ts';
import { fieldsOf } from '../db/columns.ts';
import { itemColumns, joinSummary, toItem } from '../db/item-columns.ts';
import { rowsOf, variant } from '../db/statement.ts';
import { all, type Reader } from '../db/tx.ts';
import { sharedOpportunities } from '../facts/partners.ts';
import { toCondition } from './attribution.ts';
import { conversionOf, type Into } from './attribution-summary.ts';

/* Each measure is one statement over all partners, so many partners cost no more round trips than one. */

/** By name, with the number of active signals. */
export const listScoredPartners = rowsOf<
  Partner & { active_signal_count: number },
  [filters: { type?: PartnerType | undefined; tier?: number | undefined }, limit: number]
>({
  name: 'list_scored_partners',
  text: `
    select ${itemColumns(PartnerSchema, 'p')}, coalesce(s.count, 0) as active_signal_count from (
      select ${fieldsOf(PartnerSchema)}, name_key from partners
      where org_id = $1 and deleted_at is null and ($2::text is null or type = $2) and ($3::int is null or tier = $3)
      order by name_key, id limit $4
    ) p
    left join (
      select partner_id, sum(count) as count from signal_counts
      where org_id = $1 and state in ('new', 'in_progress') group by partner_id
    ) s on s.partner_id = p.id
    order by p.name_key, p.id`,
  values: ({ type, tier }, limit) => [type, tier, limit],
});

export type CreditRow = { partner_id: PartnerId; tier: Tier; month: string; value: number };

/** The credit of each partner, in the currency of `into`. */
export async function sumCredit(
  db: Reader,
  orgId: OrganizationId,
  period: Period,
  into: Into,
): Promise<CreditRow[]> {
  const values: unknown[] = [orgId];
  const condition = toCondition(period, values);
  const { currency, rate, join, total } = conversionOf(into, values);
  const text = `
      select r.partner_id, r.tier, to_char(r.closed_date, 'YYYY-MM') as month, ${currency} as currency,
        ${total(`sum(r.credited_value * ${rate})`)} as value
      from attribution_records r join opportunities o on o.org_id = $1 and o.id = r.opportunity_id ${join}
      where ${condition} and r.status = 'active'
      group by r.partner_id, r.tier, month`;
  return all<CreditRow>(db, variant('sum_credit', text, values));
}

/** Closed deals that a partner's activity of these kinds names, or that were open on its account at the time. */
export const countClosedOpportunities = rowsOf<
  { partner_id: PartnerId; won: number; lost: number },
  [kinds: string[], period: Period]
>({
  name: 'count_closed_opportunities',
  text: `
    select partner_id, count(*) filter (where status = 'won') as won, count(*) filter (where status = 'lost') as lost
    from (
      select distinct a.partner_id, o.id, o.status from opportunities o
      join activities a on a.org_id = $1 and a.account_id = o.account_id and a.deleted_at is null and a.kind = any($2)
        and (a.opportunity_id = o.id or (a.opportunity_id is null and a.occurred_at >= o.opened_at
          and (a.occurred_at at time zone 'UTC')::date <= o.closed_date))
      where o.org_id = $1 and o.status in ('won', 'lost') and o.deleted_at is null
        and o.closed_date > coalesce($3::date, '-infinity') and o.closed_date < coalesce($4::date, 'infinity')
    ) opportunities group by partner_id`,
  values: (kinds, { closed_after, closed_before }) => [kinds, closed_after, closed_before],
});

export type OpenOpportunitiesRow = { partner_id: PartnerId; shared: number; co_sold: number };
export type PipelineRow = { currency: string | null; touched: boolean; deals: number; value: number };

/**
 * Open deals that each partner shares with you, and how many of them it worked on since; and all open deals by currency,
 * with those that any partner worked on. One statement, because both read all activities since then.
 */
export async function countOpenOpportunities(
  db: Reader,
  orgId: OrganizationId,
  kinds: string[],
  since: Date,
): Promise<{ shared: OpenOpportunitiesRow[]; pipeline: PipelineRow[] }> {
  const rows = await all<OpenOpportunitiesRow & PipelineRow>(db, {
    name: 'count_open_opportunities',
    text: `
      with ${sharedOpportunities()}
      select s.partner_id, count(*) as shared, count(c.id) as co_sold,
        null as currency, null::boolean as touched, null::bigint as deals, null::numeric as value
      from shared s left join co_sold c on c.partner_id = s.partner_id and c.id = s.id
      group by s.partner_id
      union all
      select null, null, null, o.currency, c.id is not null as touched, count(*), sum(o.value)
      from opportunities o left join (select distinct id from co_sold) c on c.id = o.id
      where o.org_id = $1 and o.status = 'open' and o.deleted_at is null
      group by o.currency, c.id is not null`,
    values: [orgId, kinds, since],
  });
  return {
    shared: rows.filter(({ partner_id }) => partner_id !== null),
    pipeline: rows.filter(({ partner_id }) => partner_id === null),
  };
}

/** The largest won deals with credited partners, valued in the currency of `into`. */
export async function listLargestOpportunities(
  db: Reader,
  orgId: OrganizationId,
  period: Period,
  into: Into,
  limit: number,
): Promise<LargestDeal[]> {
  const values: unknown[] = [orgId, limit];
  const condition = toCondition(period, values);
  const { currency, rate, join, total } = conversionOf(into, values);
  const text = `
      select ${itemColumns(LargestDealSchema, 'd')} from (
        select r.opportunity_id, r.closed_date, ${currency} as currency, ${total(`o.value * ${rate}`)} as value,
          count(*) as partners
        from attribution_records r join opportunities o on o.org_id = $1 and o.id = r.opportunity_id ${join}
        where ${condition} and r.status = 'active'
        group by r.opportunity_id, r.closed_date, o.value, ${rate}
        order by value desc, r.opportunity_id limit $2
      ) d ${joinSummary('opportunity', 'd.opportunity_id')} ${joinSummary('account', 'opportunity.account_id')}
      order by d.value desc, d.opportunity_id`;
  const rows = await all(db, variant('list_largest_opportunities', text, values));
  return rows.map(toItem<LargestDeal>);
}
