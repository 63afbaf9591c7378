import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxRowBytes, readArray } from './json-rows.ts';

const rowsOf = (text: string | Buffer) =>
  [...readArray(Buffer.from(text))].map((line) => ('row' in line ? line.row : line.problem));
const blank = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

describe('the rows of a JSON array', () => {
  test('are those that JSON.parse finds, whatever they hold and however they are spaced', () => {
    const values = fc.array(fc.tuple(blank, fc.jsonValue({ noUnicodeString: false }), blank, fc.nat(2)));
    fc.assert(
      fc.property(blank, values, blank, (before, parts, after) => {
        const elements = parts.map(
          ([left, value, right, space]) => `${left}${JSON.stringify(value, null, space)}${right}`,
        );
        const text = `${before}[${after}${elements.join(',')}]${after}`;
        expect(rowsOf(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 50 },
    );
  });

  test('are found where JSON.parse finds them and nowhere else, in a text that is cut, joined and changed', () => {
    const pieces = ['[', ']', '{', '}', ',', ':', '"', '\\', '"a"', '0', ' ', 'null', '{"a":[1]}', '"]\\""'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const text = `[${parts.join('')}]`;
        expect(attempt(() => rowsOf(text))).toEqual(attempt(() => JSON.parse(text)));
      }),
      { numRuns: 1_000 },
    );
  });

  test('begin after a byte order mark', () => {
    expect(rowsOf('\ufeff[{"a":1}]')).toEqual([{ a: 1 }]);
  });

  test('have at most 1 MiB; a longer one is skipped unread, and the next one follows', () => {
    const text = (length: number) => `"${'x'.repeat(length - 2)}"`;
    expect(rowsOf(`[${text(maxRowBytes)}]`)).toHaveLength(1);
    expect(rowsOf(`[1,${text(maxRowBytes + 1)},2]`)).toEqual([1, 'row_too_long', 2]);
  });

  test.each([
    ['{}', 'must be an array of rows'],
    ['', 'must be an array of rows'],
    ['[1] 2', 'is not valid JSON'],
    ['[1,]', 'is not valid JSON'],
    ['[', 'is not valid JSON'],
    ['["\\', 'is not valid JSON'],
    [Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), 'is not valid UTF-8'],
  ])('%j %s', (text, message) => {
    expect(() => rowsOf(text)).toThrow(message);
  });
});

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return 'refused';
  }
}
