import type { AttributionSummary } from '../contract/attribution.ts';
import type { OrganizationId, PartnerId } from '../contract/ids.ts';
import { type PartnerType, type Tier, tiers } from '../vocabulary.ts';
import { type AttributionFilters, toConditions } from './attribution.ts';
import type { Queryable } from './tx.ts';

type Amounts = AttributionSummary['totals'][number];

type Row = Amounts & {
  partner_id: PartnerId | null;
  partner_name: string;
  partner_type: PartnerType;
  tier: Tier | null;
  month: string | null;
  level: number;
};

/**
 * Active records only, each currency by itself. Net counts a deal once in its group, however many partners are credited
 * for it there; gross counts it once for each record. One pass over the records for all four groupings.
 */
export async function summarizeAttribution(
  db: Queryable,
  orgId: OrganizationId,
  filters: AttributionFilters,
): Promise<AttributionSummary> {
  const values: unknown[] = [orgId];
  const { conditions, names } = toConditions(filters, values);
  const { rows } = await db.query<Row>({
    name: ['sum_attribution', ...names].join('_'),
    text: `
      with credited as (
        select r.opportunity_id, r.partner_id, r.tier, to_char(r.closed_date, 'YYYY-MM') as month, o.currency, o.value
        from attribution_records r
        join opportunities o on o.org_id = $1 and o.id = r.opportunity_id
        where ${['r.org_id = $1', `r.status = 'active'`, ...conditions].join(' and ')}
      ),
      per_deal as (
        select grouping(partner_id, tier, month) as level, partner_id, tier, month, currency, opportunity_id,
          max(value) as value, count(*) as credits
        from credited
        group by grouping sets (
          (currency, opportunity_id), (currency, opportunity_id, partner_id), (currency, opportunity_id, tier), (currency, opportunity_id, month))
      )
      select d.level, d.partner_id, p.name as partner_name, p.type as partner_type, d.tier, d.month, d.currency,
        count(*) as deals, sum(d.credits) as credits, sum(d.value) as net_value, sum(d.value * d.credits) as gross_value
      from per_deal d left join partners p on p.org_id = $1 and p.id = d.partner_id
      group by d.level, d.partner_id, p.name, p.type, p.name_key, d.tier, d.month, d.currency
      order by p.name_key, d.partner_id, array_position(array[${tiers.map((tier) => `'${tier}'`).join(', ')}], d.tier), d.month, d.currency`,
    values,
  });
  // grouping() has a bit for each column that a row is not grouped by: partner 4, tier 2, month 1.
  const at = (level: number) => rows.filter((row) => row.level === level);
  return {
    totals: at(7).map(amounts),
    by_partner: at(3).map((row) => ({
      partner: { id: row.partner_id as PartnerId, name: row.partner_name, type: row.partner_type },
      ...amounts(row),
    })),
    by_tier: at(5).map((row) => ({ tier: row.tier as Tier, ...amounts(row) })),
    by_month: at(6).map((row) => ({ month: row.month as string, ...amounts(row) })),
  };
}

function amounts({ currency, deals, credits, net_value, gross_value }: Row): Amounts {
  return { currency, deals, credits, net_value, gross_value };
}
