import { ApiError, notFound } from '../contract/error.ts';
import { type DecisionId, isId, newId, type OrganizationId } from '../contract/ids.ts';
import type { DecideMatch, MatchDecision, MatchDecisionDetail, MatchOutcomes } from '../contract/match.ts';
import type { SettingsVersion } from '../contract/settings.ts';
import { partnerAccountKeys } from '../rules/matching/matching.ts';
import type { FactsTx } from '../store/db/tx.ts';
import { type AccountFact, findAccountFactsById } from '../store/facts/crm-facts.ts';
import { findPartnerAccountFacts, type PartnerAccountFact } from '../store/facts/partner-facts.ts';
import { findPartner } from '../store/facts/partners.ts';
import { findSettings } from '../store/keys/settings.ts';
import {
  findDecision,
  findDecisions,
  insertDecision,
  revertDecision,
  supersedeDecision,
} from '../store/matching/match-decisions.ts';
import { findMatch } from '../store/matching/matches.ts';
import { queueSuggestions } from '../store/matching/suggestion-queue.ts';
import type { ChangedBy } from '../store/signals/signal-changes.ts';
import { changeNotes } from './change-notes.ts';
import { evaluatePairs } from './evaluate-pairs.ts';
import { companiesOf, rematch } from './ingest/rematch.ts';

export async function decideMatch(
  tx: FactsTx,
  orgId: OrganizationId,
  item: DecideMatch,
  by: ChangedBy,
): Promise<MatchDecisionDetail> {
  const now = new Date();
  const { id, account } = await record(tx, orgId, item, by, now);
  await apply(tx, orgId, [account], now);
  return (await findDecision(tx, orgId, id)) as MatchDecisionDetail;
}

/** Each decision succeeds or fails separately. Of several on the same pair, the last one applies. */
export async function decideMatches(
  tx: FactsTx,
  orgId: OrganizationId,
  items: DecideMatch[],
  by: ChangedBy,
): Promise<MatchOutcomes> {
  const now = new Date();
  const results: ({ id: DecisionId; account: AccountFact } | ApiError)[] = [];
  for (const item of items) {
    try {
      results.push(await record(tx, orgId, item, by, now));
    } catch (error) {
      // Refused before anything is written.
      if (!(error instanceof ApiError)) throw error;
      results.push(error);
    }
  }
  const made = results.flatMap((result) => (result instanceof ApiError ? [] : [result]));
  const accounts = made.map(({ account }) => account);
  await apply(tx, orgId, accounts, now);
  const ids = made.map(({ id }) => id);
  const decisions = await findDecisions(tx, orgId, ids);
  const byId = new Map(decisions.map((decision) => [decision.id, decision]));
  return {
    decided: made.length,
    refused: results.length - made.length,
    outcomes: results.map((result) =>
      result instanceof ApiError
        ? { decision: null, error: { code: result.code, message: result.message } }
        : { decision: byId.get(result.id) as MatchDecision, error: null },
    ),
  };
}

/** False if there is no such decision. */
export async function revertMatch(
  tx: FactsTx,
  orgId: OrganizationId,
  id: DecisionId,
  by: ChangedBy,
): Promise<boolean> {
  const found = await findDecision(tx, orgId, id);
  if (!found) return false;
  if (found.status === 'superseded')
    throw new ApiError(
      'invalid_transition',
      'A newer decision on the same pair replaced this one. Revert the newer one.',
    );
  const now = new Date();
  if (await revertDecision(tx, orgId, id, by, now)) await apply(tx, orgId, [found.account], now);
  return true;
}

async function record(
  tx: FactsTx,
  orgId: OrganizationId,
  item: DecideMatch,
  by: ChangedBy,
  now: Date,
): Promise<{ id: DecisionId; account: AccountFact }> {
  const { account, partnerAccount } = await findCompanies(tx, orgId, item);
  const { partner_id, external_id } = partnerAccount;
  const pair = { account_id: account.id, partner_id, external_id };
  const match = await findMatch(tx, orgId, pair);
  const before = await supersedeDecision(tx, orgId, pair, by, now);
  // A match that people made says nothing about the keys; what it was based on before does.
  const matched = match?.external_id === external_id ? match.kind : null;
  const matched_by = before && (matched === null || matched === 'confirmed') ? before.matched_by : matched;
  const id = newId('mdc');
  const { decision, note = null } = item;
  const aliases = decision === 'same' ? spellings(partnerAccount) : [];
  await insertDecision(tx, orgId, { id, ...pair, decision, note, matched_by, decided_at: now }, by, aliases);
  return { id, account };
}

function spellings(account: PartnerAccountFact): string[] {
  return partnerAccountKeys(account).flatMap(({ kind, key }) => (kind === 'name' ? [key] : []));
}

/** A merged account stands for the account that has its facts now. */
async function findCompanies(
  tx: FactsTx,
  orgId: OrganizationId,
  { account_id, partner_id, partner_account_external_id: external_id }: DecideMatch,
): Promise<{ account: AccountFact; partnerAccount: PartnerAccountFact }> {
  let [account] = isId('acc', account_id) ? await findAccountFactsById(tx, orgId, [account_id]) : [];
  while (account?.merged_into) [account] = await findAccountFactsById(tx, orgId, [account.merged_into]);
  if (!account || account.deleted_at) throw unknown('account_id', 'account', account_id);
  if (!isId('prt', partner_id) || !(await findPartner(tx, orgId, partner_id)))
    throw unknown('partner_id', 'partner', partner_id);
  const [partnerAccount] = await findPartnerAccountFacts(tx, orgId, [{ partner_id, external_id }]);
  if (!partnerAccount) throw unknown('partner_account_external_id', 'partner account', external_id);
  return { account, partnerAccount };
}

function unknown(field: string, what: string, id: string): ApiError {
  const { code, message } = notFound(what, id);
  return new ApiError(code, message, {
    details: [{ field, code: 'unknown_reference', message: `does not match a loaded ${what}` }],
  });
}

/** Updates matches and signals to the decisions. */
async function apply(
  tx: FactsTx,
  orgId: OrganizationId,
  accounts: Pick<AccountFact, 'id'>[],
  now: Date,
): Promise<void> {
  const settings = (await findSettings(tx, orgId)) as SettingsVersion;
  const ids = [...new Set(accounts.map(({ id }) => id))];
  const pairs = await rematch(tx, orgId, ids, settings.settings, now);
  await queueSuggestions(tx, orgId, ids, companiesOf(pairs), now);
  await evaluatePairs(tx, orgId, pairs, { settings, now, deliver: true, unmatched: changeNotes.decision });
}
