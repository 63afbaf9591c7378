import { CommandError } from '../cli/terminal/exit-codes.ts';
import type { SourceRecord } from './record.ts';
import type { SourceText } from './text.ts';

const maxLineCharacters = 1024 * 1024;
/** An array has to be read completely before its first element can be used. */
const maxArrayCharacters = 100_000_000;

/** JSON lines, or one JSON array. */
export function readJson(text: SourceText): AsyncGenerator<SourceRecord> {
  return text.head.trimStart().startsWith('[') ? elementsOf(text) : linesOf(text);
}

async function* linesOf({ name, chunks }: SourceText): AsyncGenerator<SourceRecord> {
  let line = 0;
  let open = '';
  for await (const text of chunks) {
    const lines = (open + text).split('\n');
    open = lines.pop() ?? '';
    if (open.length > maxLineCharacters)
      throw new CommandError(`${name}, line ${line + lines.length + 1}: the line is longer than 1 MiB.`);
    for (const text of lines) {
      line++;
      if (text.trim() !== '') yield fromJson(line, text);
    }
  }
  if (open.trim() !== '') yield fromJson(line + 1, open);
}

async function* elementsOf({ name, chunks }: SourceText): AsyncGenerator<SourceRecord> {
  let text = '';
  for await (const part of chunks) {
    text += part;
    if (text.length > maxArrayCharacters)
      throw new CommandError(
        `${name} is a JSON array of more than 100 million characters. Convert it to one object per line first: jq -c '.[]' file.json > file.ndjson`,
      );
  }
  let values: unknown[];
  try {
    values = JSON.parse(text) as unknown[];
  } catch (error) {
    throw new CommandError(`${name} is not valid JSON: ${(error as Error).message}`);
  }
  for (const [index, value] of values.entries()) yield fromValue(index + 1, value);
}

function fromJson(line: number, text: string): SourceRecord {
  try {
    return fromValue(line, JSON.parse(text));
  } catch {
    return { line, cells: {}, source: text.trim(), problem: 'is not valid JSON' };
  }
}

function fromValue(line: number, value: unknown): SourceRecord {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { line, cells: value as Record<string, unknown>, source: value };
  return { line, cells: {}, source: JSON.stringify(value), problem: 'is not a JSON object' };
}
