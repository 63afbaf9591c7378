import type { ValidateFunction } from 'ajv';
import { type FactKind, factKinds } from '../vocabulary.ts';
import type { ErrorDetail } from './error.ts';
import { crossFieldErrors, type FactRow, type RowForm, rowSchemas } from './ingest.ts';
import { compileSchema, fieldErrors, tooManyMembers, unstorable } from './values/validation.ts';

const validators = Object.fromEntries(
  factKinds.map((kind) => [
    kind,
    {
      full: compileSchema(rowSchemas[kind].full),
      merge: compileSchema(rowSchemas[kind].merge),
      withdrawal: compileSchema(rowSchemas[kind].withdrawal),
    },
  ]),
) as Record<FactKind, Record<RowForm, ValidateFunction>>;

/** Checks a row of any shape. Errors are formatted only when the caller asks for them. */
export function rowErrors(kind: FactKind, form: RowForm, row: unknown): (() => ErrorDetail[]) | undefined {
  const plain = isPlain(row);
  const tooMany = plain ? [] : tooManyMembers(row);
  if (tooMany.length > 0) return () => tooMany;
  const validate = validators[kind][form];
  if (!validate(row)) return () => fieldErrors(validate.errors ?? [], 'row');
  const details = crossFieldErrors(kind, row as FactRow<FactKind>, form);
  if (!plain) details.unshift(...unstorable(row));
  return details.length > 0 ? () => details : undefined;
}

/** Few members, all numbers or storable texts: most rows need no further check. */
function isPlain(row: unknown): boolean {
  if (typeof row !== 'object' || row === null) return false;
  let members = 0;
  for (const name in row) {
    const value: unknown = row[name as keyof typeof row];
    if (++members > 50 || name === '__proto__' || (typeof value === 'object' && value !== null)) return false;
    if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0'))) return false;
  }
  return true;
}
