import { expect, test } from 'vitest';
import { createColumnMap } from './columns.ts';
import { readRows } from './rows.ts';
import { type Format, formatOf, openSource } from './source.ts';

async function* bytesOf(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
}

async function read(name: string, content: string | Uint8Array, encoding?: string) {
  const format = formatOf(name) as Format;
  const source = await openSource('accounts', bytesOf(content), { format, encoding, name });
  const records = [];
  for await (const { line, cells, problem } of source.records) records.push(problem ?? { line, ...cells });
  return { ...source, records };
}

test.each([',', ';', '\t'])('the delimiter %j is found in the header, outside quotes', async (sign) => {
  const { columns, records } = await read('a.csv', `Id${sign}"a,b;c\t, ; "${sign}Name\n1${sign}2${sign}3\n`);
  expect(columns).toEqual(['Id', 'a,b;c\t, ;', 'Name']);
  expect(records).toEqual([{ line: 2, Id: '1', 'a,b;c\t, ;': '2', Name: '3' }]);
});

test('quotes, newlines in them, blank lines and ends of lines of Windows keep their line numbers', async () => {
  const text = '\ufeff"Id","Name"\r\n"1","a ""b""\r\nc"\r\n\r\n"2",5" disk\r\n"3","x"';
  const { records, byteOrderMark } = await read('b.csv', text);
  expect(byteOrderMark).toBe(true);
  expect(records).toEqual([
    { line: 2, Id: '1', Name: 'a "b"\r\nc' },
    { line: 5, Id: '2', Name: '5" disk' },
    { line: 6, Id: '3', Name: 'x' },
  ]);
});

test('the apostrophe that keeps text from being a formula is taken off', async () => {
  const { records } = await read('formula.csv', `Id,Name\n'-1,"a;'=1"\n2,'tis ''=1\n3,''@x\n`);
  expect(records).toEqual([
    { line: 2, Id: '-1', Name: 'a;=1' },
    { line: 3, Id: '2', Name: "'tis ''=1" },
    { line: 4, Id: '3', Name: "'@x" },
  ]);
});

test('a row of another length is a bad row, empty cells at its end aside', async () => {
  const { records } = await read('c.csv', 'Id,Name\n1\n2,b,\n3,c,d\n');
  expect(records).toEqual([
    'has 1 columns where the header has 2',
    { line: 3, Id: '2', Name: 'b' },
    'has 3 columns where the header has 2',
  ]);
});

test('the footer of a Salesforce report is no row', async () => {
  const footer = '"Accounts"\n"Copyright (c) 2000-2026 salesforce.com, inc. All rights reserved."\n"Acme"\n';
  expect((await read('d.csv', `Id,Name\n1,a\n\n\n${footer}`)).records).toEqual([
    { line: 2, Id: '1', Name: 'a' },
  ]);
});

test('columns of the same name get distinct names', async () => {
  expect((await read('e.csv', 'Name,Name,\na,b,c\n')).columns).toEqual(['Name', 'Name (2)', 'column 3']);
});

test('a quote that is never closed ends with the line where its row begins, however long the file', async () => {
  const rows = 'x,y\n'.repeat(400_000);
  await expect(read('f.csv', `Id,Name\n1,a\n2,"b\n${rows}`)).rejects.toThrow(/line 3.*never closed/);
  await expect(read('g.csv', 'Id,Name\n1,a\n2,"b\n')).rejects.toThrow(/line 3.*never closed/);
});

test.each([
  ['utf-16le', Buffer.from('\ufeffId,Name\n1,Müller\n', 'utf16le'), undefined],
  ['utf-16be', Buffer.from('\ufeffId,Name\n1,Müller\n', 'utf16le').swap16(), undefined],
  ['windows-1252', Buffer.from('Id,Name\n1,Müller\n', 'latin1'), 'windows-1252'],
])('%s is read', async (_, content, encoding) => {
  expect((await read('h.csv', content, encoding)).records).toEqual([{ line: 2, Id: '1', Name: 'Müller' }]);
});

