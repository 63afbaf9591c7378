import type { ValidateFunction } from 'ajv';
import type { ErrorDetail } from '../contract/error.ts';
import {
  crossFieldErrors,
  type FactKind,
  type FactRow,
  factKinds,
  formOf,
  maxListedErrors,
  type RowForm,
  rowSchemas,
} from '../contract/ingest.ts';
import type { IngestRow } from '../domain/ingest/fold.ts';
import type { RowError } from '../domain/ingest/ingest.ts';
import { compileSchema, fieldErrors, tooManyMembers, unstorable } from './validation.ts';

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
    const tooMany = tooManyMembers(row);
    const isGood = tooMany.length === 0 && validate(row);
    // Beyond those that are listed, what is wrong with a row need not be put into words.
    const details = !isGood && errors.length >= maxListedErrors ? null : detailsOf(row);
    if (details?.length === 0) {
      good.push({ index, form, row } as IngestRow<K>);
    } else {
      rejected++;
      for (const detail of details ?? []) errors.push({ index, ...detail });
    }

    function detailsOf(row: unknown): ErrorDetail[] {
      if (isGood) return [...unstorable(row), ...crossFieldErrors(kind, row as FactRow<K>)];
      return tooMany.length > 0 ? tooMany : fieldErrors(validate.errors ?? [], 'row');
    }
  }
  return { good, errors, rejected };
}
