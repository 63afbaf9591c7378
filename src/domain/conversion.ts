import type { AttributionSummary } from '../contract/attribution.ts';
import type { OrganizationId } from '../contract/ids.ts';
import type { Converted } from '../contract/opportunity.ts';
import { convertValue, maxRateAgeDays, rateFinder } from '../rules/credit/exchange.ts';
import type { AttributionFilters } from '../store/credit/attribution.ts';
import { findCreditedDays, summarizeAttribution } from '../store/credit/attribution-summary.ts';
import { findNewestRateDay, findRates } from '../store/credit/exchange-rates.ts';
import type { Reader } from '../store/db/tx.ts';
import { findSettings } from '../store/keys/settings.ts';
import { currencyPlaces, type OpportunityStatus } from '../vocabulary.ts';

/** Limits the listed rates, used or missing, so that a summary of many years has a reasonable size. */
const maxListed = 1_000;

/** The totals by currency, and in the reporting currency with each deal at the rate of its closing day. */
export async function totalAttribution(
  db: Reader,
  orgId: OrganizationId,
  filters: AttributionFilters,
): Promise<AttributionSummary> {
  const totals = await summarizeAttribution(db, orgId, filters);
  const credited = await findCreditedDays(db, orgId, filters);
  const converted = await convertDays(db, orgId, credited);
  if (!converted) return { ...totals, converted: null };
  const { currency, places, rates, unconverted } = converted;
  return {
    ...totals,
    converted: {
      currency,
      ...(await summarizeAttribution(db, orgId, filters, { currency, places, rates })),
      rates: rates.filter((rate) => rate.currency !== currency).slice(0, maxListed),
      unconverted: unconverted.slice(0, maxListed),
    },
  };
}

type CurrencyDay = { currency: string | null; closed_date: string };

/**
 * The value of each currency on each day in the given currency, by default the reporting currency, and what has no rate;
 * null without such a currency.
 */
export async function convertDays<T extends CurrencyDay>(
  db: Reader,
  orgId: OrganizationId,
  days: T[],
  given?: string,
) {
  const into = given ?? (await reportingCurrency(db, orgId));
  if (!into) return null;
  const find = await finderFor(db, orgId, days, into);
  const rates: { currency: string; closed_date: string; rate: number; rate_date: string }[] = [];
  const unconverted: T[] = [];
  for (const day of days) {
    const { currency, closed_date } = day;
    const found = currency && find(currency, into, closed_date);
    if (found) rates.push({ currency, closed_date, rate: found.rate, rate_date: found.date });
    else unconverted.push(day);
  }
  return { currency: into, places: currencyPlaces(into), rates, unconverted };
}

type Opportunity = { value: number; currency: string | null; status: OpportunityStatus | 'prospective' };

/** A closed deal at the rate of its closing day, an open one at the newest rate. */
export async function withConverted<T extends Opportunity & { closed_date: string | null }>(
  db: Reader,
  orgId: OrganizationId,
  opportunities: T[],
  now: Date,
): Promise<(T & { converted: Converted | null })[]> {
  const currency = opportunities.length > 0 ? await reportingCurrency(db, orgId) : null;
  if (!currency) return opportunities.map((opportunity) => ({ ...opportunity, converted: null }));
  const newest = await newestDay(db, orgId, now);
  const dayOf = (opportunity: T) =>
    (opportunity.status === 'open' ? null : opportunity.closed_date) ?? newest;
  const days = opportunities.map((opportunity) => ({
    currency: opportunity.currency,
    closed_date: dayOf(opportunity),
  }));
  const find = await finderFor(db, orgId, days, currency);
  return opportunities.map((opportunity) => {
    const conversion = opportunity.currency && find(opportunity.currency, currency, dayOf(opportunity));
    if (!conversion) return { ...opportunity, converted: null };
    const value = convertValue(opportunity.value, conversion, currency);
    return {
      ...opportunity,
      converted: { currency, value, rate: conversion.rate, rate_date: conversion.date },
    };
  });
}

/**
 * The newest rate of each currency to the given one, by default the reporting currency; undefined without such a currency.
 */
export async function newestRates(
  db: Reader,
  orgId: OrganizationId,
  currencies: string[],
  now: Date,
  given?: string,
): Promise<Record<string, number> | undefined> {
  const into = given ?? (await reportingCurrency(db, orgId));
  if (!into) return undefined;
  const day = await newestDay(db, orgId, now);
  const needed = currencies.map((currency) => ({ currency, closed_date: day }));
  const find = await finderFor(db, orgId, needed, into);
  const rates = currencies.map((currency) => [currency, find(currency, into, day)?.rate]);
  return Object.fromEntries(rates.filter(([, rate]) => rate !== undefined));
}

async function newestDay(db: Reader, orgId: OrganizationId, now: Date): Promise<string> {
  const today = now.toISOString().slice(0, 10);
  return (await findNewestRateDay(db, orgId, today)) ?? today;
}

async function reportingCurrency(db: Reader, orgId: OrganizationId): Promise<string | null> {
  return (await findSettings(db, orgId))?.settings.reporting_currency ?? null;
}

async function finderFor(
  db: Reader,
  orgId: OrganizationId,
  needed: CurrencyDay[],
  into: string,
): Promise<ReturnType<typeof rateFinder>> {
  const foreign = needed.filter(({ currency }) => currency !== null && currency !== into);
  const days = [...new Set(foreign.map(({ closed_date }) => closed_date))];
  const currencies = [...new Set([into, ...foreign.flatMap(({ currency }) => currency ?? [])])];
  return rateFinder(days.length > 0 ? await findRates(db, orgId, days, currencies, maxRateAgeDays) : []);
}
