import type { ErrorDetail } from '../../contract/error.ts';
import {
  type FactWithdrawal,
  formOf,
  maxListedErrors,
  type RowForm,
  withoutIgnored,
} from '../../contract/ingest.ts';
import { rowErrors } from '../../contract/row-errors.ts';
import type { RowError } from '../../domain/ingest/ingest.ts';
import type { IngestRow } from '../../domain/ingest/ledger.ts';
import type { FactKind } from '../../vocabulary.ts';
import { maxRowBytes } from './json-rows.ts';
import { type Line, maxLineBytes, type Problem } from './ndjson.ts';

/**
 * Checks rows of any shape one by one. It keeps only the used fields of a valid row and only the errors of an invalid one,
 * so anything else in a row takes no memory.
 */
export class CheckedRows<K extends FactKind> {
  readonly good: IngestRow<K>[] = [];
  readonly errors: RowError[] = [];
  received = 0;
  rejected = 0;
  readonly #kind: K;
  readonly #form: RowForm;

  /** `form` applies to rows that are not withdrawals. */
  constructor(kind: K, form: 'full' | 'merge' = 'full') {
    this.#kind = kind;
    this.#form = form;
  }

  add(line: Line): void {
    this.received++;
    const { index } = line;
    if ('problem' in line) {
      this.#reject(index, () => [problems[line.problem]]);
      return;
    }
    const form = formOf(line.row, this.#form);
    const errors = rowErrors(this.#kind, form, line.row);
    const row = form === 'withdrawal' ? withoutIgnored(this.#kind, line.row as FactWithdrawal<K>) : line.row;
    if (errors) this.#reject(index, errors);
    else this.good.push({ index, form, row } as IngestRow<K>);
  }

  /** Errors beyond those that are listed are counted, not formatted. */
  #reject(index: number, details: () => ErrorDetail[]): void {
    this.rejected++;
    if (this.errors.length >= maxListedErrors) return;
    for (const detail of details()) this.errors.push({ index, ...detail });
  }
}

/**
 * The most memory that a batch takes until it is written: its bytes, once more while they arrive, and its valid rows. These
 * take 1.1 times their bytes, 1.9 times with one letter beyond Latin-1 in each text, and 4.4 times if each has a hundred
 * short domains. 10,000 errors take 4 MiB, and 80 KB of rows can cause them (Node 20).
 */
export function weighBatch(bytes: number): number {
  return 6 * bytes + 4 * 1024 * 1024;
}

const problems: Record<Problem, ErrorDetail> = {
  line_too_long: { field: 'row', code: 'too_long', message: `must have at most ${maxLineBytes} bytes` },
  row_too_long: { field: 'row', code: 'too_long', message: `must have at most ${maxRowBytes} bytes` },
  malformed: { field: 'row', code: 'malformed', message: 'is not valid JSON in UTF-8' },
};
