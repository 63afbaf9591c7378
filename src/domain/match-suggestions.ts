import { type AccountId, newId, type OrganizationId, type PartnerId } from '../contract/ids.ts';
import type { MatchQuality } from '../contract/match.ts';
import { accountKeys, partnerAccountKeys } from '../rules/matching/matching.ts';
import { blockingKeys, minSuggestionScore, score, suggest } from '../rules/matching/suggestion.ts';
import type { Reader, Tx } from '../store/db/tx.ts';
import { type AccountFact, findAccountFactsById } from '../store/facts/crm-facts.ts';
import { findPartnerAccountFacts, type PartnerAccountFact } from '../store/facts/partner-facts.ts';
import {
  type Candidate,
  countQuality,
  deleteOtherSuggestionsOfAccounts,
  findCandidatesOfAccounts,
  findCandidatesOfPartnerAccounts,
  findMatchedCompanies,
  findOtherSuggestionsOfPartnerAccounts,
  type NewSuggestion,
  rankOf,
  trimSuggestions,
  upsertSuggestions,
} from '../store/matching/match-suggestions.ts';
import { findMatch } from '../store/matching/matches.ts';
import { replaceAccountBlocks, replacePartnerAccountBlocks } from '../store/matching/suggestion-blocks.ts';
import {
  queueSuggestions,
  takeQueuedSuggestions,
  tryLockSuggestions,
} from '../store/matching/suggestion-queue.ts';
import type { Pair } from '../store/signals/pairs.ts';
import { leastDecisionsForShare, matchKinds, suggestionsOfPair } from '../vocabulary.ts';

type PartnerAccountRef = { partner_id: PartnerId; external_id: string };

/** Each account may have candidates at every partner. Candidates of a partner account are limited by the query. */
const accountsAtOnce = 100;

/**
 * One step: recomputes the suggestions of some changed records. Returns how many records, or null if there are none or
 * another process is running a step. It decides nothing and fires no signal.
 */
export async function suggestStep(tx: Tx, orgId: OrganizationId, now: Date): Promise<number | null> {
  if (!(await tryLockSuggestions(tx, orgId))) return null;
  const { accountIds, partnerAccounts } = await takeQueuedSuggestions(tx, orgId);
  for (let from = 0; from < accountIds.length; from += accountsAtOnce)
    await suggestForAccounts(tx, orgId, accountIds.slice(from, from + accountsAtOnce), now);
  if (partnerAccounts.length > 0) await suggestForPartnerAccounts(tx, orgId, partnerAccounts, now);
  return accountIds.length + partnerAccounts.length || null;
}

/** Decides which suggestions these accounts have. It queues nothing, so the queue always empties. */
async function suggestForAccounts(tx: Tx, orgId: OrganizationId, ids: AccountId[], now: Date): Promise<void> {
  const accounts = (await findAccountFactsById(tx, orgId, ids)).filter(
    ({ deleted_at, merged_into }) => !deleted_at && !merged_into,
  );
  const blocks = accounts.flatMap((account) =>
    blockingKeys(account).map((key) => ({ account_id: account.id, key })),
  );
  await replaceAccountBlocks(tx, orgId, ids, blocks);
  const keys = accounts.flatMap((account) =>
    accountKeys(account).map(({ key }) => ({ account_id: account.id, key })),
  );
  const candidates = await findCandidatesOfAccounts(tx, orgId, keys, blocks);
  const partnerAccounts = await findPartnerAccountFacts(tx, orgId, unique(candidates));
  const found = await choose(candidates, accounts, partnerAccounts);
  await deleteOtherSuggestionsOfAccounts(tx, orgId, ids, found);
  if (found.length > 0) await upsertSuggestions(tx, orgId, found, now);
}

/**
 * Adds suggestions. It deletes none that an account has found: the account may not be among the candidates that the company
 * is compared with, while the company is among those of the account. The account is queued instead, and decides.
 */
