import type { ErrorDetail } from '../../contract/error.ts';
import type { OrganizationId } from '../../contract/ids.ts';
import type { SettingsVersion } from '../../contract/settings.ts';
import { evidenceSince } from '../../rules/signals/evaluate.ts';
import { findWonOpportunitiesSince } from '../../store/credit/opportunities.ts';
import type { FactsTx } from '../../store/db/tx.ts';
import { findSettings } from '../../store/keys/settings.ts';
import { queueSuggestions } from '../../store/matching/suggestion-queue.ts';
import { findPairsOn, type Pair } from '../../store/signals/pairs.ts';
import { updateShown } from '../../store/signals/signals.ts';
import type { FactKind } from '../../vocabulary.ts';
import { creditOpportunities } from '../attribution.ts';
import { evaluatePairs, type Fired } from '../evaluate-pairs.ts';
import { pairKey } from '../load-pairs.ts';
import { ingestAccounts } from './accounts.ts';
import { ingestActivities } from './activities.ts';
import type { Writer } from './changed-rows.ts';
import { ingestExchangeRates } from './exchange-rates.ts';
import type { IngestRow, Outcome } from './ledger.ts';
import { ingestOpportunities } from './opportunities.ts';
import { ingestPartnerAccounts } from './partner-accounts.ts';
import { ingestPartners } from './partners.ts';
import { companiesOf, rematch } from './rematch.ts';

export type IngestOptions = { now: Date; backfill: boolean };
export type RowError = ErrorDetail & { index: number };
export type IngestResult = {
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  errors: RowError[];
  fired: Fired;
};

const writers: { [K in FactKind]: Writer<K> } = {
  partners: ingestPartners,
  accounts: ingestAccounts,
  opportunities: ingestOpportunities,
  partner_accounts: ingestPartnerAccounts,
  activities: ingestActivities,
  exchange_rates: ingestExchangeRates,
};

/**
 * Processes one batch in this transaction: facts, matches, signals, credit and events. Batches of one organization run one
 * after the other: two that cannot see each other's facts would both miss a match between them.
 */
export async function ingest<K extends FactKind>(
  tx: FactsTx,
  orgId: OrganizationId,
  kind: K,
  rows: IngestRow<K>[],
  options: IngestOptions,
): Promise<IngestResult> {
  if (rows.length === 0) return { ...summarize(rows, []), fired: {} };
  const { now, backfill } = options;
  const settings = (await findSettings(tx, orgId)) as SettingsVersion;
  const { outcomes, changedRows } = await writers[kind](tx, orgId, rows, now, !backfill);

  const { fresh } = changedRows;
  const rematched = await rematch(tx, orgId, [...changedRows.rematch], settings.settings, now, fresh);
  const suggested =
    kind === 'accounts' ? [...changedRows.rematch, ...fresh] : rematched.map((pair) => pair.account_id);
  const companies = [...changedRows.partnerAccounts, ...companiesOf(rematched)];
  const [, onAccounts] = await Promise.all([
    queueSuggestions(tx, orgId, suggested, companies, now),
    changedRows.accounts.size > 0
      ? findPairsOn(tx, orgId, [...changedRows.accounts], evidenceSince(settings.settings, now))
      : [],
  ]);
  const pairs = [...changedRows.pairs, ...rematched, ...onAccounts];
  const fired = await evaluatePairs(tx, orgId, unique(pairs), { settings, now, deliver: !backfill });

  await updateShown(tx, orgId, changedRows.shown);

  const since = [...changedRows.opportunitiesSince].map(([account_id, day]) => ({ account_id, since: day }));
  if (since.length > 0)
    for (const id of await findWonOpportunitiesSince(tx, orgId, since)) changedRows.opportunities.add(id);
  if (changedRows.opportunities.size > 0)
    await creditOpportunities(tx, orgId, [...changedRows.opportunities], { now, deliver: !backfill });
  return { ...summarize(rows, outcomes), fired };
}

function unique(pairs: Pair[]): Pair[] {
  const byKey = new Map<string, Pair>();
  for (const { account_id, partner_id } of pairs)
    byKey.set(pairKey({ account_id, partner_id }), { account_id, partner_id });
  return [...byKey.values()];
}

function summarize(rows: { index: number }[], outcomes: Outcome[]): Omit<IngestResult, 'fired'> {
  const result = { created: 0, updated: 0, unchanged: 0, rejected: 0, errors: [] as RowError[] };
  for (const [i, outcome] of outcomes.entries()) {
    if (typeof outcome === 'string') {
      result[outcome]++;
    } else {
      result.rejected++;
      result.errors.push({ index: rows[i]?.index ?? i, ...outcome });
    }
  }
  return result;
}
