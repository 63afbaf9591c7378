import type { Static } from 'typebox';
import type { OrganizationId, PartnerId } from '../../contract/ids.ts';
import {
  type Partner,
  PartnerSchema,
  PartnerSummary,
  type StoredPartner,
  StoredPartnerSchema,
} from '../../contract/partner.ts';
import { defaultSettings } from '../../contract/settings.ts';
import type { PartnerType } from '../../vocabulary.ts';
import { fieldsOf } from '../db/columns.ts';
import type { Position } from '../db/cursor.ts';
import { firstOf, rowsOf, variant } from '../db/statement.ts';
import { all, type Reader } from '../db/tx.ts';
import { beginsWith, type Search } from './begins-with.ts';

/** `name_key` is the sort key; it is not part of the response. */
export async function listPartners(
  db: Reader,
  orgId: OrganizationId,
  filters: { type?: PartnerType; tier?: number; search?: Search },
  limit: number,
  after: Position | null,
): Promise<(Partner & { name_key: string })[]> {
  const values: unknown[] = [orgId, limit];
  const conditions = ['org_id = $1', 'deleted_at is null'];
  for (const column of ['type', 'tier'] as const)
    if (filters[column] !== undefined) conditions.push(`${column} = $${values.push(filters[column])}`);
  if (filters.search) conditions.push(beginsWith('name_key', filters.search.name, values));
  if (after) conditions.push(`(name_key, id) > ($${values.push(after[0])}, $${values.push(after[1])})`);
  const text = `
    select ${fieldsOf(PartnerSchema)}, name_key from partners where ${conditions.join(' and ')}
    order by name_key, id limit $2`;
  return all<Partner & { name_key: string }>(db, variant('list_partners', text, values));
}

const detail = fieldsOf(StoredPartnerSchema);

export const findPartner = firstOf<StoredPartner, [id: PartnerId]>({
  name: 'find_partner',
  text: `
    select ${detail} from partners
    where org_id = $1 and id = $2 and deleted_at is null`,
});

/** Includes withdrawn partners. */
export const findPartnerSummaries = rowsOf<Static<typeof PartnerSummary>, [ids: PartnerId[]]>({
  name: 'find_partner_summaries',
  text: `select ${fieldsOf(PartnerSummary)} from partners where org_id = $1 and id = any($2)`,
});

/**
 * Co-sold are the open opportunities that a partner's co-sell and sourcing activity since some moment belongs to: the one
 * that an activity names, if open, or else the most recently opened one of its account. Shared is every open opportunity on
 * an account with such an activity, or that matches the partner.
 */
export function sharedOpportunities(whose = '', since = '$3'): string {
  return `
    done as (
      select distinct partner_id, account_id, opportunity_id from activities
      where org_id = $1 ${whose} and deleted_at is null and occurred_at >= ${since} and kind = any($2)
    ),
    co_sold as (
      select distinct partner_id, id from (
        select distinct on (d.partner_id, d.account_id, d.opportunity_id) d.partner_id, o.id
        from done d
        join opportunities o on o.org_id = $1 and o.account_id = d.account_id and o.status = 'open' and o.deleted_at is null
        order by d.partner_id, d.account_id, d.opportunity_id,
          (o.id = d.opportunity_id) is true desc, o.opened_at desc, o.crm_id desc
      ) worked_on
    ),
    shared as (
      select a.partner_id, o.id from (
        select partner_id, account_id from done
        union
        select partner_id, account_id from matches where org_id = $1 ${whose} and ended_at is null
      ) a join opportunities o on o.org_id = $1 and o.account_id = a.account_id and o.status = 'open' and o.deleted_at is null
    )`;
}

export type CountedPartner = StoredPartner & {
  window_days: number;
  co_sold: number;
  shared: number;
  active_signal_count: number;
};

/**
 * A partner with the numbers behind its scores, in one snapshot. The window goes back from `today`, the start of the day.
 * Active signals come from the stored counts, so they cost the same however many there are.
 */
export const findCountedPartner = firstOf<CountedPartner, [id: PartnerId, kinds: string[], today: Date]>({
  name: 'find_counted_partner',
  text: `
    with density as (
      select coalesce((settings #>> '{density,window_days}')::int, $5) as window_days
      from organization_settings where org_id = $1 order by version desc limit 1
    ),
    ${sharedOpportunities('and partner_id = $4', `(select $3::timestamptz - window_days * interval '24 hours' from density)`)}
    select ${detail}, (select window_days from density) as window_days,
      (select count(*) from co_sold) as co_sold, (select count(*) from shared) as shared,
      (select coalesce(sum(count), 0) from signal_counts
        where org_id = $1 and partner_id = $4 and state in ('new', 'in_progress')) as active_signal_count
    from partners where org_id = $1 and id = $4 and deleted_at is null`,
  values: (id, kinds, today) => [kinds, today, id, defaultSettings.density.window_days],
});
