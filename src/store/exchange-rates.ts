import type { OrganizationId } from '../contract/ids.ts';
import { columns, date, numeric, type Row, text, timestamptz } from './columns.ts';
import { fence } from './fence.ts';
import { all, first, type Queryable, type Tx } from './tx.ts';

const exchangeRate = columns({
  date: date(),
  base: text(),
  quote: text(),
  rate: numeric(),
  deleted_at: timestamptz<Date | null>(),
  source_updated_at: timestamptz<Date | null>(),
});
export type ExchangeRateFact = Row<typeof exchangeRate>;

export async function findExchangeRateFacts(
  db: Queryable,
  orgId: OrganizationId,
  keys: { date: string; base: string; quote: string }[],
): Promise<ExchangeRateFact[]> {
  return all<ExchangeRateFact>(db, {
    name: 'find_exchange_rate_facts',
    text: `
      select e.* from unnest($2::date[], $3::text[], $4::text[]) as k (date, base, quote)
      cross join lateral (
        select ${exchangeRate.list} from exchange_rates
        where org_id = $1 and date = k.date and base = k.base and quote = k.quote ${fence}) e`,
    values: [orgId, keys.map((key) => key.date), keys.map((key) => key.base), keys.map((key) => key.quote)],
  });
}

export async function upsertExchangeRates(
  tx: Tx,
  orgId: OrganizationId,
  rates: ExchangeRateFact[],
): Promise<void> {
  await tx.query({
    name: 'upsert_exchange_rates',
    text: `
      insert into exchange_rates (org_id, ${exchangeRate.list})
      select $1, ${exchangeRate.list} from jsonb_to_recordset($2) as r ${exchangeRate.record}
      on conflict (org_id, date, base, quote) do update set ${exchangeRate.excluded('date', 'base', 'quote')}`,
    values: [orgId, JSON.stringify(rates)],
  });
}

/** Those of each of these days, and of so many before it, that are from or to one of the currencies. */
export async function findRates(
  db: Queryable,
  orgId: OrganizationId,
  days: string[],
  currencies: string[],
  maxAgeDays: number,
): Promise<{ date: string; base: string; quote: string; rate: string }[]> {
  return all<{ date: string; base: string; quote: string; rate: string }>(db, {
    name: 'find_rates',
    text: `
      select distinct e.date, e.base, e.quote, e.rate::text from unnest($2::date[]) as d (day)
      cross join lateral (
        select date, base, quote, rate from exchange_rates
        where org_id = $1 and date >= d.day - $4::int and date <= d.day and deleted_at is null
          and (base = any($3) or quote = any($3)) ${fence}) e`,
    values: [orgId, days, currencies, maxAgeDays],
  });
}

export async function findNewestRateDay(
  db: Queryable,
  orgId: OrganizationId,
  today: string,
): Promise<string | undefined> {
  const newest = await first<{ date: string }>(db, {
    name: 'find_newest_rate_day',
    text: `
      select date from exchange_rates where org_id = $1 and date <= $2 and deleted_at is null
      order by date desc limit 1`,
    values: [orgId, today],
  });
  return newest?.date;
}
