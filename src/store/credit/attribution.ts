import { type AttributionRecord, AttributionSchema } from '../../contract/attribution.ts';
import type {
  AccountId,
  AttributionId,
  OpportunityId,
  OrganizationId,
  PartnerId,
} from '../../contract/ids.ts';
import type { Period } from '../../contract/values/time.ts';
import type { RecordStatus, Tier } from '../../vocabulary.ts';
import { boolean, columns, date, int, numeric, type Row, text } from '../db/columns.ts';
import type { Position } from '../db/cursor.ts';
import { firstRows } from '../db/first-rows.ts';
import { itemColumns, joinSummary, toItem } from '../db/item-columns.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { firstOf, rowsOf, run, variant } from '../db/statement.ts';
import type { Reader } from '../db/tx.ts';

const item = itemColumns(AttributionSchema, 'r', {
  dispute_status: `coalesce((
    select d.status from disputes d where d.org_id = $1 and d.record_id = r.id
    order by d.opened_at desc, d.id desc limit 1), 'none')`,
});
const joins = [
  joinSummary('partner', 'r.partner_id'),
  joinSummary('opportunity', 'r.opportunity_id'),
  joinSummary('account', 'opportunity.account_id'),
].join(' ');

export type AttributionFilters = Period & {
  partner_id?: PartnerId;
  account_id?: AccountId;
  opportunity_id?: OpportunityId;
  tier?: Tier;
};

const conditionOf: Record<keyof AttributionFilters, (parameter: string) => string> = {
  partner_id: (parameter) => `r.partner_id = ${parameter}`,
  account_id: (parameter) => `r.opportunity_id = any(array(
    select id from opportunities where org_id = $1 and account_id = ${parameter} and crm_id is not null))`,
  opportunity_id: (parameter) => `r.opportunity_id = ${parameter}`,
  tier: (parameter) => `r.tier = ${parameter}`,
  closed_after: (parameter) => `r.closed_date > ${parameter}`,
  closed_before: (parameter) => `r.closed_date < ${parameter}`,
};

/** The condition of the records that the filters select. Appends their values to `values`. */
export function toCondition(filters: AttributionFilters, values: unknown[]): string {
  const given = (Object.keys(conditionOf) as (keyof AttributionFilters)[]).filter(
    (name) => filters[name] !== undefined,
  );
  const conditions = given.map((name) => conditionOf[name](`$${values.push(filters[name])}`));
  return ['r.org_id = $1', ...conditions].join(' and ');
}

/** Latest close first. An index finds the page, and only its rows are joined. */
export async function listAttribution(
  db: Reader,
  orgId: OrganizationId,
  filters: AttributionFilters,
  limit: number,
  after: Position | null,
): Promise<AttributionRecord[]> {
  const values: unknown[] = [orgId, limit];
  let page = `select * from attribution_records r where ${toCondition(filters, values)}`;
  if (after) page += ` and (r.closed_date, r.id) < ($${values.push(after[0])}, $${values.push(after[1])})`;
  const text = `
    select ${item} from (${firstRows(page, 'closed_date desc, id desc', '$2')}) r
    ${joins} order by r.closed_date desc, r.id desc`;
  const { rows } = await db.query(variant('list_attribution', text, values));
  return rows.map(toItem<AttributionRecord>);
}

export const findAttributionItems = rowsOf<AttributionRecord, [ids: AttributionId[]]>(
  {
    name: 'find_attribution_items',
    text: `
      select ${item} from unnest($2::text[]) as g (id)
      cross join lateral (select * from attribution_records where org_id = $1 and id = g.id ${plannerFence}) r ${joins}`,
  },
  toItem,
);

const recordColumns = columns({
  id: text<AttributionId>(),
  opportunity_id: text<OpportunityId>(),
  partner_id: text<PartnerId>(),
  tier: text<Tier>(),
  status: text<RecordStatus>(),
  pinned: boolean(),
  settings_version: int(),
  closed_date: date(),
  credited_value: numeric(),
});
/** With the partner's external ID, which breaks ties. */
export type RecordRow = Row<typeof recordColumns> & { partner_external_id: string };

const selectRecords = `
  select ${recordColumns.of('r')}, p.external_id as partner_external_id from attribution_records r
  join partners p on p.org_id = $1 and p.id = r.partner_id`;

export const findRecordsOf = rowsOf<RecordRow, [opportunityIds: OpportunityId[]]>({
  name: 'find_records_of',
  text: `${selectRecords} where r.org_id = $1 and r.opportunity_id = any($2)`,
});

export const findRecord = firstOf<RecordRow, [id: AttributionId]>({
  name: 'find_record',
  text: `${selectRecords} where r.org_id = $1 and r.id = $2`,
});

export const upsertRecords = run<[records: RecordRow[], now: Date]>({
  name: 'upsert_records',
  writes: ['attribution_records'],
  text: `
    insert into attribution_records (org_id, created_at, updated_at, ${recordColumns.list})
    select $1, $3, $3, ${recordColumns.list} from jsonb_to_recordset($2) as r ${recordColumns.record}
    on conflict (org_id, id) do update
    set ${recordColumns.excluded('id', 'opportunity_id', 'partner_id')}, updated_at = excluded.updated_at`,
  values: (records, now) => [JSON.stringify(records), now],
});

export const touchRecords = run<[ids: AttributionId[], now: Date]>({
  name: 'touch_records',
  writes: ['attribution_records'],
  text: `update attribution_records set updated_at = $3 where org_id = $1 and id = any($2)`,
});
