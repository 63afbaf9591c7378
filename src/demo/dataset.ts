import type { FactRow } from '../contract/ingest.ts';
import type { FactKind } from '../vocabulary.ts';
import { activityRows } from './activities.ts';
import { accountRow, exchangeRateRows, opportunityRow, partnerAccountRow, partnerRow } from './rows.ts';
import { type DatasetSize, makeWorld, type World } from './world.ts';

export type { DatasetSize } from './world.ts';

export type FactBatch = { [K in FactKind]: { kind: K; rows: FactRow<K>[] } }[FactKind];

export const demoSize: DatasetSize = { partners: 12, accounts: 150, opportunities: 200, activities: 2000 };

/**
 * Invented facts: the same options give the same facts, and every fact comes after those it refers to. Only the current
 * batch is in memory. Partners list five accounts for every four of ours.
 */
export function* dataset(options: {
  size: DatasetSize;
  seed: number;
  now: Date;
  batchRows: number;
}): Generator<FactBatch> {
  const { size, batchRows } = options;
  refuseImpossible(size, batchRows);
  const world = makeWorld(size, options.seed, options.now);
  const partnerAccounts = size.partners === 0 ? 0 : Math.floor(size.accounts * 1.25);
  if (size.opportunities > 0) yield* inBatches('exchange_rates', exchangeRateRows(world), batchRows);
  yield* inBatches('partners', rows(world, size.partners, partnerRow), batchRows);
  yield* inBatches('accounts', rows(world, size.accounts, accountRow), batchRows);
  yield* inBatches('opportunities', rows(world, size.opportunities, opportunityRow), batchRows);
  yield* inBatches('partner_accounts', rows(world, partnerAccounts, partnerAccountRow), batchRows);
  yield* inBatches('activities', activityRows(world), batchRows);
}

function refuseImpossible(size: DatasetSize, batchRows: number): void {
  const counts = [...Object.values(size), batchRows - 1];
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0))
    throw new RangeError(
      'Sizes must be whole numbers of at least 0, and batches must have at least one row.',
    );
  if (size.accounts === 0 && size.opportunities + size.activities > 0)
    throw new RangeError('Opportunities and activities need at least one account.');
  if (size.partners === 0 && size.activities > 0)
    throw new RangeError('Activities need at least one partner.');
}

function* rows<R>(world: World, count: number, make: (world: World, index: number) => R): Generator<R> {
  for (let index = 0; index < count; index++) yield make(world, index);
}

function* inBatches<K extends FactKind>(
  kind: K,
  rows: Iterable<FactRow<K>>,
  batchRows: number,
): Generator<FactBatch> {
  let batch: FactRow<K>[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < batchRows) continue;
    yield { kind, rows: batch } as FactBatch;
    batch = [];
  }
  if (batch.length > 0) yield { kind, rows: batch } as FactBatch;
}
