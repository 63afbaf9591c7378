import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCsvParser } from './csv.ts';

const piece = fc.constantFrom('a', 'ü', ',', ';', '"', '\n', '\r\n', '\r', ' ', 'bc');

function read(chunks: string[]): string[][] | 'unclosed' {
  const parser = createCsvParser(',');
  const records = chunks.flatMap((chunk) => [...parser.parse(chunk, false)]);
  records.push(...parser.parse('', true));
  return parser.unread() > 0 ? 'unclosed' : records;
}

function reference(text: string): string[][] | 'unclosed' {
  try {
    return parse(text, { relax_quotes: true, relax_column_count: true });
  } catch {
    return 'unclosed';
  }
}

test('any text has the cells that csv-parse finds, wherever its chunks end', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: piece, minLength: 1, maxLength: 6 })), (chunks) => {
      expect(read(chunks)).toEqual(reference(chunks.join('')));
    }),
    { numRuns: 2_000 },
  );
});
