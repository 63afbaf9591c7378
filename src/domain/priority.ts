import type { OrganizationId, PartnerId, SignalId } from '../contract/ids.ts';
import type { Settings, SettingsVersion } from '../contract/settings.ts';
import { dayNumber, dayStart, isoDay } from '../rules/day.ts';
import {
  recordDays,
  type Score,
  type Scored,
  scoreSignal,
  type ToReporting,
  toScale,
} from '../rules/signals/priority.ts';
import type { FactsTx, Tx } from '../store/db/tx.ts';
import { findSettings } from '../store/keys/settings.ts';
import {
  findScale,
  findScored,
  findScoredAfter,
  findScoringFacts,
  moveRescoring,
  restartRescoring,
  type ScoredRow,
  sameScore,
  sampleOpenOpportunities,
  stepSignals,
  updatePriorities,
  upsertScale,
} from '../store/signals/priority.ts';
import { newestRates } from './conversion.ts';

/** Does not disturb a load in progress: signals that it did not touch are scored a little later. */
const afterLoadMs = 60_000;

/** Computes the priorities of these partners' signals from the facts in this transaction. */
export type Scorer = (signal: Omit<Scored, 'credits'>, partnerId: PartnerId) => Score;

export async function createScorer(
  tx: Tx,
  orgId: OrganizationId,
  partnerIds: PartnerId[],
  settings: Settings,
  now: Date,
): Promise<Scorer> {
  const since = isoDay(dayStart(dayNumber(now) - recordDays));
  const facts = await findScoringFacts(tx, orgId, partnerIds, since);
  const scale = { amounts: facts?.amounts ?? [], toReporting: toReporting(facts?.rates ?? {}) };
  return (signal, partnerId) =>
    scoreSignal({ ...signal, credits: facts?.credits[partnerId] ?? 0 }, settings, scale, now);
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
  await restartRescoring(tx, orgId, new Date(now.getTime() + afterLoadMs));
}

async function refreshScale(tx: Tx, orgId: OrganizationId, now: Date): Promise<void> {
  const opportunities = await sampleOpenOpportunities(tx, orgId);
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
export async function rescoreAll(tx: FactsTx, orgId: OrganizationId, now: Date): Promise<void> {
  await restartRescoring(tx, orgId, now);
  while (await rescoreStep(tx, orgId, now));
}

/**
 * One step of scoring the active signals of an organization again, which happens once per UTC day. Returns whether there is
 * more. It sends no event.
 */
export async function rescoreStep(tx: FactsTx, orgId: OrganizationId, now: Date): Promise<boolean> {
  const walkedTo = (await findScale(tx, orgId))?.walked_to;
  if (!walkedTo) await refreshScale(tx, orgId, now);
  const rows = await findScoredAfter(tx, orgId, walkedTo ?? ['', '', '', '']);
  await rescore(tx, orgId, rows, now);
  const last = rows.length === stepSignals ? rows.at(-1) : undefined;
  const next = last
    ? { walkedTo: [last.account_id, last.partner_id, last.type, last.opportunity_id] }
    : { at: dayStart(dayNumber(now) + 1) };
  await moveRescoring(tx, orgId, next);
  return last !== undefined;
}

/** For a signal that became active again: time has passed since it was scored. */
export async function rescoreSignal(tx: Tx, orgId: OrganizationId, id: SignalId, now: Date): Promise<void> {
  await rescore(tx, orgId, await findScored(tx, orgId, [id]), now);
}

async function rescore(tx: Tx, orgId: OrganizationId, rows: ScoredRow[], now: Date): Promise<void> {
  if (rows.length === 0) return;
  const { settings } = (await findSettings(tx, orgId)) as SettingsVersion;
  const partnerIds = rows.map((row) => row.partner_id);
  const scoreOf = await createScorer(tx, orgId, partnerIds, settings, now);
  const changed = rows.flatMap((row) => {
    const score = scoreOf(toScored(row), row.partner_id);
    return sameScore(row, score) ? [] : [{ id: row.id, ...score }];
  });
  if (changed.length > 0) await updatePriorities(tx, orgId, changed);
}

function toScored(row: ScoredRow): Omit<Scored, 'credits'> {
  return {
    ...row,
    opportunity: row.is_open ? row : null,
    confidence: row.type === 'overlap' ? (row.confidence ?? 0) : null,
  };
}
