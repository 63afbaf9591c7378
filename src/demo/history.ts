import type { FactRow, OpportunityRow } from '../contract/ingest.ts';
import type { FactKind } from '../vocabulary.ts';
import type { FactBatch } from './dataset.ts';
import { demoOpenStages } from './rows.ts';

const dayMs = 86_400_000;
const stepDays = 28;
const steps = 4;

/** What was learned up to a moment, after what was learned before it. */
export type Chapter = { at: Date; batches: FactBatch[] };

/**
 * Tells the facts of a dataset in the order in which a company would have learned them, over the last twelve weeks: its
 * own first, a partner's accounts little by little, deals as they are opened and closed, activities as they are recorded.
 */
export function* demoHistory(dataset: Iterable<FactBatch>, now: Date): Generator<Chapter> {
  const all = [...dataset];
  const rowsOf = <K extends FactKind>(kind: K) =>
    all.filter((batch) => batch.kind === kind).flatMap(({ rows }) => rows as FactRow<K>[]);
  const opportunities = rowsOf('opportunities');
  const lists = rowsOf('partner_accounts');
  const activities = rowsOf('activities');
  let since = Number.NEGATIVE_INFINITY;
  for (let step = 0; step < steps; step++) {
    const at = new Date(now.getTime() - (steps - 1 - step) * stepDays * dayMs);
    const until = at.getTime();
    const isNew = (moment: string) => since < Date.parse(moment) && Date.parse(moment) <= until;
    const closes = (opportunity: OpportunityRow) =>
      opportunity.status !== 'open' && isNew(opportunity.closed_date ?? '');
    const batches = [
      ...(step === 0
        ? all.filter(({ kind }) => ['exchange_rates', 'partners', 'accounts'].includes(kind))
        : []),
      {
        kind: 'opportunities',
        rows: opportunities
          .filter((opportunity) => isNew(opportunity.opened_at) || closes(opportunity))
          .map((opportunity) => asOf(opportunity, until)),
      },
      { kind: 'partner_accounts', rows: lists.filter((_, index) => index % steps === step) },
      { kind: 'activities', rows: activities.filter((row) => isNew(row.recorded_at ?? row.occurred_at)) },
    ] as FactBatch[];
    yield { at, batches: batches.filter(({ rows }) => rows.length > 0) };
    since = until;
  }
}

/** A deal that was closed later was open, and expected to close when it did. */
function asOf(opportunity: OpportunityRow, until: number): OpportunityRow {
  if (opportunity.status === 'open' || Date.parse(opportunity.closed_date ?? '') <= until) return opportunity;
  return { ...opportunity, status: 'open', stage: demoOpenStages.at(-2) as string };
}
