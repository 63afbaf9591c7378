/** Waits for `promise`, and fails with what did not happen, which a test timeout would not say. */
export async function within<T>(
  seconds: number,
  what: string | (() => string),
  promise: Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`not within ${seconds} seconds: ${typeof what === 'string' ? what : what()}`));
    }, seconds * 1_000);
  });
  return Promise.race([promise, tooLate]).finally(() => clearTimeout(timer));
}
