import { isDeepStrictEqual } from 'node:util';
import type { AccountId, OpportunityId } from '../../contract/ids.ts';
import type { Person } from '../../contract/person.ts';
import type { PartnerAccountFact } from '../../store/facts/partner-facts.ts';
import type { Pair } from '../../store/signals/pairs.ts';

/** What a batch may have changed the meaning of. */
export type Touched = {
  /** Accounts whose matches are to be looked for again. */
  rematch: Set<AccountId>;
  /** Accounts that are new, and match nothing yet. */
  fresh: Set<AccountId>;
  /** Rows of partners that may be suggested for other accounts now. */
  partnerAccounts: PartnerAccountFact[];
  /** Accounts on which every pair is to be evaluated again. */
  accounts: Set<AccountId>;
  pairs: Pair[];
  /** Accounts and deals of which signals show something else now. */
  shown: { accounts: Set<AccountId>; opportunities: Set<OpportunityId> };
  /** Deals that were won, or are no longer. */
  opportunities: Set<OpportunityId>;
  /** Accounts on which something changed that happened on this UTC day: the deals closed since may be credited otherwise. */
  opportunitiesSince: Map<AccountId, string>;
};

export function nothingTouched(): Touched {
  return {
    ...{ rematch: new Set(), fresh: new Set(), accounts: new Set(), partnerAccounts: [], pairs: [] },
    ...{
      shown: { accounts: new Set(), opportunities: new Set() },
      opportunities: new Set(),
      opportunitiesSince: new Map(),
    },
  };
}

/** Whether signals show another account, or another deal, after a change of it. */
export function showsOtherwise<Fact extends { owner: Person | null }, Field extends keyof Fact>(
  { properties }: { properties: Record<Field, unknown> },
  before: Fact,
  after: Fact,
): boolean {
  const shown = [...Object.keys(properties), 'owner'] as (keyof Fact)[];
  return shown.some((field) => !isDeepStrictEqual(before[field], after[field]));
}

export function touchOpportunitiesSince(
  { opportunitiesSince }: Touched,
  accountId: AccountId,
  day: string,
): void {
  const known = opportunitiesSince.get(accountId);
  if (known === undefined || day < known) opportunitiesSince.set(accountId, day);
}