test('a file that cannot be read says why', async () => {
  const latin1 = Buffer.from('Id,Name\n1,Müller\n', 'latin1');
  await expect(read('i.csv', latin1)).rejects.toMatchObject({ code: 'wrong_encoding' });
  const utf16 = Buffer.from('Id,Name\n1,a\n', 'utf16le');
  await expect(read('j.csv', utf16)).rejects.toMatchObject({ code: 'not_utf8' });
  await expect(read('k.csv', Buffer.from('PK\x03\x04\0\0'))).rejects.toMatchObject({ code: 'spreadsheet' });
  await expect(read('l.csv', '')).rejects.toMatchObject({ code: 'empty' });
  expect(formatOf('m.xlsx')).toBeUndefined();
});

test('a character that two chunks of the file share is whole', async () => {
  const { records } = await read('n.csv', `Id,Name\n1,${'ü'.repeat(100_000)}\n`);
  expect(records).toEqual([{ line: 2, Id: '1', Name: 'ü'.repeat(100_000) }]);
});

test('lines of JSON are rows, and a bad line is a bad row', async () => {
  const { records } = await read('o.ndjson', '{"Id":1}\n\n{"Id":\n[2]\n{"Id":3}');
  expect(records).toEqual([
    { line: 1, Id: 1 },
    'is not valid JSON',
    'is not a JSON object',
    { line: 5, Id: 3 },
  ]);
});

test('the elements of a JSON array are rows', async () => {
  expect((await read('p.json', ' [{"Id":1},\n {"Id":2}]')).records).toEqual([
    { line: 1, Id: 1 },
    { line: 2, Id: 2 },
  ]);
  await expect(read('q.json', '[{"Id":1},')).rejects.toThrow(/not valid JSON/);
});

async function rowsOf(text: string) {
  const source = await openSource('exchange_rates', bytesOf(text), { format: 'csv', name: 'rates.csv' });
  const columns = createColumnMap('exchange_rates', {});
  columns.see(source.columns);
  const records = [];
  for await (const record of source.records) records.push(record);
  const conventions = { timeZone: 'UTC', values: {} } as never;
  const reading = {
    kind: 'exchange_rates',
    columns,
    overrides: {},
    set: {},
    defaults: {},
    conventions,
  } as const;
  const { good, refused } = readRows(reading, records);
  return { rows: good.map(({ row }) => row), refused };
}

test('the file of the European Central Bank, as published: a column each, N/A, and a comma at the end', async () => {
  const text = 'Date,USD,JPY,CYP,\r\n2026-08-31,1.0821,161.5,N/A,\r\n1999-01-04,1.1789,133.73,0.58231,\r\n';
  expect(await rowsOf(text)).toEqual({
    rows: [
      { date: '2026-08-31', base: 'EUR', quote: 'USD', rate: 1.0821 },
      { date: '2026-08-31', base: 'EUR', quote: 'JPY', rate: 161.5 },
      { date: '1999-01-04', base: 'EUR', quote: 'USD', rate: 1.1789 },
      { date: '1999-01-04', base: 'EUR', quote: 'JPY', rate: 133.73 },
      { date: '1999-01-04', base: 'EUR', quote: 'CYP', rate: 0.58231 },
    ],
    refused: [],
  });
});

test('a row each, and a rate that is none is refused', async () => {
  const { rows, refused } = await rowsOf(
    'date,base,quote,rate\n2026-08-31,USD,CHF,0.9\n2026-08-31,USD,SEK,x\n',
  );
  expect(rows).toEqual([{ date: '2026-08-31', base: 'USD', quote: 'CHF', rate: 0.9 }]);
  expect(refused.map(({ problems }) => problems)).toEqual([
    [{ field: 'rate', message: 'must be a number such as 1.0823', value: 'x' }],
  ]);
});
