import type { AttributionTotals } from '../../contract/attribution.ts';
import type { OrganizationId } from '../../contract/ids.ts';
import { PartnerSummary } from '../../contract/partner.ts';
import { type Tier, tiers } from '../../vocabulary.ts';
import { summaryColumns, toItem } from '../db/item-columns.ts';
import { variant } from '../db/statement.ts';
import { all, type Reader } from '../db/tx.ts';
import { type AttributionFilters, toCondition } from './attribution.ts';

type Amounts = AttributionTotals['totals'][number];

type Row = AttributionTotals['by_partner'][number] & {
  tier: Tier | null;
  month: string | null;
  level: number;
};

/**
 * Active records only, each currency separately. Net counts a deal once per group, however many partners are credited; gross
 * counts it once per record. One pass over the records serves all groupings.
 */
export async function summarizeAttribution(
  db: Reader,
  orgId: OrganizationId,
  filters: AttributionFilters,
  into?: Into,
): Promise<AttributionTotals> {
  const values: unknown[] = [orgId];
  const condition = toCondition(filters, values);
  const amount = into ? conversionOf(into, values) : asItIs;
  const text = `
      with credited as (
        select r.opportunity_id, r.partner_id, r.tier, to_char(r.closed_date, 'YYYY-MM') as month,
          ${amount.currency} as currency, o.value * ${amount.rate} as value,
          r.credited_value * ${amount.rate} as credited_value
        from attribution_records r
        join opportunities o on o.org_id = $1 and o.id = r.opportunity_id
        ${amount.join}
        where ${condition} and r.status = 'active'
      ),
      per_opportunity as (
        select grouping(partner_id, tier, month) as level, partner_id, tier, month, currency, opportunity_id,
          max(value) as value, sum(credited_value) as credited_value, count(*) as credits
        from credited
        group by grouping sets (
          (currency, opportunity_id), (currency, opportunity_id, partner_id), (currency, opportunity_id, tier), (currency, opportunity_id, month),
          (currency, opportunity_id, tier, month))
      )
      select d.level, ${summaryColumns('partner', PartnerSummary)}, d.tier, d.month, d.currency,
        count(*) as deals, sum(d.credits) as credits, ${amount.total('sum(d.value)')} as net_value,
        ${amount.total('sum(d.value * d.credits)')} as gross_value,
        ${amount.total('sum(d.credited_value)')} as credited_value
      from per_opportunity d left join partners partner on partner.org_id = $1 and partner.id = d.partner_id
      group by d.level, d.partner_id, partner.org_id, partner.id, d.tier, d.month, d.currency
      order by partner.name_key, d.partner_id, array_position(array[${tiers.map((tier) => `'${tier}'`).join(', ')}], d.tier), d.month, d.currency`;
  const rows = (await all(db, variant('sum_attribution', text, values))).map(toItem<Row>);
  // grouping() sets a bit for each column that a row is not grouped by: partner 4, tier 2, month 1.
  const at = (level: number) => rows.filter((row) => row.level === level);
  return {
    totals: at(7).map(amounts),
    by_partner: at(3).map((row) => ({ partner: row.partner, ...amounts(row) })),
    by_tier: at(5).map((row) => ({ tier: row.tier as Tier, ...amounts(row) })),
    by_month: at(6).map((row) => ({ month: row.month as string, ...amounts(row) })),
    by_tier_and_month: at(4).map((row) => ({
      tier: row.tier as Tier,
      month: row.month as string,
      ...amounts(row),
    })),
  };
}

/** The currencies and closing days of the records, which is all that a rate depends on. Latest close first. */
export async function findCreditedDays(
  db: Reader,
  orgId: OrganizationId,
  filters: AttributionFilters,
): Promise<{ currency: string | null; closed_date: string; deals: number; net_value: number }[]> {
  const values: unknown[] = [orgId];
  const text = `
      select o.currency, d.closed_date, count(*) as deals, sum(o.value) as net_value
      from (
        select distinct r.opportunity_id, r.closed_date from attribution_records r
        where ${toCondition(filters, values)} and r.status = 'active'
      ) d
      join opportunities o on o.org_id = $1 and o.id = d.opportunity_id
      group by o.currency, d.closed_date order by d.closed_date desc, o.currency`;
  return all(db, variant('find_credited_days', text, values));
}

/** The target currency, with the rate of each currency on each day; deals without a rate are left out. */
export type Into = {
  currency: string;
  places: number;
  rates: { currency: string; closed_date: string; rate: number }[];
};

const asItIs = { currency: 'o.currency', rate: '1', join: '', total: (sum: string) => sum };

export function conversionOf({ currency, places, rates }: Into, values: unknown[]): typeof asItIs {
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const given = (field: keyof Into['rates'][number]) => parameter(rates.map((rate) => rate[field]));
  const [to, digits] = [parameter(currency), parameter(places)];
  return {
    currency: `${to}::text`,
    rate: 'x.rate',
    join: `join unnest(${given('currency')}::text[], ${given('closed_date')}::date[], ${given('rate')}::numeric[])
          as x (currency, closed_date, rate) on x.currency = o.currency and x.closed_date = r.closed_date`,
    total: (sum) => `round(${sum}, ${digits}::int)`,
  };
}

function amounts({ currency, deals, credits, net_value, gross_value, credited_value }: Row): Amounts {
  return { currency, deals, credits, net_value, gross_value, credited_value };
}
