import { arraysOf, columns, date, numeric, type Row, text, timestamptz } from '../db/columns.ts';
import { plannerFence } from '../db/planner-fence.ts';
import { cellOf, rowsOf, run } from '../db/statement.ts';

const exchangeRate = columns({
  date: date(),
  base: text(),
  quote: text(),
  rate: numeric(),
  deleted_at: timestamptz<Date | null>(),
  source_updated_at: timestamptz<Date | null>(),
});
export type ExchangeRateFact = Row<typeof exchangeRate>;

export const findExchangeRateFacts = rowsOf<
  ExchangeRateFact,
  [keys: { date: string; base: string; quote: string }[]]
>({
  name: 'find_exchange_rate_facts',
  text: `
    select e.* from unnest($2::date[], $3::text[], $4::text[]) as k (date, base, quote)
    cross join lateral (
      select ${exchangeRate.list} from exchange_rates
      where org_id = $1 and date = k.date and base = k.base and quote = k.quote ${plannerFence}) e`,
  values: (keys) => arraysOf(keys, 'date', 'base', 'quote'),
});

export const upsertExchangeRates = run<[rates: ExchangeRateFact[]]>({
  name: 'upsert_exchange_rates',
  writes: ['exchange_rates'],
  text: `
    insert into exchange_rates (org_id, ${exchangeRate.list})
    select $1, ${exchangeRate.list} from jsonb_to_recordset($2) as r ${exchangeRate.record}
    on conflict (org_id, date, base, quote) do update set ${exchangeRate.excluded('date', 'base', 'quote')}`,
  values: (rates) => [JSON.stringify(rates)],
});

/** Rates of each of these days, and of some days before it, from or to one of the currencies. */
export const findRates = rowsOf<
  { date: string; base: string; quote: string; rate: string },
  [days: string[], currencies: string[], maxAgeDays: number]
>({
  name: 'find_rates',
  text: `
    select distinct e.date, e.base, e.quote, e.rate::text from unnest($2::date[]) as d (day)
    cross join lateral (
      select date, base, quote, rate from exchange_rates
      where org_id = $1 and date >= d.day - $4::int and date <= d.day and deleted_at is null
        and (base = any($3) or quote = any($3)) ${plannerFence}) e`,
});

export const findNewestRateDay = cellOf<string | undefined, [today: string]>({
  name: 'find_newest_rate_day',
  text: `
    select date from exchange_rates where org_id = $1 and date <= $2 and deleted_at is null
    order by date desc limit 1`,
});
