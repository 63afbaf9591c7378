import type { OrganizationId, PartnerId } from '../contract/ids.ts';
import type { Scorecard } from '../contract/scorecard.ts';
import type { SettingsVersion } from '../contract/settings.ts';
import { groupBy } from '../contract/values/group-by.ts';
import type { Period } from '../contract/values/time.ts';
import { dayNumber, dayStart, daysBefore, isoDay, withinRange } from '../rules/day.ts';
import { plus } from '../rules/decimal.ts';
import { densityScore } from '../rules/signals/density.ts';
import { findCreditedDays } from '../store/credit/attribution-summary.ts';
import {
  type CreditRow,
  countClosedOpportunities,
  countOpenOpportunities,
  listLargestOpportunities,
  listScoredPartners,
  type PipelineRow,
  sumCredit,
} from '../store/credit/scorecard.ts';
import type { Reader } from '../store/db/tx.ts';
import { findSettings } from '../store/keys/settings.ts';
import { currencyPlaces, type PartnerType, type Tier } from '../vocabulary.ts';
import { convertDays, newestRates } from './conversion.ts';
import { coSellKinds } from './partners.ts';

/** Limits the size of the response; if there are more, the first by name. */
const maxPartners = 5_000;
const trendMonths = 12;
const largestOpportunities = 5;

type Filters = Period & { type?: PartnerType; tier?: number };

export async function scorePartners(
  db: Reader,
  orgId: OrganizationId,
  { type, tier, ...period }: Filters,
  now: Date,
): Promise<Scorecard> {
  const { settings } = (await findSettings(db, orgId)) as SettingsVersion;
  const { window_days } = settings.density;
  const since = dayStart(dayNumber(now) - window_days);
  const partners = await listScoredPartners(db, orgId, { type, tier }, maxPartners);
  const { shared, pipeline } = await countOpenOpportunities(db, orgId, coSellKinds, since);
  const credited = await findCreditedDays(db, orgId, period);
  const currency = settings.reporting_currency ?? onlyCurrency([...pipeline, ...credited]);
  const into = currency ? await convertDays(db, orgId, credited, currency) : null;
  const credit = into ? byPartner(await sumCredit(db, orgId, period, into)) : undefined;
  const closed = byPartner(await countClosedOpportunities(db, orgId, coSellKinds, period));
  const open = byPartner(shared);
  const months = lastMonths(period.closed_before ? new Date(daysBefore(period.closed_before, 1)) : now);
  return {
    currency,
    unconverted_deals: into?.unconverted.reduce((sum, { deals }) => sum + deals, 0) ?? 0,
    window_days,
    months,
    pipeline: await inOneCurrency(db, orgId, pipeline, currency, now),
    largest_deals: into ? await listLargestOpportunities(db, orgId, period, into, largestOpportunities) : [],
    partners: partners.map(({ active_signal_count, ...partner }) => {
      const credited = credit?.get(partner.id) ?? [];
      const value = (counts: (row: CreditRow) => boolean) =>
        credit ? credited.filter(counts).reduce((sum, row) => plus(sum, row.value), 0) : null;
      const ofTier = (tier: Tier) => value((row) => row.tier === tier);
      const { won = 0, lost = 0 } = closed.get(partner.id)?.[0] ?? {};
      const { shared = 0, co_sold = 0 } = open.get(partner.id)?.[0] ?? {};
      return {
        partner,
        credited_value: value(() => true),
        sourced_value: ofTier('sourced'),
        co_sell_value: ofTier('co_sell'),
        influenced_value: ofTier('influenced'),
        won_deals: won,
        lost_deals: lost,
        win_rate: won + lost === 0 ? null : Math.round((1000 * won) / (won + lost)) / 10,
        open_deals: shared,
        co_sell_density_score: densityScore(co_sold, shared),
        active_signal_count,
        trend: credit ? months.map((month) => value((row) => row.month === month) ?? 0) : null,
      };
    }),
  };
}

/** Without a reporting currency, values can still be compared if all are in the same currency. */
function onlyCurrency(rows: { currency: string | null }[]): string | null {
  const [currency, ...others] = new Set(rows.map((row) => row.currency));
  return others.length === 0 ? (currency ?? null) : null;
}

async function inOneCurrency(
  db: Reader,
  orgId: OrganizationId,
  rows: PipelineRow[],
  currency: string | null,
  now: Date,
): Promise<Scorecard['pipeline']> {
  const currencies = rows.flatMap((row) => row.currency ?? []);
  const rates = currency ? await newestRates(db, orgId, [...new Set(currencies)], now, currency) : undefined;
  const converted = rows.map((row) => ({ ...row, rate: rates?.[row.currency ?? ''] }));
  const total = (counts: (row: (typeof converted)[number]) => boolean) => {
    const counted = converted.filter(counts);
    const value = counted.reduce((sum, row) => sum + row.value * (row.rate ?? 0), 0);
    return {
      deals: counted.reduce((sum, row) => sum + row.deals, 0),
      value: rates ? Number(value.toFixed(currencyPlaces(currency))) : null,
      unconverted_deals: counted.reduce((sum, row) => sum + (row.rate === undefined ? row.deals : 0), 0),
    };
  };
  return { open: total(() => true), touched: total(({ touched }) => touched) };
}

function byPartner<Row extends { partner_id: PartnerId }>(rows: Row[]): Map<PartnerId, Row[]> {
  return groupBy(rows, (row) => row.partner_id);
}

/** Fewer if the calendar starts within the last twelve months. */
function lastMonths(end: Date): string[] {
  const months = Array.from({ length: trendMonths }, (_, index) => {
    const month = new Date(end);
    month.setUTCMonth(end.getUTCMonth() - trendMonths + 1 + index, 1);
    return isoDay(withinRange(month)).slice(0, 7);
  });
  return [...new Set(months)];
}
