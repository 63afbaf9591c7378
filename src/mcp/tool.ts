import type { Static, TObject } from 'typebox';
import type { ApiError } from '../contract/error.ts';
import type { OrganizationId } from '../contract/ids.ts';
import type { FactsTx, Reader, Tx } from '../store/db/tx.ts';
import type { Keyring } from '../store/keys/keyring.ts';
import type { ChangedBy } from '../store/signals/signal-changes.ts';
import type { Scope } from '../vocabulary.ts';

/** One request of an assistant, and what a tool can reach for it. */
export type Ask = {
  orgId: OrganizationId;
  scopes: readonly Scope[];
  /** Who makes a change, with the assistant that it is made through. */
  by: ChangedBy;
  /** For reads. In `run` of a tool that only reads, and in `preview`, all of them are of one moment. */
  db: Reader;
  report: <T>(run: (db: Reader) => Promise<T>) => Promise<T>;
  /** A change in one transaction, undone if the call is cancelled meanwhile. */
  write: <T>(run: (tx: Tx) => Promise<T>) => Promise<T>;
  facts: <T>(run: (tx: FactsTx) => Promise<T>) => Promise<T>;
  keyring: Keyring;
  /** A page of the console. */
  link: (path: string) => string;
  /** Aborted when the caller hangs up, which is how a call is cancelled. */
  signal: AbortSignal;
  /** What a caller is told of an error; one that nobody expected is logged. */
  explain: (error: unknown) => ApiError;
};

type Spec<In extends TObject, Out extends TObject> = {
  name: string;
  title: string;
  description: string;
  /** The scope that the route of the same function requires. */
  scope: Scope;
  input: In;
  output: Out;
  run: (ask: Ask, input: Static<In>) => Promise<Static<Out>>;
  /** Of a tool that changes something: what would change, as a question to the person. */
  preview?: (ask: Ask, input: Static<In>) => Promise<string>;
  /** Whether it can do what cannot be undone. */
  destructive?: true;
};
export type Tool = Spec<TObject, TObject>;

/** A row of the table of tools; its schemas give `run` its types. */
export function tool<In extends TObject, Out extends TObject>(spec: Spec<In, Out>): Tool {
  return spec as unknown as Tool;
}
