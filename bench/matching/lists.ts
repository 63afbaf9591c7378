import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Company } from '../../src/rules/suggestion.ts';

/** A company of a list; rows of two lists with the same id are the same company. */
export type Listed = Company & { id: string };

export type ListPair = { name: string; accounts: string; partnerAccounts: string };

/** Different lists, and no company of the one on an accounts list of the other. */
export const trainingPairs: ListPair[] = [
  { name: 'NASDAQ listings → SEC filings', accounts: 'us-nasdaq', partnerAccounts: 'us-sec' },
  { name: 'Berlin board → home exchanges', accounts: 'world-berlin', partnerAccounts: 'world-home' },
];
export const testPairs: ListPair[] = [
  { name: 'S&P 500 (Wikipedia) → SEC filings', accounts: 'us-sp500', partnerAccounts: 'us-sec' },
  { name: 'NYSE listings → SEC filings', accounts: 'us-nyse', partnerAccounts: 'us-sec' },
  { name: 'Munich board → home exchanges', accounts: 'world-munich', partnerAccounts: 'world-home' },
];

export function readList(name: string): Listed[] {
  const file = readFileSync(new URL(`data/${name}.csv`, import.meta.url));
  const rows = parse(file, { columns: true }) as { id: string; country: string; name: string }[];
  return rows.map((row) => ({ ...row, domain: null, registry_number: null }));
}
