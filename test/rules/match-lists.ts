import {
  type Candidate,
  type Holder,
  strongestOfEach,
  withoutAmbiguous,
} from '../../src/rules/matching/choose-matches.ts';
import { accountKeys, type KeyedFact } from '../../src/rules/matching/matching.ts';

export type Row = Omit<KeyedFact, 'extra_domains'> & { id: string; extra_domains?: string[] };

const partner_id = 'partner';

/** Matches two lists in memory as ingest does: by account, the partner account and the key. */
export function matchLists(accounts: Row[], partnerAccounts: Row[]): Map<string, Candidate> {
  const keysOf = (row: Row) => accountKeys({ ...row, extra_domains: row.extra_domains ?? [] });
  const own = holdersByKey(accounts, (row) => keysOf(row).map(({ key }) => key));
  const theirs = holdersByKey(partnerAccounts, (row) => keysOf(row).map(({ key }) => key));
  const candidates = accounts.flatMap((account) =>
    keysOf(account).flatMap(({ kind, key }) =>
      (theirs.get(key) ?? []).map(({ id }) => ({
        ...{ account_id: account.id, partner_id, external_id: id, kind, key },
        accounts: own.get(key)?.length ?? 0,
        partner_accounts: theirs.get(key)?.length ?? 0,
      })),
    ),
  );
  const holders = [...own].flatMap(([key, rows]) => rows.map((row) => holder(row, key, null)));
  const partnerHolders = [...theirs].flatMap(([key, rows]) =>
    rows.map((row) => holder(row, key, partner_id)),
  );
  const certain = withoutAmbiguous(candidates, [...holders, ...partnerHolders]);
  return new Map(strongestOfEach(certain).map((match) => [match.account_id, match]));
}

function holder(row: Row, key: string, partnerId: string | null): Holder {
  return { ...row, key, partner_id: partnerId, extra_domains: row.extra_domains ?? null };
}

export function holdersByKey<R>(rows: R[], keysOf: (row: R) => string[]): Map<string, R[]> {
  const holders = new Map<string, R[]>();
  for (const row of rows) {
    for (const key of keysOf(row)) {
      const known = holders.get(key);
      if (known) known.push(row);
      else holders.set(key, [row]);
    }
  }
  return holders;
}
