import type { FactRow } from '../../src/contract/ingest.ts';
import { type DatasetSize, dataset } from '../../src/demo/dataset.ts';
import type { FactKind } from '../../src/vocabulary.ts';

export const now = new Date('2026-03-31T12:00:00Z');

export type Facts = { [K in FactKind]: FactRow<K>[] };

/** A whole dataset at once. */
export function factsOf(options: {
  size: DatasetSize;
  seed?: number;
  now?: Date;
  batchRows?: number;
}): Facts {
  const facts: Facts = {
    partners: [],
    accounts: [],
    opportunities: [],
    partner_accounts: [],
    activities: [],
    exchange_rates: [],
  };
  for (const { kind, rows } of dataset({ seed: 1, now, batchRows: 500, ...options })) {
    (facts[kind] as unknown[]).push(...rows);
  }
  return facts;
}
