/** Long enough that the pauses cost little, short enough that the database seldom waits for its next statement. */
const sliceMs = 2;

let last: Promise<unknown> = Promise.resolve();

/**
 * A turn at the processor for a loop that may be long. One begins in each iteration of the event loop, however many ask
 * for one, so that a request waits for slices of others' batches and never for the batches.
 */
export async function nextSlice(): Promise<{ isOver(): boolean }> {
  const mine = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  last = mine;
  await mine;
  const end = performance.now() + sliceMs;
  return { isOver: () => performance.now() > end };
}
