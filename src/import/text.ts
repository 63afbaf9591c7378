import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandError, usageError } from '../cli/terminal/exit-codes.ts';

export type SourceText = {
  /** For messages. */
  name: string;
  /** Enough of the beginning to recognize the format. */
  head: string;
  /** Everything including the head; can be read once. */
  chunks: AsyncGenerator<string>;
  /** Spreadsheets need the mark to recognize UTF-8: a file that had one gets one back. */
  byteOrderMark: boolean;
  /** The share that has been read, from 0 to 1. */
  share(): number;
};

const headBytes = 64 * 1024;

/** Opens a file as text and detects its encoding. */
export async function openText(
  file: string,
  encoding: string | undefined,
  name: string,
): Promise<SourceText> {
  const size = await fileSize(file);
  const input = createReadStream(file);
  const chunks = input.iterator() as AsyncIterator<Buffer>;
  const bytes = await readHead(chunks);
  const mark = byteOrderMark(bytes);
  const text = decode(name, bytes, chunks, encoding ?? mark ?? guessUtf8(name, bytes));
  const { value: head = '' } = await text.next();
  return {
    name,
    head,
    chunks: concat([head], text),
    byteOrderMark: mark !== undefined,
    share: () => Math.min(1, input.bytesRead / (size || 1)),
  };
}

async function fileSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw usageError(`File not found: ${file}`);
  return found.size;
}

async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < headBytes) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}

function byteOrderMark(head: Buffer): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 'utf-8' : undefined;
}

function guessUtf8(name: string, head: Buffer): string {
  if (head.subarray(0, 4).equals(Buffer.from('PK\x03\x04')))
    throw new CommandError(`${name} is a spreadsheet or an archive. Save it as CSV (UTF-8) first.`);
  if (head.includes(0))
    throw new CommandError(
      `${name} is not UTF-8 text. If it is UTF-16, use --encoding utf-16le; otherwise export it as CSV (UTF-8).`,
    );
  return 'utf-8';
}

async function* decode(
  name: string,
  head: Buffer,
  rest: AsyncIterator<Buffer>,
  encoding: string,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    yield decoder.decode(head, { stream: true });
    for (let next = await rest.next(); !next.done; next = await rest.next())
      yield decoder.decode(next.value, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new CommandError(
      `${name} is not valid ${encoding.toUpperCase()}. Export it as UTF-8, or name its encoding; Excel often writes --encoding windows-1252.`,
    );
  } finally {
    await rest.return?.();
  }
}

export async function* concat<T>(head: T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* head;
  yield* rest;
}
