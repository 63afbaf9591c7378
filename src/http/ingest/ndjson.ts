import type { Readable } from 'node:stream';

export const maxLineBytes = 64 * 1024;

export type Problem = 'line_too_long' | 'row_too_long' | 'malformed';
export type Line = { index: number; bytes: number } & ({ row: unknown } | { problem: Problem });

const utf8 = new TextDecoder('utf-8', { fatal: true });
const newline = 0x0a;

/** The lines of a stream as parsed JSON, without blank lines. Memory never holds more than a line and the current chunk. */
export async function* readLines(stream: Readable): AsyncGenerator<Line> {
  let index = 0;
  let parts: Buffer[] = [];
  let length = 0;

  function take(): Line | undefined {
    const bytes = Buffer.concat(parts);
    const tooLong = length > maxLineBytes;
    parts = [];
    length = 0;
    if (tooLong) return { index: index++, bytes: 0, problem: 'line_too_long' };
    return parseLine(bytes, () => index++);
  }

  function add(bytes: Buffer): void {
    length += bytes.length;
    // A line that is already too long is counted but not stored.
    if (length <= maxLineBytes) parts.push(bytes);
    else parts = [];
  }

  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line) yield line;
    }
    if (start < chunk.length) add(Buffer.from(chunk.subarray(start)));
  }
  const last = length > 0 ? take() : undefined;
  if (last) yield last;
}

function parseLine(bytes: Buffer, next: () => number): Line | undefined {
  try {
    const text = utf8.decode(bytes).trim();
    if (text === '') return undefined;
    const row: unknown = JSON.parse(text);
    return { index: next(), bytes: bytes.length, row };
  } catch {
    return { index: next(), bytes: bytes.length, problem: 'malformed' };
  }
}
