import { describe, expect, test } from 'vitest';
import { type Column, clean, createTable, formatRecord, textWidth } from './table.ts';

type Row = { id: string; name: string; value: number };
const columns: Column<Row>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'NAME', value: ({ name }) => name, shrink: true },
  { head: 'VALUE', value: ({ value }) => value, right: true, optional: true },
];
const plain = { width: Number.POSITIVE_INFINITY, colour: false };

describe('a table', () => {
  test('lines its columns up, numbers at their end, without trailing spaces', () => {
    const rows = [
      { id: 'a', name: 'Long name', value: 5 },
      { id: 'bcd', name: 'x', value: 12_000 },
    ];
    expect(createTable(columns, plain)(rows)).toEqual([
      'ID   NAME       VALUE',
      'a    Long name      5',
      'bcd  x          12000',
    ]);
  });

  test('has one heading over several batches, and a column that grows with them', () => {
    const table = createTable(columns, plain);
    table([{ id: 'a', name: 'x', value: 1 }]);
    expect(table([{ id: 'b', name: 'longer', value: 2 }])).toEqual(['b   longer      2']);
  });

  test('is never wider than the terminal while there is something to cut or to leave out', () => {
    const name = 'A name that is much longer than fits';
    for (let width = 16; width < 60; width++) {
      const lines = createTable(columns, { width, colour: false })([{ id: 'id', name, value: 123_456 }]);
      for (const line of lines) expect(textWidth(line), line).toBeLessThanOrEqual(width);
    }
    expect(createTable(columns, { width: 20, colour: false })([{ id: 'id', name, value: 123_456 }])).toEqual([
      'ID  NAME',
      'id  A name that is …',
    ]);
  });

  test('counts wide characters as two places and combined ones as one', () => {
    expect(['abc', '株式会社', 'é', '👩‍💻', 'ü'].map(textWidth)).toEqual([3, 8, 1, 2, 1]);
    const [, row] = createTable(columns, { width: 20, colour: false })([
      { id: 'id', name: '株式会社株式会社株式会社', value: 1 },
    ]);
    expect(textWidth(row ?? '')).toBeLessThanOrEqual(20);
  });

  test('uses colours only if asked to', () => {
    const styled: Column<Row>[] = [{ head: 'ID', value: ({ id }) => id, style: () => 'red' }];
    const row = { id: 'a', name: '', value: 0 };
    expect(createTable(styled, plain)([row]).join('')).not.toContain('\x1b');
    expect(createTable(styled, { ...plain, colour: true })([row])[1]).toBe('\x1b[31ma \x1b[0m');
  });
});

describe('text from elsewhere', () => {
  test('cannot steer a terminal or break a line', () => {
    expect(clean('a\x1b[31mb\nc\u009b2Jd\u202ee')).toBe('a [31mb c 2Jd e');
    expect(
      formatRecord([
        ['name', 'x\r\ny'],
        ['empty', null],
      ]),
    ).toBe('name   x y\nempty  –');
  });
});
