/**
 * Lets so many at a time through for each key. One that stays longer than `slowMs` no longer counts: it keeps nobody
 * waiting but for that moment, however many of its kind there are. Those who wait go in turns between their parties, so
 * that a crowd holds up only its own.
 */
export function createGate({ places, slowMs }: { places: number; slowMs: number }): {
  /** Resolves when there is a place, with the way to give it back. */
  enter(key: string, party: string): Promise<() => void>;
} {
  const doors = new Map<string, { taken: number; waiting: Map<string, (() => void)[]> }>();

  return {
    async enter(key, party) {
      const door = doors.get(key) ?? { taken: 0, waiting: new Map() };
      doors.set(key, door);
      if (door.taken < places) door.taken++;
      else {
        await new Promise<void>((resolve) => {
          const theirs = door.waiting.get(party);
          if (theirs) theirs.push(resolve);
          else door.waiting.set(party, [resolve]);
        });
      }

      let inside = true;
      const leave = () => {
        if (!inside) return;
        inside = false;
        clearTimeout(timer);
        // The place goes straight to the next one, so that nobody slips in between.
        const next = nextOf(door.waiting);
        if (next) next();
        else if (--door.taken === 0) doors.delete(key);
      };
      const timer = setTimeout(leave, slowMs);
      return leave;
    },
  };
}

/** Takes one of the party that comes first, which then comes last. */
function nextOf(waiting: Map<string, (() => void)[]>): (() => void) | undefined {
  const [first] = waiting;
  if (!first) return undefined;
  const [party, theirs] = first;
  const next = theirs.shift();
  waiting.delete(party);
  if (theirs.length > 0) waiting.set(party, theirs);
  return next;
}
