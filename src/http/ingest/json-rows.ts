import { invalidField } from '../../contract/error.ts';
import type { Line } from './ndjson.ts';

/** The size of a whole body on other routes. No valid row is longer, even with a hundred URLs of 2,048 characters. */
export const maxRowBytes = 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const [quote, backslash, comma, openArray, closeArray, openObject, closeObject] = Buffer.from('"\\,[]{}');

/**
 * The rows of a JSON array, each parsed only when it is needed: the values of 16 MiB can take 28 times as much memory and
 * seconds to parse. If every element is JSON, so is the array; only the ends of the elements have to be found.
 */
export function* readArray(body: Buffer): Generator<Line> {
  let at = skipBlank(body, body.subarray(0, 3).equals(byteOrderMark) ? 3 : 0);
  if (body[at] !== openArray) throw invalidField('body', 'invalid_type', 'must be an array of rows');
  at = skipBlank(body, at + 1);
  if (body[at] !== closeArray) {
    for (let index = 0; ; index++) {
      const end = endOfElement(body, at);
      yield parseRow(body.subarray(at, end), index);
      at = end;
      if (body[end] !== comma) break;
      at = skipBlank(body, end + 1);
    }
  }
  if (body[at] !== closeArray || skipBlank(body, at + 1) < body.length) throw notJson();
}

const byteOrderMark = Buffer.from('\ufeff');

function parseRow(bytes: Buffer, index: number): Line {
  if (bytes.length > maxRowBytes) return { index, bytes: bytes.length, problem: 'row_too_long' };
  try {
    return { index, bytes: bytes.length, row: JSON.parse(utf8.decode(bytes)) };
  } catch (error) {
    throw error instanceof TypeError ? invalidField('body', 'malformed', 'is not valid UTF-8') : notJson();
  }
}

/** The position of the comma or bracket that ends the element, if any. */
function endOfElement(body: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  for (; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) at = endOfString(body, at);
    else if (byte === openObject || byte === openArray) depth++;
    else if (depth === 0 && (byte === comma || byte === closeArray)) return at;
    else if (byte === closeObject || byte === closeArray) depth--;
  }
  return at;
}

function endOfString(body: Buffer, start: number): number {
  let at = start + 1;
  for (; at < body.length && body[at] !== quote; at++) if (body[at] === backslash) at++;
  return at;
}

function skipBlank(body: Buffer, start: number): number {
  let at = start;
  for (let byte = body[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = body[at])
    at++;
  return at;
}

function notJson(): Error {
  return invalidField('body', 'malformed', 'is not valid JSON');
}
