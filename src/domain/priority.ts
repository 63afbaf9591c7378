import type { OrganizationId, PartnerId, SignalId } from '../contract/ids.ts';
import type { Settings, SettingsVersion } from '../contract/settings.ts';
import { dayNumber, dayStart, isoDay } from '../rules/day.ts';
import {
  type Price,
  type Priced,
  price,
  recordCredits,
  recordDays,
  type ToReporting,
  toScale,
} from '../rules/signals/priority.ts';
import type { FactsTx, Tx } from '../store/db/tx.ts';
import { findSettings } from '../store/keys/settings.ts';
import {
  findPriced,
  findPricedAfter,
  findPricingFacts,
  findScale,
  moveRepricing,
  type PricedRow,
  restartRepricing,
  samePrice,
  sampleOpenOpportunities,
  updatePriorities,
  upsertScale,
} from '../store/signals/priority.ts';
import { newestRates } from './conversion.ts';

const stepSignals = 500;
/** How many open deals the scale of values is based on. */
const sampledOpportunities = 10_000;
/** Does not disturb a load in progress: signals that it did not touch are scored a little later. */
const afterLoadMs = 60_000;

/** Computes the priorities of these partners' signals from the facts in this transaction. */
export type Pricer = (signal: Omit<Priced, 'credits'>, partnerId: PartnerId) => Price;

export async function createPricer(
  tx: Tx,
  orgId: OrganizationId,
  partnerIds: PartnerId[],
  settings: Settings,
  now: Date,
): Promise<Pricer> {
  const since = isoDay(dayStart(dayNumber(now) - recordDays));
  const facts = await findPricingFacts(tx, orgId, partnerIds, { since, most: recordCredits });
  const scale = { amounts: facts?.amounts ?? [], toReporting: toReporting(facts?.rates ?? {}) };
  return (signal, partnerId) =>
    price({ ...signal, credits: facts?.credits[partnerId] ?? 0 }, settings, scale, now);
}

/** Amounts in a currency without a rate cannot be compared. */
function toReporting(rates: Record<string, number>): ToReporting {
  return (amount, currency) => {
    const rate = rates[currency ?? ''];
    return rate === undefined ? null : amount * rate;
  };
}

/** Counts changed deals. Once as many have changed as the scale is based on, the scale is refreshed. */
export async function noteChangedOpportunities(
  tx: Tx,
  orgId: OrganizationId,
  count: number,
  now: Date,
): Promise<void> {
  const scale = await findScale(tx, orgId);
  const changed_deals = (scale?.changed_deals ?? 0) + count;
  if (scale && changed_deals < scale.deals) return upsertScale(tx, orgId, { ...scale, changed_deals });
  await refreshScale(tx, orgId, now);
  await restartRepricing(tx, orgId, new Date(now.getTime() + afterLoadMs));
}

async function refreshScale(tx: Tx, orgId: OrganizationId, now: Date): Promise<void> {
  const opportunities = await sampleOpenOpportunities(tx, orgId, sampledOpportunities);
  const counts = new Map<string, number>();
  for (const { currency } of opportunities) counts.set(currency ?? '', (counts.get(currency ?? '') ?? 0) + 1);
  const byCount = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const currencies = byCount.map(([currency]) => currency);
  // Without a reporting currency, deals are compared in their most common currency.
  const rates = (await newestRates(tx, orgId, currencies, now)) ?? { [currencies[0] ?? '']: 1 };
  const convert = toReporting(rates);
  const amounts = toScale(
    opportunities.flatMap((opportunity) => convert(opportunity.value, opportunity.currency) ?? []),
  );
  await upsertScale(tx, orgId, { amounts, rates, deals: opportunities.length, changed_deals: 0 });
}

/** Scores all active signals in this transaction. */
export async function repriceAll(tx: FactsTx, orgId: OrganizationId, now: Date): Promise<void> {
  await restartRepricing(tx, orgId, now);
  while (await repriceStep(tx, orgId, now));
}

/**
 * One step of scoring the active signals of an organization again, which happens once per UTC day. Returns whether there is
 * more. It sends no event.
 */
export async function repriceStep(tx: FactsTx, orgId: OrganizationId, now: Date): Promise<boolean> {
  const walkedTo = (await findScale(tx, orgId))?.walked_to;
  if (!walkedTo) await refreshScale(tx, orgId, now);
  const rows = await findPricedAfter(tx, orgId, walkedTo ?? ['', '', '', ''], stepSignals);
  await reprice(tx, orgId, rows, now);
  const last = rows.length === stepSignals ? rows.at(-1) : undefined;
  const next = last
    ? { walkedTo: [last.account_id, last.partner_id, last.type, last.opportunity_id] }
    : { at: dayStart(dayNumber(now) + 1) };
  await moveRepricing(tx, orgId, next);
  return last !== undefined;
}

/** For signals that became active again: time has passed since they were scored. */
export async function repriceSignals(
  tx: Tx,
  orgId: OrganizationId,
  ids: SignalId[],
  now: Date,
): Promise<void> {
  await reprice(tx, orgId, await findPriced(tx, orgId, ids), now);
}

async function reprice(tx: Tx, orgId: OrganizationId, rows: PricedRow[], now: Date): Promise<void> {
  if (rows.length === 0) return;
  const { settings } = (await findSettings(tx, orgId)) as SettingsVersion;
  const partnerIds = rows.map((row) => row.partner_id);
  const priceOf = await createPricer(tx, orgId, partnerIds, settings, now);
  const changed = rows.flatMap((row) => {
    const price = priceOf(toPriced(row), row.partner_id);
    return samePrice(row, price) ? [] : [{ id: row.id, ...price }];
  });
  if (changed.length > 0) await updatePriorities(tx, orgId, changed);
}

function toPriced(row: PricedRow): Omit<Priced, 'credits'> {
  return {
    ...row,
    opportunity: row.is_open ? row : null,
    confidence: row.type === 'overlap' ? (row.confidence ?? 0) : null,
  };
}
