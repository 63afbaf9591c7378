import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf, csvHeader, csvLines } from './csv.ts';
import { wantsCsv } from './export.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['\n=1', `"'\n=1"`],
  ['＝1', "'＝1"],
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

test('any text is read back as it was, or with an apostrophe before what could be a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 5 }), (texts) => {
      const columns = texts.map((_, index) => `c${index}`);
      const row = Object.fromEntries(texts.map((text, index) => [`c${index}`, text]));
      const [header, cells] = parse(csvHeader(columns) + csvLines(columns, [row]), {
        skip_empty_lines: false,
      });
      expect(header).toEqual(columns);
      for (const [index, text] of texts.entries()) {
        const read = String(cells?.[index]);
        expect([text, `'${text}`]).toContain(read);
        expect(read).not.toMatch(/^[=+\-@\t\r]/);
      }
    }),
  );
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
