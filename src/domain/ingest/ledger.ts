import { isDeepStrictEqual } from 'node:util';
import type { ErrorDetail } from '../../contract/error.ts';
import type { AccountId, OpportunityId, PartnerId } from '../../contract/ids.ts';
import {
  crossFieldErrors,
  type FactMerge,
  type FactRow,
  type FactWithdrawal,
  rowSchemas,
} from '../../contract/ingest.ts';
import { personKey } from '../../contract/person.ts';
import type { FactKind } from '../../vocabulary.ts';

/** A row that satisfies its schema, and its position in the request. */
export type IngestRow<K extends FactKind> =
  | { index: number; form: 'full'; row: FactRow<K> }
  | { index: number; form: 'merge'; row: FactMerge<K> }
  | { index: number; form: 'withdrawal'; row: FactWithdrawal<K> };

export type Outcome = 'created' | 'updated' | 'unchanged' | ErrorDetail;

/** A stored fact, or one that the batch is about to write. */
type Versioned = { deleted_at: Date | null; source_updated_at: Date | null };
/** The fields of a fact that a row sets. */
export type Said<Fact> = Omit<Fact, keyof Versioned>;

/**
 * The facts that a batch affects, changed row by row as if each row came alone, and written at the end in one statement. A
 * batch can therefore contain the same fact many times.
 */
export class Ledger<Fact extends Versioned> {
  readonly #facts: Map<string, Fact>;
  readonly #written = new Map<string, Fact>();
  readonly #before = new Map<string, Fact | undefined>();

  constructor(facts: Fact[], key: (fact: Fact) => string) {
    this.#facts = new Map(facts.map((fact) => [key(fact), fact]));
  }

  get(key: string): Fact | undefined {
    return this.#facts.get(key);
  }

  /** A fact that exists and was not withdrawn. */
  alive(key: string | null | undefined): Fact | undefined {
    const fact = key ? this.get(key) : undefined;
    return fact && fact.deleted_at === null ? fact : undefined;
  }

  put(key: string, fact: Fact): void {
    if (!this.#before.has(key)) this.#before.set(key, this.#facts.get(key));
    this.#facts.set(key, fact);
    this.#written.set(key, fact);
  }

  /** Every fact to write, with its state before the batch. */
  changes(): { before: Fact | undefined; after: Fact }[] {
    return [...this.#written].map(([key, after]) => ({ before: this.#before.get(key), after }));
  }
}

/**
 * Applies one version of a fact: ignores it if the stored one is newer, or else stores `next` (or a withdrawal).
 * `sameContent` says whether two versions are equal apart from their time.
 */
export function applyVersion<Fact extends Versioned>(
  ledger: Ledger<Fact>,
  key: string,
  next: Said<Fact> | null,
  version: { source_updated_at?: string | null },
  now: Date,
): Outcome {
  const held = ledger.get(key);
  const source_updated_at = toDate(version.source_updated_at);
  if (held && isOlder(source_updated_at, held.source_updated_at)) return 'unchanged';
  const latest = source_updated_at ?? held?.source_updated_at ?? null;
  if (next === null) {
    if (!held || held.deleted_at !== null) return 'unchanged';
    ledger.put(key, { ...held, deleted_at: now, source_updated_at: latest });
    return 'updated';
  }
  const fact = { ...next, deleted_at: null, source_updated_at: latest } as Fact;
  if (!held) {
    ledger.put(key, fact);
    return 'created';
  }
  if (sameContent(held, fact)) {
    if (latest?.getTime() !== held.source_updated_at?.getTime()) ledger.put(key, fact);
    return 'unchanged';
  }
  ledger.put(key, fact);
  return 'updated';
}

/** The records that a fact refers to, by our own ids. A row has them where it leaves out the field that names the record. */
type Referred = { partner_id?: PartnerId; account_id?: AccountId; opportunity_id?: OpportunityId | null };

/** The whole row: one that is merged, over the fact that we hold. `held` has the fields of the row, and `Referred`. */
export function wholeRow<K extends FactKind>(
  kind: K,
  entry: Exclude<IngestRow<K>, { form: 'withdrawal' }>,
  held: (Pick<Versioned, 'deleted_at'> & Row) | undefined,
): { row: FactRow<K> & Referred } | ErrorDetail {
  if (entry.form === 'full') return { row: entry.row as FactRow<K> & Referred };
  const before = held?.deleted_at === null ? held : undefined;
  const missing = before
    ? undefined
    : rowSchemas[kind].full.required.find((name) => (entry.row as Row)[name] === undefined);
  if (missing) return { field: missing, code: 'required', message: 'is required, because the record is new' };
  const row = { ...before, ...entry.row } as FactRow<K> & Referred;
  return crossFieldErrors(kind, row, 'full')[0] ?? { row };
}

type Row = Record<string, unknown>;

export function sameContent<Fact extends Versioned>(a: Fact, b: Fact): boolean {
  return isDeepStrictEqual({ ...a, source_updated_at: null }, { ...b, source_updated_at: null });
}

export function toDate(text: string | Date | null | undefined): Date | null {
  return text === null || text === undefined ? null : new Date(text);
}

/** The columns of an owner from a CRM. */
export function toOwner(owner: { name: string; email?: string | null } | null | undefined) {
  return {
    owner: owner ? { name: owner.name, email: owner.email ?? null } : null,
    owner_key: personKey(owner),
  };
}

export function unknown(field: string, what: string): ErrorDetail {
  return {
    field,
    code: 'unknown_reference',
    message: `does not match a loaded ${what}; load it first`,
  };
}

function isOlder(version: Date | null, held: Date | null): boolean {
  return version !== null && held !== null && version < held;
}
