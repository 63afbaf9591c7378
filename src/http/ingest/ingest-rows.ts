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
 * Rows of any shape, sorted one by one into those that satisfy their schema and the errors of those that do not. Of a
 * good row only what is used is kept, and of a bad one only its errors: what a caller packs into either takes no memory.
 */
export class CheckedRows<K extends FactKind> {
  readonly good: IngestRow<K>[] = [];
  readonly errors: RowError[] = [];
  received = 0;
  rejected = 0;
  readonly #kind: K;
  readonly #form: RowForm;

  /** The form of rows that are no withdrawals. */
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
    if (errors) this.#reject(index, errors);
    else this.good.push({ index, form, row: used(this.#kind, form, line.row) } as IngestRow<K>);
  }

  /** Beyond those that are listed, what is wrong with a row need not be put into words. */
  #reject(index: number, details: () => ErrorDetail[]): void {
    this.rejected++;
    if (this.errors.length >= maxListedErrors) return;
    for (const detail of details()) this.errors.push({ index, ...detail });
  }
}

function used(kind: FactKind, form: RowForm, row: unknown): unknown {
  return form === 'withdrawal' ? withoutIgnored(kind, row as FactWithdrawal<FactKind>) : row;
}

/**
 * The most memory that a batch takes until it is written, by its bytes: those themselves, once more while they arrive, and
 * its good rows, which take 1.1 times their bytes, 1.9 with one letter beyond Latin-1 in each text, and 4.4 where they
 * are a hundred short domains each; 10,000 errors take 4 MiB, which 80 KB are enough to cause (Node 20).
 */
export function weighBatch(bytes: number): number {
  return 6 * bytes + 4 * 1024 * 1024;
}

const problems: Record<Problem, ErrorDetail> = {
  line_too_long: { field: 'row', code: 'too_long', message: `must have at most ${maxLineBytes} bytes` },
  row_too_long: { field: 'row', code: 'too_long', message: `must have at most ${maxRowBytes} bytes` },
  malformed: { field: 'row', code: 'malformed', message: 'is not valid JSON in UTF-8' },
};
