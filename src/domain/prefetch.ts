/**
 * What `read` answers for each step of these items, in their order. The steps after the current one are read meanwhile,
 * so that the database is at work while a step is being decided about; `read` must not depend on what comes of others.
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
    // A statement that came after the end of its transaction would run in another one.
    await Promise.allSettled(ahead);
  }
}

const stepsAhead = 2;

/** For what is waited for later: until then, nobody hears that it failed. */
export function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
