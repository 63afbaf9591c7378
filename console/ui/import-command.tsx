import type { FactKind } from '../../src/vocabulary.ts';

/** How to import one kind of data from a terminal. */
export function ImportCommand({ kind }: { kind: FactKind }) {
  return (
    <code className="command">
      npx partner-signals import {kind} {kind}.csv
    </code>
  );
}
