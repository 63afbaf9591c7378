type Origin = { inFlight: number; waiting: Map<string, (() => void)[]> };

/**
 * Limits the requests in flight to one origin, such as a platform that hosts many webhooks. A request that takes longer
 * than `slowMs` no longer counts, so receivers that hang hold up the others only for that long. Parties (organizations)
 * that wait take turns.
 */
export function createOriginLimit({ maxInFlight, slowMs }: { maxInFlight: number; slowMs: number }): {
  /** Resolves when a request may start, with the function to call when it has ended. */
  start(origin: string, party: string): Promise<() => void>;
} {
  const origins = new Map<string, Origin>();

  return {
    async start(name, party) {
      const origin = origins.get(name) ?? { inFlight: 0, waiting: new Map() };
      origins.set(name, origin);
      if (origin.inFlight < maxInFlight) origin.inFlight++;
      else await new Promise<void>((resolve) => addWaiting(origin, party, resolve));

      let isCounted = true;
      const end = () => {
        if (!isCounted) return;
        isCounted = false;
        clearTimeout(timer);
        // The next one that waits takes over, so that no later request gets ahead of it.
        const next = takeWaiting(origin);
        if (next) next();
        else if (--origin.inFlight === 0) origins.delete(name);
      };
      const timer = setTimeout(end, slowMs);
      return end;
    },
  };
}

function addWaiting({ waiting }: Origin, party: string, resolve: () => void): void {
  const theirs = waiting.get(party);
  if (theirs) theirs.push(resolve);
  else waiting.set(party, [resolve]);
}

/** Takes one of the first party, which is then the last. */
function takeWaiting({ waiting }: Origin): (() => void) | undefined {
  const [first] = waiting;
  if (!first) return undefined;
  const [party, theirs] = first;
  const next = theirs.shift();
  waiting.delete(party);
  if (theirs.length > 0) waiting.set(party, theirs);
  return next;
}
