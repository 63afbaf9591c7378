import type { AccountId } from '../../contract/ids.ts';
import type { Pair } from '../../store/pairs.ts';

/** What a batch may have changed the meaning of. */
export type Touched = {
  /** Accounts whose matches are to be looked for again. */
  rematch: Set<AccountId>;
  /** Accounts on which every pair is to be evaluated again. */
  accounts: Set<AccountId>;
  pairs: Pair[];
};

export function nothingTouched(): Touched {
  return { rematch: new Set(), accounts: new Set(), pairs: [] };
}
