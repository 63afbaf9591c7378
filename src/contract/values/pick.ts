import type { Static, TObject } from 'typebox';

/** Keeps only the fields that are in the schema. */
export function pick<S extends TObject>(schema: S, from: Static<S>): Static<S> {
  const fields = Object.keys(schema.properties).map((name) => [
    name,
    (from as Record<string, unknown>)[name],
  ]);
  return Object.fromEntries(fields) as Static<S>;
}
