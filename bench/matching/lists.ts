import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { blockingKeys, type Company } from '../../src/rules/matching/suggestion.ts';
import { holdersByKey } from '../../test/rules/match-lists.ts';

/** A company of a list; rows of two lists with the same ID are the same company. */
export type Listed = Company & { id: string };

export type ListPair = {
  name: string;
  accounts: string;
  partnerAccounts: string;
  /** Recall and precision with the keys of commit a9d4749. */
  before: { found: number; precision: number };
};

/** The lists are different, and no accounts list contains a company of another. */
export const trainingPairs: Omit<ListPair, 'before'>[] = [
  {
    name: 'NASDAQ listings → SEC filings',
    accounts: 'us-nasdaq',
    partnerAccounts: 'us-sec',
  },
  {
    name: 'Berlin board → home exchanges',
    accounts: 'world-berlin',
    partnerAccounts: 'world-home',
  },
];
export const testPairs: ListPair[] = [
  {
    name: 'S&P 500 (Wikipedia) → SEC filings',
    accounts: 'us-sp500',
    partnerAccounts: 'us-sec',
    before: { found: 83.9, precision: 99.8 },
  },
  {
    name: 'NYSE listings → SEC filings',
    accounts: 'us-nyse',
    partnerAccounts: 'us-sec',
    before: { found: 91.6, precision: 99.7 },
  },
  {
    name: 'Munich board → home exchanges',
    accounts: 'world-munich',
    partnerAccounts: 'world-home',
    before: { found: 47.1, precision: 99.2 },
  },
];

export function readList(name: string): Listed[] {
  const file = readFileSync(new URL(`data/${name}.csv`, import.meta.url));
  const rows = parse(file, { columns: true }) as { id: string; country: string; name: string }[];
  return rows.map((row) => ({ ...row, domain: null, registry_number: null }));
}

/** By account, the partner accounts that share a blocking key with it. */
export function candidatesOf(accounts: Listed[], partnerAccounts: Listed[]): Map<Listed, Listed[]> {
  const blocks = holdersByKey(partnerAccounts, blockingKeys);
  return new Map(
    accounts.map((account) => [
      account,
      [...new Set(blockingKeys(account).flatMap((key) => blocks.get(key) ?? []))],
    ]),
  );
}
