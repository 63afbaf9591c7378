/**
 * Lets so many at a time through for each key. One that stays longer than `slowMs` no longer counts: it keeps nobody
 * waiting but for that moment, however many of its kind there are.
 */
export function createGate({ places, slowMs }: { places: number; slowMs: number }): {
  /** Resolves when there is a place, with the way to give it back. */
  enter(key: string): Promise<() => void>;
} {
  const doors = new Map<string, { taken: number; waiting: (() => void)[] }>();

  return {
    async enter(key) {
      const door = doors.get(key) ?? { taken: 0, waiting: [] };
      doors.set(key, door);
      if (door.taken < places) door.taken++;
      else await new Promise<void>((resolve) => door.waiting.push(resolve));

      let inside = true;
      const leave = () => {
        if (!inside) return;
        inside = false;
        clearTimeout(timer);
        // The place goes straight to the next one, so that nobody slips in between.
        const next = door.waiting.shift();
        if (next) next();
        else if (--door.taken === 0) doors.delete(key);
      };
      const timer = setTimeout(leave, slowMs);
      return leave;
    },
  };
}
