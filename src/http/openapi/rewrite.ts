type Node = Record<string, unknown>;

const dataMembers = new Set(['example', 'examples', 'enum', 'const', 'default']);

/** Passes every object of a document to `change`, innermost first. Examples and other data stay unchanged. */
export function rewrite(node: unknown, change: (node: Node) => unknown): unknown {
  if (Array.isArray(node)) return node.map((member) => rewrite(member, change));
  if (typeof node !== 'object' || node === null) return node;
  return change(
    Object.fromEntries(
      Object.entries(node).map(([name, member]) => [
        name,
        dataMembers.has(name) ? member : rewrite(member, change),
      ]),
    ),
  );
}
