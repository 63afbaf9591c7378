import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runImport } from './run.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ps-import-'));
});
afterAll(() => rm(dir, { recursive: true }));

test.each([
  [
    'latin1.csv',
    Buffer.from('Id,Name\n1,Müller\n', 'latin1'),
    1,
    /not valid UTF-8\. .*--encoding windows-1252/,
  ],
  ['utf16.csv', Buffer.from('Id,Name\n1,a\n', 'utf16le'), 1, /--encoding utf-16le/],
  ['book.csv', 'PK\x03\x04\0\0', 1, /is a spreadsheet or an archive\. Save it as CSV/],
  ['quote.csv', 'Id,Name\n1,a\n2,"b\n', 1, /line 3: .* never closed\. .*--restart/],
  ['array.json', '[{"Id":1},', 1, /is not valid JSON: /],
  ['empty.csv', '', 1, /is empty\.$/],
  ['book.xlsx', 'x', 2, /book\.xlsx is a spreadsheet\. Save it as CSV \(UTF-8\) first/],
  ['book.ODS', 'x', 2, /is a spreadsheet/],
  ['book.dat', 'x', 2, /Add --format csv/],
])('%s cannot be imported, and the message says what to do', async (name, content, exitCode, message) => {
  const file = join(dir, name);
  await writeFile(file, content);
  const options = { batchRows: 100, timeZone: 'UTC', dryRun: true } as never;
  await expect(runImport('accounts', file, options)).rejects.toMatchObject({
    exitCode,
    message: expect.stringMatching(message),
  });
});
