import type { ValidateFunction } from 'ajv';
import {
  crossFieldErrors,
  type FactKind,
  type FactRow,
  factKinds,
  formOf,
  type RowForm,
  rowSchemas,
} from '../contract/ingest.ts';
import type { IngestRow } from '../domain/ingest/fold.ts';
import type { RowError } from '../domain/ingest/ingest.ts';
import { compileSchema, fieldErrors, unstorable } from './validation.ts';

const validators = Object.fromEntries(
  factKinds.map((kind) => [
    kind,
    { full: compileSchema(rowSchemas[kind].full), withdrawal: compileSchema(rowSchemas[kind].withdrawal) },
  ]),
) as Record<FactKind, Record<RowForm, ValidateFunction>>;

/** Sorts rows of any shape into those that satisfy their schema and the errors of those that do not. */
export function checkRows<K extends FactKind>(
  kind: K,
  rows: Iterable<{ index: number; row: unknown }>,
): { good: IngestRow<K>[]; errors: RowError[]; rejected: number } {
  const good: IngestRow<K>[] = [];
  const errors: RowError[] = [];
  let rejected = 0;
  for (const { index, row } of rows) {
    const form = formOf(row);
    const validate = validators[kind][form];
    const details = validate(row)
      ? [...unstorable(row), ...crossFieldErrors(kind, row as FactRow<K>)]
      : fieldErrors(validate.errors ?? [], 'row');
    if (details.length === 0) {
      good.push({ index, form, row } as IngestRow<K>);
    } else {
      rejected++;
      for (const detail of details) errors.push({ index, ...detail });
    }
  }
  return { good, errors, rejected };
}
