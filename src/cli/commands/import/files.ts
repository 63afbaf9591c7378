import { createReadStream, createWriteStream, existsSync, rmSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ValueMap } from '../../../import/choices.ts';
import { rejectsFormat } from '../../../import/refusals.ts';
import type { Refusal } from '../../../import/rows.ts';
import { type Format, formatOf, openSource, type Source } from '../../../import/source.ts';
import type { FactKind } from '../../../vocabulary.ts';
import { usageError } from '../../terminal/exit-codes.ts';
import { readJsonFile } from '../../terminal/values.ts';

export type SourceFile = Source & {
  /** The share that has been read, from 0 to 1. */
  share(): number;
};

/** Opens the file at `path` and reads its header. `file` is what the person typed: `-` for standard input. */
export async function openFile(
  kind: FactKind,
  path: string,
  file: string,
  { format = formatOf(file), encoding }: { format?: Format | undefined; encoding?: string | undefined },
): Promise<SourceFile> {
  if (!format && /\.(xlsx?|xlsm|xlsb|ods|numbers)$/i.test(file))
    throw usageError(`${file} is a spreadsheet. Save it as CSV (UTF-8) first, and import that file.`);
  if (!format)
    throw usageError(
      `Cannot tell the format of ${file === '-' ? 'standard input' : file}. Add --format csv or --format ndjson.`,
    );
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw usageError(`File not found: ${path}`);
  const input = createReadStream(path);
  const name = file === '-' ? 'Standard input' : file;
  const source = await openSource(kind, input, { format, encoding, name });
  return { ...source, share: () => Math.min(1, input.bytesRead / (found.size || 1)) };
}

/** An import reads its input twice, so standard input is copied to a file that is deleted when the process ends. */
export async function spoolInput(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'partner-signals-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'input');
  await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
  return path;
}

/**
 * Saves refused rows, each with its line and the reason, in a file that you can fix and import. Rows that an
 * interrupted import saved after its last commit are cut off, because they are written again.
 */
export async function openRejects(path: string, source: Source, keepBytes: number) {
  let file: FileHandle | undefined;
  let bytes = 0;
  if (keepBytes === 0) {
    // Someone may have fixed it by hand already.
    if (existsSync(path)) await rename(path, `${path}.old`);
  } else {
    file = await open(path, 'a');
    await file.truncate(Math.min(keepBytes, (await file.stat()).size));
    bytes = (await file.stat()).size;
  }
  const format = rejectsFormat(source);

  return {
    /** Resolves with the length of the file once everything is on disk. */
    async add(refused: Refusal[]): Promise<number> {
      if (refused.length === 0) return bytes;
      file ??= await open(path, 'a');
      const head = bytes === 0 ? format.head : '';
      const text = head + refused.map(format.row).join('');
      await file.appendFile(text);
      await file.datasync();
      bytes += Buffer.byteLength(text);
      return bytes;
    },
    async close(): Promise<void> {
      await file?.close();
    },
  };
}

/** Remembers the answers for the files of a folder, next to them, where people can edit or delete it. */
const rememberedName = 'partner-signals.values.json';

export function valueMapPath(file: string, given: string | undefined): string {
  return given ?? (file === '-' ? rememberedName : join(dirname(file), rememberedName));
}

/** Adds answers, with the spelling of the imported file. Writes atomically. */
export async function saveAnswers(path: string, answers: ValueMap): Promise<void> {
  const spelled = await readAnswers(path, false);
  for (const [field, values] of Object.entries(answers)) spelled[field] = { ...spelled[field], ...values };
  await writeFile(`${path}.new`, `${JSON.stringify(spelled, null, 2)}\n`, { flush: true });
  await rename(`${path}.new`, path);
}

/** The meanings of values, with the spelling of the imported file. A file named by a flag must exist. */
export async function readAnswers(
  path: string,
  mustExist: boolean,
): Promise<Record<string, Record<string, unknown>>> {
  if (!mustExist && !existsSync(path)) return {};
  const content = await readJsonFile(path);
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(content) || !Object.values(content as object).every(isObject))
    throw usageError(`${path}: expected an object of fields and their values, like {"tier": {"Gold": 1}}.`);
  return content as Record<string, Record<string, unknown>>;
}
