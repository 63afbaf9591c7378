import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defused, restored } from '../../contract/values/csv-text.ts';
import { columnsOf, csvHeader, csvLines } from './csv.ts';
import { wantsCsv } from './export.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  // A spreadsheet may ignore what comes before the sign, or begin a cell after it.
  ...[' ', '\u00a0', '\ufeff', '\u200b', '\t', '\r', '\n', '\u0001', ' \u00a0\t'].flatMap((blank) =>
    ['=', '+', '-', '@'].map((sign): [string, string] => [`${blank}${sign}1`, `"${blank}'${sign}1"`]),
  ),
  ['a;=1', `"a;'=1"`],
  ['a; "=1', `"a; ""'=1"`],
  ['a\t-1', `"a\t'-1"`],
  ['a\n@x', `"a\n'@x"`],
  ['a;b', '"a;b"'],
  ['a\tb', '"a\tb"'],
  [' a', '" a"'],
  // Without an extra apostrophe, `restored` could not reverse it.
  ["'=1", "''=1"],
  ["'tis", "'tis"],
  ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
  ['a=1', 'a=1'],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['a\nb', '"a\nb"'],
  ['', ''],
  [-5, '-5'],
  [1.5, '1.5'],
  [true, 'true'],
  [null, ''],
  [undefined, ''],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [['a', 'b'], '"[""a"",""b""]"'],
])('%j is written as %s', (value, written) => {
  expect(csvLines(['c'], [{ c: value }])).toBe(`${written}\r\n`);
});

test('any text is read back as it was once apostrophes are taken off, and no cell begins like a formula', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...'=+-@;,\'" \t\r\n\u00a0\ufeff\u200b'),
  );
  fc.assert(
    fc.property(fc.array(fc.string({ unit }), { minLength: 2, maxLength: 5 }), (texts) => {
      const columns = texts.map((_, index) => `c${index}`);
      const row = Object.fromEntries(texts.map((text, index) => [`c${index}`, text]));
      const [header, cells] = parse(csvHeader(columns) + csvLines(columns, [row]), {
        skip_empty_lines: false,
      });
      expect(header).toEqual(columns);
      for (const [index, text] of texts.entries()) {
        const read = String(cells?.[index]);
        expect(restored(read)).toBe(text);
        // However a spreadsheet splits it.
        for (const part of read.split(/[;\t\r\n]/))
          expect(part.replace(/^["\s\u200b]+/, '')).not.toMatch(/^[=+\-@]/);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('a long text takes no longer than its length', () => {
  for (const part of ['\t', ' ', '\t"', "'", ";'"]) {
    const text = part.repeat(500_000);
    expect(restored(defused(text))).toBe(text);
  }
});

test('fields of objects are columns of their own', () => {
  const schema = { properties: { id: {}, partner: { properties: { name: {}, type: {} } }, log: {} } };
  expect(columnsOf(schema)).toEqual(['id', 'partner.name', 'partner.type', 'log']);
  const row = { id: 1, partner: { name: 'x' }, log: [{ a: 1 }] };
  expect(csvLines(columnsOf(schema), [row, { id: 2, partner: null }])).toBe('1,x,,"[{""a"":1}]"\r\n2,,,\r\n');
});

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json', false],
  ['text/csv', true],
  ['TEXT/CSV; charset=utf-8', true],
  ['text/csv, */*;q=0.1', true],
  ['text/csv;q=0', false],
  ['application/json, text/csv', false],
  ['application/json;q=0.5, text/csv', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
])('Accept: %s asks for CSV: %s', (accept, wants) => {
  expect(wantsCsv({ headers: { accept } } as never)).toBe(wants);
});
