import { describe, expect, it } from 'vitest';
import { factsOf, now } from '../../test/demo/facts.ts';
import type { FactRow } from '../contract/ingest.ts';
import { type FactKind, factKinds } from '../vocabulary.ts';
import { dataset, demoSize } from './dataset.ts';
import { demoHistory } from './history.ts';

const chapters = [...demoHistory(dataset({ size: demoSize, seed: 1, now, batchRows: 500 }), now)];
const told = <K extends FactKind>(kind: K) =>
  chapters.flatMap(({ at, batches }) =>
    batches
      .filter((batch) => batch.kind === kind)
      .flatMap(({ rows }) => (rows as FactRow<K>[]).map((row) => ({ at, row }))),
  );
const keyOf = (row: object) =>
  'crm_id' in row ? row.crm_id : 'external_id' in row ? row.external_id : 'date' in row ? row.date : '';

describe('the history of the demo', () => {
  it('goes on for twelve weeks, and ends now', () => {
    const moments = chapters.map(({ at }) => at.getTime());
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(moments.at(-1)).toBe(now.getTime());
    expect(now.getTime() - (moments[0] ?? 0)).toBe(84 * 86_400_000);
    for (const { batches } of chapters) expect(batches.length).toBeGreaterThan(2);
  });

  it('ends with the facts of the dataset, whatever was said of a deal before', () => {
    const facts = factsOf({ size: demoSize });
    for (const kind of factKinds) {
      const last = new Map(told(kind).map(({ row }) => [keyOf(row), row]));
      expect(last, kind).toEqual(new Map(facts[kind].map((row) => [keyOf(row), row])));
    }
  });

  it('tells nothing before it happened', () => {
    for (const { at, row } of told('opportunities')) {
      expect(Date.parse(row.opened_at)).toBeLessThanOrEqual(at.getTime());
      if (row.status !== 'open') expect(Date.parse(row.closed_date ?? '')).toBeLessThanOrEqual(at.getTime());
    }
    for (const { at, row } of told('activities'))
      expect(Date.parse(row.recorded_at ?? '')).toBeLessThanOrEqual(at.getTime());
  });

  it('tells of deals that are open first and closed later', () => {
    const statuses = new Map<unknown, string[]>();
    for (const { row } of told('opportunities'))
      statuses.set(row.crm_id, [...(statuses.get(row.crm_id) ?? []), row.status]);
    const closed = [...statuses.values()].filter(([first, second]) => first === 'open' && second === 'won');
    expect(closed.length).toBeGreaterThan(10);
    expect(Math.max(...[...statuses.values()].map(({ length }) => length))).toBe(2);
  });
});
