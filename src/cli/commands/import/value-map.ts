import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mappable, type ValueMap, valueKey } from '../../../import/choices.ts';
import { fieldsOf } from '../../../import/columns.ts';
import type { FactKind } from '../../../vocabulary.ts';
import { usageError } from '../../terminal/exit-codes.ts';
import { readJsonFile } from '../../terminal/values.ts';
import { inWords } from '../../terminal/words.ts';

/** Remembers the answers for the files of a folder, next to them, where people can edit or delete it. */
const rememberedName = 'partner-signals.values.json';

export function valueMapPath(file: string, given: string | undefined): string {
  return given ?? (file === '-' ? rememberedName : join(dirname(file), rememberedName));
}

/** `{"tier": {"Gold": 1}, "stage": {"Signed": "won"}}`. A file named by a flag must exist. */
export async function readValueMap(path: string, given: boolean): Promise<ValueMap> {
  if (!given && !existsSync(path)) return {};
  const map: ValueMap = {};
  for (const [field, values] of Object.entries(await readSpelled(path))) {
    for (const [text, target] of Object.entries(values)) add(map, path, field, text, String(target));
  }
  return map;
}

/** Adds answers, with the spelling of the imported file. Writes atomically. */
export async function saveAnswers(path: string, answers: ValueMap): Promise<void> {
  const spelled = existsSync(path) ? await readSpelled(path) : {};
  for (const [field, values] of Object.entries(answers)) spelled[field] = { ...spelled[field], ...values };
  await writeFile(`${path}.new`, `${JSON.stringify(spelled, null, 2)}\n`, { flush: true });
  await rename(`${path}.new`, path);
}

async function readSpelled(path: string): Promise<Record<string, Record<string, unknown>>> {
  const content = await readJsonFile(path);
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(content) || !Object.values(content as object).every(isObject))
    throw usageError(`${path}: expected an object of fields and their values, like {"tier": {"Gold": 1}}.`);
  return content as Record<string, Record<string, unknown>>;
}

/** `tier:Gold=1`. The value can contain an equals sign, its meaning cannot. */
export function readValueFlags(kind: FactKind, flags: string[] = []): ValueMap {
  const map: ValueMap = {};
  for (const flag of flags) {
    const [, field, text, target] = /^(\w+):(.+)=([^=]*)$/s.exec(flag) ?? [];
    if (field === undefined || text === undefined || target === undefined)
      throw usageError(`--map-value: expected field:value=meaning, like tier:Gold=1, not "${flag}".`);
    if (!fieldsOf(kind).includes(field))
      throw usageError(`--map-value: ${inWords(kind)} have no field "${field}".`);
    add(map, '--map-value', field, text, target);
  }
  return map;
}

/** `--won-stage` and the like. */
export function readStageFlags(flags: Record<'open' | 'won' | 'lost', string[] | undefined>): ValueMap {
  const map: ValueMap = {};
  for (const [status, stages] of Object.entries(flags))
    for (const stage of stages ?? []) add(map, `--${status}-stage`, 'stage', stage, status);
  return map;
}

/** Later maps win. */
export function mergeValues(...maps: ValueMap[]): ValueMap {
  const merged: ValueMap = {};
  for (const map of maps)
    for (const [field, values] of Object.entries(map)) merged[field] = { ...merged[field], ...values };
  return merged;
}

/** A person's answers, keyed for lookup. */
export function toLookup(answers: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(answers).map(([field, values]) => [
      field,
      Object.fromEntries(Object.entries(values).map(([text, target]) => [valueKey(text), target])),
    ]),
  );
}

function add(map: ValueMap, origin: string, field: string, text: string, target: string): void {
  const choice = Object.hasOwn(mappable, field) ? mappable[field] : undefined;
  if (!choice)
    throw usageError(
      `${origin}: values of "${field}" cannot be mapped. You can map values of ${Object.keys(mappable).join(', ')}.`,
    );
  const meaning = target.trim() === '' ? '' : choice.read(target.trim());
  if (meaning === undefined)
    throw usageError(`${origin}: ${field} must be ${choice.takes}, not "${target}".`);
  map[field] = { ...map[field], [valueKey(text)]: String(meaning) };
}
