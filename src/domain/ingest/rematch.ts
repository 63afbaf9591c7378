import { ApiError } from '../../contract/error.ts';
import type { AccountId, OrganizationId, PartnerId } from '../../contract/ids.ts';
import type { Settings } from '../../contract/settings.ts';
import { dayNumber } from '../../rules/day.ts';
import {
  maxHolders,
  sharedKeys,
  strongestOfEach,
  withoutAmbiguous,
} from '../../rules/matching/choose-matches.ts';
import type { FactsTx, Tx } from '../../store/db/tx.ts';
import { findConfirmedMatches } from '../../store/matching/match-decisions.ts';
import {
  type FoundMatch,
  findCandidates,
  findKeyHolders,
  findMatches,
  type MatchCandidate,
  type StoredMatch,
  upsertMatches,
} from '../../store/matching/matches.ts';
import type { Pair } from '../../store/signals/pairs.ts';
import { matchKindTable } from '../../vocabulary.ts';
import { pairKey } from '../load-pairs.ts';
import { quietly, readAhead } from '../prefetch.ts';

/** Accounts per step; each may match any number of partners. */
const stepAccounts = 100;
/** More than realistic facts can cause in a batch; it takes a domain or name that very many companies share. */
const maxPairs = 250_000;

/** A pair for which something changed, with the partner account that it matched and the one that it matches now. */
export type RematchedPair = Pair & { external_ids: string[] };

/**
 * Updates the matches of these accounts to their keys, and returns the pairs for which something changed. `fresh` accounts
 * match nothing yet.
 */
export async function rematch(
  tx: FactsTx,
  orgId: OrganizationId,
  accountIds: AccountId[],
  settings: Settings,
  now: Date,
  fresh: ReadonlySet<AccountId> = new Set(),
): Promise<RematchedPair[]> {
  const pairs: RematchedPair[] = [];
  let written: Promise<unknown> = Promise.resolve();
  try {
    const read = (step: AccountId[]): Promise<Found> => {
      const known = step.filter((id) => !fresh.has(id));
      return Promise.all([
        findCandidates(tx, orgId, step, maxHolders),
        known.length > 0 ? findConfirmedMatches(tx, orgId, known) : [],
        known.length > 0 ? findMatches(tx, orgId, known) : [],
      ]);
    };
    for await (const found of readAhead(accountIds, stepAccounts, read)) {
      const changed = await decide(tx, orgId, found, settings, now);
      await written;
      if (changed.length > 0) written = quietly(upsertMatches(tx, orgId, changed.map(withConfidence)));
      const before = new Map(found[2].map((match) => [pairKey(match), match.external_id]));
      for (const { account_id, partner_id, external_id } of changed) {
        const matched = before.get(pairKey({ account_id, partner_id })) ?? external_id;
        pairs.push({ account_id, partner_id, external_ids: [...new Set([matched, external_id])] });
      }
      if (pairs.length > maxPairs) {
        throw new ApiError(
          'payload_too_large',
          `These rows change more than ${maxPairs} matches. Remove domains and names that many companies share, or send fewer rows.`,
        );
      }
    }
    await written;
  } finally {
    await written.catch(() => {});
  }
  return pairs;
}

/** Whether a partner account matches decides for which other accounts it may be suggested. */
export function companiesOf(pairs: RematchedPair[]): { partner_id: PartnerId; external_id: string }[] {
  return pairs.flatMap(({ partner_id, external_ids }) =>
    external_ids.map((external_id) => ({ partner_id, external_id })),
  );
}

/** For some accounts: candidates by key, matches by decision, and current matches. */
type Found = [MatchCandidate[], FoundMatch[], StoredMatch[]];

async function decide(
  tx: Tx,
  orgId: OrganizationId,
  [candidates, confirmed, matches]: Found,
  settings: Settings,
  now: Date,
): Promise<StoredMatch[]> {
  const shared = sharedKeys(candidates);
  const holders = shared.length > 0 ? await findKeyHolders(tx, orgId, shared) : [];
  const wanted = strongestOfEach([...withoutAmbiguous(candidates, holders), ...confirmed]);
  const held = new Map(matches.map((match) => [pairKey(match), match]));
  const changed: StoredMatch[] = [];
  for (const match of wanted) {
    const known = held.get(pairKey(match));
    held.delete(pairKey(match));
    if (!known) changed.push({ ...match, started_at: now, ended_at: null });
    else if (known.ended_at)
      changed.push({
        ...match,
        started_at: isBackInTime(known.ended_at) ? known.started_at : now,
        ended_at: null,
      });
    else if (
      known.key !== match.key ||
      known.kind !== match.kind ||
      known.external_id !== match.external_id
    ) {
      changed.push({ ...match, started_at: known.started_at, ended_at: null });
    }
  }
  for (const gone of held.values()) {
    if (!gone.ended_at) changed.push({ ...gone, ended_at: now });
  }
  return changed;

  /** A match that returns soon continues its former episode. */
  function isBackInTime(endedAt: Date): boolean {
    return dayNumber(now) - dayNumber(endedAt) <= settings.signals.overlap.return_days;
  }
}

function withConfidence(match: StoredMatch) {
  return { ...match, confidence: matchKindTable[match.kind].confidence };
}
