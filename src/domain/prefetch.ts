/**
 * Yields the result of `read` for each step of the items, in order. The next steps are read ahead, so that the database
 * works while the caller processes a step. `read` must not depend on the result of other steps.
 */
export async function* readAhead<Item, Found>(
  items: Item[],
  stepItems: number,
  read: (step: Item[]) => Promise<Found>,
): AsyncGenerator<Found> {
  const ahead: Promise<Found>[] = [];
  let start = 0;
  const readMore = () => {
    for (; ahead.length < stepsAhead && start < items.length; start += stepItems)
      ahead.push(quietly(read(items.slice(start, start + stepItems))));
  };
  try {
    readMore();
    for (let next = ahead.shift(); next; next = ahead.shift()) {
      const found = await next;
      readMore();
      yield found;
    }
  } finally {
    // A statement sent after the end of its transaction would run in another one.
    await Promise.allSettled(ahead);
  }
}

const stepsAhead = 2;

/** For a promise that is awaited later: until then, a rejection would count as unhandled. */
export function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