async function suggestForPartnerAccounts(
  tx: Tx,
  orgId: OrganizationId,
  refs: PartnerAccountRef[],
  now: Date,
): Promise<void> {
  const accounts = (await findPartnerAccountFacts(tx, orgId, refs)).filter(({ deleted_at }) => !deleted_at);
  const withKeys = (companies: PartnerAccountFact[], keysOf: (company: PartnerAccountFact) => string[]) =>
    companies.flatMap((company) => {
      const { partner_id, external_id } = company;
      return keysOf(company).map((key) => ({ partner_id, external_id, key }));
    });
  const blocks = withKeys(accounts, blockingKeys);
  await replacePartnerAccountBlocks(tx, orgId, refs, blocks);
  const keys = withKeys(accounts, (account) => partnerAccountKeys(account).map(({ key }) => key));
  const matched = new Set((await findMatchedCompanies(tx, orgId, accounts)).map(keyOf));
  const free = blocks.filter((block) => !matched.has(keyOf(block)));
  const candidates = await findCandidatesOfPartnerAccounts(tx, orgId, keys, free);
  const ids = [...new Set(candidates.map(({ account_id }) => account_id))];
  const found = await choose(candidates, await findAccountFactsById(tx, orgId, ids), accounts);
  const others = await findOtherSuggestionsOfPartnerAccounts(tx, orgId, refs, found);
  const worse = found.length > 0 ? await upsertSuggestions(tx, orgId, found, now) : [];
  await trimSuggestions(tx, orgId, found);
  // Another company of the partner may now be among the best, which it was not before.
  await queueSuggestions(tx, orgId, [...others, ...worse], [], now);
}

/** The best suggestions for each account and partner. */
async function choose(
  candidates: Candidate[],
  accounts: AccountFact[],
  partnerAccounts: PartnerAccountFact[],
): Promise<NewSuggestion[]> {
  const accountsById = new Map(accounts.map((fact) => [fact.id, fact]));
  const listed = new Map(partnerAccounts.map((fact) => [keyOf(fact), fact]));
  const best = new Map<string, Scored[]>();
  for (const [index, candidate] of candidates.entries()) {
    // Lets the event loop handle requests.
    if (index % 200 === 199) await new Promise(setImmediate);
    const account = accountsById.get(candidate.account_id);
    const partnerAccount = listed.get(keyOf(candidate));
    if (!account || !partnerAccount) continue;
    const scored = { account, partnerAccount, score: score(account, partnerAccount) };
    if (scored.score < minSuggestionScore) continue;
    const pair = `${candidate.account_id} ${candidate.partner_id}`;
    const others = best.get(pair) ?? [];
    best.set(pair, [...others, scored].sort(bestFirst).slice(0, suggestionsOfPair));
  }
  return [...best.values()]
    .flat()
    .map(({ account, partnerAccount }) => toSuggestion(account, partnerAccount));
}

type Scored = { account: AccountFact; partnerAccount: PartnerAccountFact; score: number };

function bestFirst(a: Scored, b: Scored): number {
  return (
    rankOf(b.score) - rankOf(a.score) ||
    (a.partnerAccount.external_id < b.partnerAccount.external_id ? -1 : 1)
  );
}

function toSuggestion(account: AccountFact, partnerAccount: PartnerAccountFact): NewSuggestion {
  const { score, reasons } = suggest(account, partnerAccount);
  const { partner_id, external_id } = partnerAccount;
  const rounded = Math.round(score * 1000) / 1000;
  return {
    ...{ id: newId('sug'), account_id: account.id, partner_id, external_id },
    ...{ score: rounded, rank: rankOf(rounded), reasons },
  };
}

function unique(refs: PartnerAccountRef[]): PartnerAccountRef[] {
  return [...new Map(refs.map((ref) => [keyOf(ref), ref])).values()];
}

function keyOf({ partner_id, external_id }: PartnerAccountRef): string {
  return `${partner_id} ${external_id}`;
}

/** For a signal that was dismissed because of its match: the match stays, and comes first in the review. */
export async function suggestReview(tx: Tx, orgId: OrganizationId, pair: Pair, now: Date): Promise<void> {
  const match = await findMatch(tx, orgId, pair);
  const [account] = await findAccountFactsById(tx, orgId, [pair.account_id]);
  const [partnerAccount] = match ? await findPartnerAccountFacts(tx, orgId, [match]) : [];
  if (!account || !partnerAccount) return;
  const suggestion = toSuggestion(account, partnerAccount);
  const reasons = ['reported as a wrong match', ...suggestion.reasons];
  await upsertSuggestions(tx, orgId, [{ ...suggestion, rank: rankOf(suggestion.score, true), reasons }], now);
}

export async function readQuality(db: Reader, orgId: OrganizationId): Promise<MatchQuality> {
  const { matches, decisions, open, waiting } = await countQuality(db, orgId);
  const judged = (kind: keyof typeof decisions) => {
    const { decisions: count, confirmed } = decisions[kind] ?? { decisions: 0, confirmed: 0 };
    const share = count < leastDecisionsForShare ? null : Math.round((confirmed / count) * 1000) / 1000;
    return { decisions: count, confirmed_share: share };
  };
  return {
    kinds: matchKinds.map((kind) => ({ kind, matches: matches[kind] ?? 0, ...judged(kind) })),
    suggestions: { open, waiting, ...judged('') },
  };
}
