import { isDeepStrictEqual } from 'node:util';
import type { AccountId, OpportunityId, OrganizationId } from '../../contract/ids.ts';
import type { Person } from '../../contract/person.ts';
import type { FactsTx } from '../../store/db/tx.ts';
import type { PartnerAccountFact } from '../../store/facts/partner-facts.ts';
import type { Pair } from '../../store/signals/pairs.ts';
import type { FactKind } from '../../vocabulary.ts';
import type { IngestRow, Outcome } from './ledger.ts';

/** Writes the rows of a batch, and returns what became of each and what else they may affect. */
export type Writer<K extends FactKind> = (
  tx: FactsTx,
  orgId: OrganizationId,
  rows: IngestRow<K>[],
  now: Date,
  deliver: boolean,
) => Promise<{ outcomes: Outcome[]; changedRows: ChangedRows }>;

/** What a batch may have affected. */
export type ChangedRows = {
  /** Accounts whose matches must be computed again. */
  rematch: Set<AccountId>;
  /** New accounts, which match nothing yet. */
  fresh: Set<AccountId>;
  /** Partner accounts that may now be suggested for other accounts. */
  partnerAccounts: PartnerAccountFact[];
  /** Accounts whose pairs must all be evaluated again. */
  accounts: Set<AccountId>;
  pairs: Pair[];
  /** Accounts and deals whose stored signal items must be rewritten. */
  shown: { accounts: Set<AccountId>; opportunities: Set<OpportunityId> };
  /** Deals that were won, or are no longer won. */
  opportunities: Set<OpportunityId>;
  /** The earliest UTC day on which something changed, by account: the credit of deals that closed since then may change. */
  opportunitiesSince: Map<AccountId, string>;
};

export function noChangedRows(): ChangedRows {
  return {
    ...{ rematch: new Set(), fresh: new Set(), accounts: new Set(), partnerAccounts: [], pairs: [] },
    ...{
      shown: { accounts: new Set(), opportunities: new Set() },
      opportunities: new Set(),
      opportunitiesSince: new Map(),
    },
  };
}

/** Whether a change affects what signals show of an account or deal. */
export function showsOtherwise<Fact extends { owner: Person | null }, Field extends keyof Fact>(
  { properties }: { properties: Record<Field, unknown> },
  before: Fact,
  after: Fact,
): boolean {
  const shown = [...Object.keys(properties), 'owner'] as (keyof Fact)[];
  return shown.some((field) => !isDeepStrictEqual(before[field], after[field]));
}

export function noteOpportunitiesSince(
  { opportunitiesSince }: ChangedRows,
  accountId: AccountId,
  day: string,
): void {
  const known = opportunitiesSince.get(accountId);
  if (known === undefined || day < known) opportunitiesSince.set(accountId, day);
}
