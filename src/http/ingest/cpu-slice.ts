/** Long enough that the pauses cost little, short enough that the database rarely waits for its next statement. */
const sliceMs = 2;

let last: Promise<unknown> = Promise.resolve();

/**
 * Time for one part of a long loop. Each iteration of the event loop grants one slice, however many loops wait, so a request
 * waits for a slice of another batch and never for the whole batch.
 */
export async function nextCpuSlice(): Promise<{ isOver(): boolean }> {
  const mine = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  last = mine;
  await mine;
  const end = performance.now() + sliceMs;
  return { isOver: () => performance.now() > end };
}
