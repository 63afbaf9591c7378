/** The text of an answer around its `meta`, which is of the request. */
type Kept = { version: string; before: string; after: string; etag: string | undefined };

export type KeptAnswers = {
  /** Null was asked for before, and not kept. */
  get(name: string): Kept | null | undefined;
  set(name: string, kept: Kept | null): void;
};

/** The ones used last, in as many bytes of memory. */
export function createKeptAnswers(mostBytes: number): KeptAnswers {
  const answers = new Map<string, Kept | null>();
  let bytes = 0;

  function remove(name: string): void {
    const kept = answers.get(name);
    if (answers.delete(name)) bytes -= bytesOf(name, kept);
  }
  return {
    get: (name) => answers.get(name),
    // The oldest entry is the first.
    set(name, kept) {
      remove(name);
      answers.set(name, kept);
      bytes += bytesOf(name, kept);
      for (const oldest of answers.keys()) {
        if (bytes <= mostBytes) break;
        remove(oldest);
      }
    },
  };
}

/** A character may take two. */
function bytesOf(name: string, kept: Kept | null | undefined): number {
  return 200 + 2 * (name.length + (kept ? kept.before.length + kept.after.length : 0));
}
