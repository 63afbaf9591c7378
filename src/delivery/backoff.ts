import { retrySteps } from '../vocabulary.ts';

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
