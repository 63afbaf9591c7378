import { mappable, type ValueMap, valueKey } from '../../../import/choices.ts';
import { createColumnMap, fieldsOf, missingFields } from '../../../import/columns.ts';
import type { Conventions } from '../../../import/convert.ts';
import type { Reading } from '../../../import/rows.ts';
import type { Format, Source } from '../../../import/source.ts';
import type { FactKind } from '../../../vocabulary.ts';
import type { ClientConnection } from '../../connection.ts';
import { usageError } from '../../terminal/exit-codes.ts';
import type { JsonOption } from '../../terminal/output.ts';
import { readJsonFile } from '../../terminal/values.ts';
import { inWords } from '../../terminal/words.ts';
import { readAnswers, valueMapPath } from './files.ts';

export type ImportOptions = ClientConnection &
  JsonOption &
  Pick<Conventions, 'dates' | 'decimal' | 'timeZone'> & {
    format?: Format;
    encoding?: string;
    map?: string[];
    mapFile?: string;
    set?: string[];
    default?: string[];
    mapValue?: string[];
    valueMap?: string;
    openStage?: string[];
    wonStage?: string[];
    lostStage?: string[];
    refuseUnknown?: boolean;
    backfill?: boolean;
    dryRun?: boolean;
    restart?: boolean;
    yes?: boolean;
    batchRows: number;
  };

/** How to read a file, according to the command and to remembered answers. */
export async function createReading(kind: FactKind, file: string, options: ImportOptions): Promise<Reading> {
  const { dates, decimal, timeZone, openStage, wonStage, lostStage } = options;
  const overrides = {
    ...(await readMapFile(kind, options.mapFile)),
    ...readAssignments(kind, '--map', options.map),
  };
  const values: ValueMap = {};
  await addValueFile(values, valueMapPath(file, options.valueMap), options.valueMap !== undefined);
  addValueFlags(values, kind, options.mapValue);
  addStageFlags(values, { open: openStage, won: wonStage, lost: lostStage });
  return {
    kind,
    columns: createColumnMap(kind, overrides),
    overrides,
    set: readAssignments(kind, '--set', options.set),
    defaults: readAssignments(kind, '--default', options.default),
    conventions: { dates, decimal, timeZone, values },
  };
}

/** Stops if a named column does not exist, or if a required field has no value. */
export function checkMapping({ kind, columns, overrides, set, defaults }: Reading, { layout }: Source): void {
  const there = `The file has these columns: ${columns.columns().join(', ')}.`;
  const absent = Object.entries(overrides).filter(
    ([field, column]) => column !== '' && !columns.columnOf.has(field),
  );
  if (layout === 'csv' && absent.length > 0)
    throw usageError(`There is no column ${absent.map(([, column]) => column).join(', ')}. ${there}`);
  const missing = missingFields(
    kind,
    (field) => columns.columnOf.has(field) || set[field] !== undefined || defaults[field] !== undefined,
  );
  const orDomain =
    missing.includes('account_crm_id') && kind === 'activities'
      ? ' A domain can replace account_crm_id.'
      : '';
  if (missing.length > 0)
    throw usageError(
      `No column maps to these required fields: ${missing.join(', ')}. ${there} Choose a column with --map ${missing[0]}=…, or set one value for all rows with --set ${missing[0]}=….${orDomain}`,
    );
}

async function readMapFile(kind: FactKind, file: string | undefined): Promise<Record<string, string>> {
  if (file === undefined) return {};
  const map = await readJsonFile(file);
  if (
    typeof map !== 'object' ||
    map === null ||
    Object.values(map).some((column) => typeof column !== 'string')
  )
    throw usageError(`${file}: expected a JSON object like {"field": "Column"}.`);
  for (const field of Object.keys(map)) checkedField(kind, file, field);
  return map as Record<string, string>;
}

/** Parses `field=text` options; every field must exist. */
export function readAssignments(
  kind: FactKind,
  option: string,
  assignments: string[] = [],
): Record<string, string> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const at = assignment.indexOf('=');
      const field = assignment.slice(0, Math.max(at, 0)).trim();
      if (at < 1) throw usageError(`${option}: expected field=…, not "${assignment}".`);
      return [checkedField(kind, option, field), assignment.slice(at + 1).trim()];
    }),
  );
}

function checkedField(kind: FactKind, option: string, field: string): string {
  const fields = fieldsOf(kind);
  if (!fields.includes(field))
    throw usageError(
      `${option}: ${inWords(kind)} have no field "${field}". Use one of ${fields.join(', ')}.`,
    );
  return field;
}

/** `{"tier": {"Gold": 1}, "stage": {"Signed": "won"}}`. A file named by a flag must exist. */
async function addValueFile(map: ValueMap, path: string, given: boolean): Promise<void> {
  for (const [field, values] of Object.entries(await readAnswers(path, given)))
    for (const [text, target] of Object.entries(values)) add(map, path, field, text, String(target));
}

/** `tier:Gold=1`. The value can contain an equals sign, its meaning cannot. */
function addValueFlags(map: ValueMap, kind: FactKind, flags: string[] = []): void {
  for (const flag of flags) {
    const [, field, text, target] = /^(\w+):(.+)=([^=]*)$/s.exec(flag) ?? [];
    if (field === undefined || text === undefined || target === undefined)
      throw usageError(`--map-value: expected field:value=meaning, like tier:Gold=1, not "${flag}".`);
    if (!fieldsOf(kind).includes(field))
      throw usageError(`--map-value: ${inWords(kind)} have no field "${field}".`);
    add(map, '--map-value', field, text, target);
  }
}

/** `--won-stage` and the like. */
function addStageFlags(map: ValueMap, flags: Record<string, string[] | undefined>): void {
  for (const [status, stages] of Object.entries(flags))
    for (const stage of stages ?? []) add(map, `--${status}-stage`, 'stage', stage, status);
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
