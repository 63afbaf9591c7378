/**
 * Lets the work of one organization run one piece at a time, before it takes a connection: what would only wait for the
 * organization's lock in the database must not hold the connections of everybody else meanwhile.
 */
export type Turns = {
  <T>(orgId: string, run: () => Promise<T>): Promise<T>;
  /** Somebody is loading: work runs, or did a moment ago. */
  isBusy(): boolean;
};

/** The pieces of a stream follow each other closer than this. */
const momentMs = 1_000;

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  let endedAt = Number.NEGATIVE_INFINITY;
  const turns: Turns = async (orgId, run) => {
    const before = last.get(orgId) ?? Promise.resolve();
    const mine = before.then(run, run);
    last.set(orgId, mine);
    try {
      return await mine;
    } finally {
      endedAt = performance.now();
      if (last.get(orgId) === mine) last.delete(orgId);
    }
  };
  turns.isBusy = () => last.size > 0 || performance.now() - endedAt < momentMs;
  return turns;
}
