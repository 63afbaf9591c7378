/**
 * Lets the work of one organization run one piece at a time, before it takes a connection: what would only wait for the
 * organization's lock in the database must not hold the connections of everybody else meanwhile.
 */
export type Turns = <T>(orgId: string, run: () => Promise<T>) => Promise<T>;

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (orgId, run) => {
    const before = last.get(orgId) ?? Promise.resolve();
    const mine = before.then(run, run);
    last.set(orgId, mine);
    try {
      return await mine;
    } finally {
      if (last.get(orgId) === mine) last.delete(orgId);
    }
  };
}
