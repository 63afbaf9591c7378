import { checkedField, createColumnMap, missingFields, readAssignments } from '../../../import/columns.ts';
import type { Source } from '../../../import/records.ts';
import type { Reading } from '../../../import/rows.ts';
import type { FactKind } from '../../../vocabulary.ts';
import { usageError } from '../../terminal/exit-codes.ts';
import { readJsonFile } from '../../terminal/values.ts';
import type { ImportOptions } from './options.ts';
import { mergeValues, readStageFlags, readValueFlags, readValueMap, valueMapPath } from './value-map.ts';

/** How to read a file, according to the command and to remembered answers. */
export async function createReading(kind: FactKind, file: string, options: ImportOptions): Promise<Reading> {
  const { dates, decimal, timeZone, openStage, wonStage, lostStage } = options;
  const overrides = {
    ...(await readMapFile(kind, options.mapFile)),
    ...readAssignments(kind, '--map', options.map),
  };
  const values = mergeValues(
    await readValueMap(valueMapPath(file, options.valueMap), options.valueMap !== undefined),
    readValueFlags(kind, options.mapValue),
    readStageFlags({ open: openStage, won: wonStage, lost: lostStage }),
  );
  return {
    kind,
    columns: createColumnMap(kind, overrides),
    overrides,
    set: readAssignments(kind, '--set', options.set),
    defaults: readAssignments(kind, '--default', options.default),
    conventions: { dates, decimal, timeZone, values },
  };
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
  if (missing.length > 0)
    throw usageError(
      `No column maps to these required fields: ${missing.join(', ')}. ${there} Choose a column with --map ${missing[0]}=…, or set one value for all rows with --set ${missing[0]}=….`,
    );
}
