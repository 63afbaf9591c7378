import { isDeepStrictEqual } from 'node:util';
import type { AccountId, OpportunityId } from '../../contract/ids.ts';
import type { Person } from '../../contract/person.ts';
import type { PartnerAccountFact } from '../../store/facts.ts';
import type { Pair } from '../../store/pairs.ts';

/** What a batch may have changed the meaning of. */
export type Touched = {
  /** Accounts whose matches are to be looked for again. */
  rematch: Set<AccountId>;
  /** Rows of partners that may be suggested for other accounts now. */
  partnerAccounts: PartnerAccountFact[];
  /** Accounts on which every pair is to be evaluated again. */
  accounts: Set<AccountId>;
  pairs: Pair[];
  /** Accounts with another owner, or with a deal that has one. */
  owners: Set<AccountId>;
  /** Deals that were won, or are no longer. */
  deals: Set<OpportunityId>;
  /** Accounts on which something changed that happened on this UTC day: the deals closed since may be credited otherwise. */
  dealsSince: Map<AccountId, string>;
};

export function nothingTouched(): Touched {
  return {
    ...{ rematch: new Set(), accounts: new Set(), partnerAccounts: [], pairs: [], owners: new Set() },
    ...{ deals: new Set(), dealsSince: new Map() },
  };
}

export function touchOwner(
  { owners }: Touched,
  before: { owner: Person | null } | undefined,
  after: { owner: Person | null },
  accountId: AccountId,
): void {
  if (!isDeepStrictEqual(before?.owner ?? null, after.owner)) owners.add(accountId);
}

export function touchDealsSince({ dealsSince }: Touched, accountId: AccountId, day: string): void {
  const known = dealsSince.get(accountId);
  if (known === undefined || day < known) dealsSince.set(accountId, day);
}
