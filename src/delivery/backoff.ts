/** Seconds after each failed attempt: eleven attempts over about 52 hours, then a delivery is given up. */
export const retrySteps = [5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 72_000];

/**
 * Seconds until the next attempt, or null to give up. `random` (0 to 1) spreads it by a fifth either way. A receiver's
 * Retry-After makes it later, up to the length of the step after this one.
 */
export function nextDelay(attempts: number, retryAfterSeconds: number | null, random: number): number | null {
  const step = retrySteps[attempts - 1];
  if (step === undefined) return null;
  const spread = step * (0.8 + 0.4 * random);
  const longest = retrySteps[attempts] ?? step;
  return Math.max(spread, Math.min(retryAfterSeconds ?? 0, longest));
}
