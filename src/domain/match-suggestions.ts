import { type AccountId, newId, type OrganizationId, type PartnerId } from '../contract/ids.ts';
import type { MatchQuality } from '../contract/match.ts';
import { blockingKeys, minSuggestionScore, suggest } from '../rules/suggestion.ts';
import { type Pool, transaction } from '../store/connection.ts';
import {
  type AccountFact,
  findAccountFactsById,
  findPartnerAccountFacts,
  type PartnerAccountFact,
} from '../store/facts.ts';
import {
  type Candidate,
  countQuality,
  findCandidatesOfAccounts,
  findCandidatesOfPartnerAccounts,
  findOvertakenSuggestions,
  keepSuggestionsOfAccounts,
  keepSuggestionsOfPartnerAccounts,
  type NewSuggestion,
  rankOf,
  trimSuggestions,
  upsertSuggestions,
} from '../store/match-suggestions.ts';
import { findMatch } from '../store/matches.ts';
import { tryLockOrganizationFacts } from '../store/organizations.ts';
import type { Pair } from '../store/pairs.ts';
import { replaceAccountBlocks, replacePartnerAccountBlocks } from '../store/suggestion-blocks.ts';
import { queueSuggestions, takeQueuedSuggestions, tryLockSuggestions } from '../store/suggestion-queue.ts';
import type { Queryable, Tx } from '../store/tx.ts';
import { leastDecisionsForShare, matchKinds, suggestionsOfPair } from '../vocabulary.ts';

type PartnerAccountRef = { partner_id: PartnerId; external_id: string };

/**
 * One step: the suggestions of some records that changed are made again. How many records; null where there are none, or a
 * batch is at work, which is not slowed down. It decides nothing and fires nothing.
 */
export async function continueSuggestions(
  pool: Pool,
  orgId: OrganizationId,
  now: Date,
): Promise<number | null> {
  // Not held: a batch that begins now does not wait for this step.
  if (!(await transaction(pool, (tx) => tryLockOrganizationFacts(tx, orgId)))) return null;
  return transaction(pool, async (tx) => {
    if (!(await tryLockSuggestions(tx, orgId))) return null;
    const taken = await takeQueuedSuggestions(tx, orgId);
    if (!taken) return null;
    const { ids, partner_ids } = taken;
    if (partner_ids) {
      const refs = ids.map((external_id, i) => ({ partner_id: partner_ids[i] as PartnerId, external_id }));
      await suggestForPartnerAccounts(tx, orgId, refs, now);
    } else {
      await suggestForAccounts(tx, orgId, ids as AccountId[], now);
    }
    return ids.length;
  });
}

async function suggestForAccounts(tx: Tx, orgId: OrganizationId, ids: AccountId[], now: Date): Promise<void> {
  const accounts = (await findAccountFactsById(tx, orgId, ids)).filter(
    ({ deleted_at, merged_into }) => !deleted_at && !merged_into,
  );
  const keys = accounts.flatMap((account) =>
    blockingKeys(account).map((key) => ({ account_id: account.id, key })),
  );
  await replaceAccountBlocks(tx, orgId, ids, keys);
  const alive = accounts.map(({ id }) => id);
  const found = await score(tx, orgId, await findCandidatesOfAccounts(tx, orgId, alive));
  await keepSuggestionsOfAccounts(tx, orgId, ids, found);
  await upsertSuggestions(tx, orgId, found, now);
  const overtaken = await findOvertakenSuggestions(tx, orgId, alive);
  if (overtaken.length > 0) await suggestForPartnerAccounts(tx, orgId, overtaken, now);
}

async function suggestForPartnerAccounts(
  tx: Tx,
  orgId: OrganizationId,
  refs: PartnerAccountRef[],
  now: Date,
): Promise<void> {
  const accounts = (await findPartnerAccountFacts(tx, orgId, refs)).filter(({ deleted_at }) => !deleted_at);
  const keys = accounts.flatMap((account) => {
    const { partner_id, external_id } = account;
    return blockingKeys(account).map((key) => ({ partner_id, external_id, key }));
  });
  await replacePartnerAccountBlocks(tx, orgId, refs, keys);
  const found = await score(tx, orgId, await findCandidatesOfPartnerAccounts(tx, orgId, accounts));
  const lost = await keepSuggestionsOfPartnerAccounts(tx, orgId, refs, found);
  const worse = await upsertSuggestions(tx, orgId, found, now);
  await trimSuggestions(tx, orgId, found);
  // Another company of the partner may be better now, for which there was no room so far.
  await queueSuggestions(tx, orgId, [...new Set([...lost, ...worse])], [], now);
}

/** The best of each account and partner. */
async function score(tx: Tx, orgId: OrganizationId, candidates: Candidate[]): Promise<NewSuggestion[]> {
  const accounts = new Map(
    (await findAccountFactsById(tx, orgId, [...new Set(candidates.map((one) => one.account_id))])).map(
      (fact) => [fact.id, fact],
    ),
  );
  const refs = new Map(candidates.map((one) => [keyOf(one), one]));
  const partnerAccounts = new Map(
    (await findPartnerAccountFacts(tx, orgId, [...refs.values()])).map((fact) => [keyOf(fact), fact]),
  );
  const best = new Map<string, NewSuggestion[]>();
  for (const [index, { account_id, partner_id, external_id }] of candidates.entries()) {
    // Requests are answered in between.
    if (index % 500 === 499) await new Promise(setImmediate);
    const account = accounts.get(account_id);
    const partnerAccount = partnerAccounts.get(keyOf({ partner_id, external_id }));
    if (!account || !partnerAccount) continue;
    const suggestion = toSuggestion(account, partnerAccount);
    if (suggestion.score < minSuggestionScore) continue;
    const pair = `${account_id} ${partner_id}`;
    const others = best.get(pair) ?? [];
    best.set(pair, [...others, suggestion].sort(bestFirst).slice(0, suggestionsOfPair));
  }
  return [...best.values()].flat();
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

function bestFirst(a: NewSuggestion, b: NewSuggestion): number {
  return b.rank - a.rank || (a.external_id < b.external_id ? -1 : 1);
}

function keyOf({ partner_id, external_id }: PartnerAccountRef): string {
  return `${partner_id} ${external_id}`;
}

/** Somebody dismissed a signal because of its match: the match stays, and is the first to be reviewed. */
export async function suggestReview(tx: Tx, orgId: OrganizationId, pair: Pair, now: Date): Promise<void> {
  const match = await findMatch(tx, orgId, pair);
  const [account] = await findAccountFactsById(tx, orgId, [pair.account_id]);
  const [partnerAccount] = match ? await findPartnerAccountFacts(tx, orgId, [match]) : [];
  if (!account || !partnerAccount) return;
  const suggestion = toSuggestion(account, partnerAccount);
  const reasons = ['you said this match is wrong', ...suggestion.reasons];
  await upsertSuggestions(tx, orgId, [{ ...suggestion, rank: rankOf(suggestion.score, true), reasons }], now);
}

export async function readQuality(db: Queryable, orgId: OrganizationId): Promise<MatchQuality> {
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
