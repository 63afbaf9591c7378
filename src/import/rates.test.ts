import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createColumnMap } from './columns.ts';
import { oneRateEach } from './rates.ts';
import { openSource } from './records.ts';
import { readRows } from './rows.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ps-rates-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function rowsOf(text: string) {
  const path = join(dir, 'rates.csv');
  await writeFile(path, text);
  const source = oneRateEach(await openSource(path, {}));
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
