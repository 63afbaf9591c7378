import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FactKind } from '../../vocabulary.ts';
import { weighParsed } from '../admission/in-flight.ts';
import { CheckedRows, weighBatch } from './ingest-rows.ts';
import { readArray } from './json-rows.ts';

const MiB = 1024 * 1024;
const size = MiB / 4;
const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i));
const array = (elements: string[]) => `[${elements.join(',')}]`;
/** Every text is different, so that no two can share memory. */
const unique = (index: number) => (index + 36 ** 5).toString(36);

describe('a body that is parsed whole takes no more memory than it is weighed', () => {
  const bodies: Record<string, () => string> = {
    'nothing but brackets': () => '['.repeat(size / 2) + ']'.repeat(size / 2),
    'empty objects': () => array(times(size / 3, () => '{}')),
    'empty arrays': () => array(times(size / 3, () => '[]')),
    'objects with a number for a name': () => array(times(size / 9, () => '{"16":0}')),
    'objects whose names are all different': () => array(times(size / 13, (i) => `{"${unique(i)}":0}`)),
    'one object of many names': () => `{${times(size / 11, (i) => `"${unique(i)}":0`).join(',')}}`,
    numbers: () => array(times(size / 2, () => '0')),
    text: () => JSON.stringify(`ā${'x'.repeat(size)}`),
  };
  test.each(Object.keys(bodies))('%s', (name) => {
    const text = bodies[name]?.() ?? '';
    expect(heldBy(() => JSON.parse(text))).toBeLessThan(weighParsed(undefined as never, text.length));
  });

  test('any JSON, many times over', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const text = array(times(Math.ceil(100_000 / json.length), () => json));
        // Leaves room for memory that the runtime itself allocates.
        expect(heldBy(() => JSON.parse(text))).toBeLessThan(
          weighParsed(undefined as never, text.length) + MiB,
        );
      }),
      { numRuns: 25 },
    );
  });
});

describe('a batch takes no more memory than it is weighed, whatever its rows hold', () => {
  const account = (index: number, more: object) =>
    JSON.stringify({ crm_id: unique(index), name: 'Harbour Mills', ...more });
  const bombs = (count: number) => `[${'{},'.repeat(count)}{}]`;
  const batches: Record<string, { kind: FactKind; text: () => string; good: number }> = {
    'short rows': { kind: 'accounts', text: () => array(times(5_000, (i) => account(i, {}))), good: 5_000 },
    'long rows with a letter beyond Latin-1': {
      kind: 'accounts',
      text: () => array(times(2_000, (i) => account(i, { name: `ā${unique(i)}${'x'.repeat(480)}` }))),
      good: 2_000,
    },
    'many short domains': {
      kind: 'accounts',
      text: () =>
        array(
          times(2_000, (i) => account(i, { extra_domains: times(100, (j) => `${unique(100 * i + j)}`) })),
        ),
      good: 2_000,
    },
    'withdrawals with anything in what they ignore': {
      kind: 'accounts',
      text: () => array(times(500, (i) => `{"crm_id":"${i}","deleted":true,"name":${bombs(500)}}`)),
      good: 500,
    },
    'rows of values that nobody asked for': {
      kind: 'partners',
      text: () => array(times(500, () => `{"a":${bombs(500)}}`)),
      good: 0,
    },
    'ten thousand errors': {
      kind: 'partners',
      text: () => array(times(100, () => `{${times(100, (j) => `"a${j}":0`).join(',')}}`)),
      good: 0,
    },
  };
  test.each(Object.keys(batches))('%s', (name) => {
    const { kind, text, good } = batches[name] as (typeof batches)[string];
    const body = Buffer.from(text());
    const check = () => {
      const rows = new CheckedRows(kind);
      for (const line of readArray(body)) rows.add(line);
      return rows;
    };
    const held = heldBy(check);
    expect(check().good).toHaveLength(good);
    expect(held + 2 * body.length).toBeLessThan(weighBatch(body.length));
  });
});

/** How much larger the heap is while the result exists. */
function heldBy(make: () => unknown): number {
  make();
  const before = heapUsed();
  const made = make();
  const held = heapUsed() - before;
  expect(made).toBeDefined();
  return held;
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
