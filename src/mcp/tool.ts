import type { Static, TObject } from 'typebox';
import type { ApiError } from '../contract/error.ts';
import type { OrganizationId } from '../contract/ids.ts';
import type { FactsTx, Reader, Tx } from '../store/db/tx.ts';
import type { Keyring } from '../store/keys/keyring.ts';
import type { ChangedBy } from '../store/signals/signal-changes.ts';
import type { Scope } from '../vocabulary.ts';

/** One request from an assistant, and everything a tool can use to answer it. */
export type Ask = {
  orgId: OrganizationId;
  scopes: readonly Scope[];
  /** The author of a change, including the assistant. */
  by: ChangedBy;
  /** In `preview`, and in `run` of a tool that only reads, all reads use one snapshot. */
  db: Reader;
  report: <T>(run: (db: Reader) => Promise<T>) => Promise<T>;
  /** Runs a change in one transaction, which is rolled back if the call is cancelled. */
  write: <T>(run: (tx: Tx) => Promise<T>) => Promise<T>;
  facts: <T>(run: (tx: FactsTx) => Promise<T>) => Promise<T>;
  keyring: Keyring;
  /** Returns the URL of a console page. */
  link: (path: string) => string;
  /** Aborted when the caller closes the connection, which is how a call is cancelled. */
  signal: AbortSignal;
  /** Turns an error into what the caller may see; unexpected errors are logged. */
  explain: (error: unknown) => ApiError;
};

type Spec<In extends TObject, Out extends TObject> = {
  name: string;
  title: string;
  description: string;
  /** The same scope as that of the corresponding route. */
  scope: Scope;
  input: In;
  output: Out;
  run: (ask: Ask, input: Static<In>) => Promise<Static<Out>>;
  /** For a tool that changes data: describes the change, as a question to the person. */
  preview?: (ask: Ask, input: Static<In>) => Promise<string>;
  /** Set if the tool can do something that cannot be undone. */
  destructive?: true;
};
export type Tool = Spec<TObject, TObject>;

/** The schemas give `run` its types. */
export function tool<In extends TObject, Out extends TObject>(spec: Spec<In, Out>): Tool {
  return spec as unknown as Tool;
}
