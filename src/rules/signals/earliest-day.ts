import type { SignalType } from '../../vocabulary.ts';
import type { ExistingSignal, OpportunityRef } from './facts.ts';

/**
 * The earliest day on which a rule may have been satisfied. A rule fires only on facts that satisfy it now. But once fired,
 * a signal stays for its full lifetime although the window moves on and weights decay: it is enough that the facts satisfied
 * the rule on the day it fired, or on any day since.
 */
export function earliestDay(
  existing: ExistingSignal[],
  type: SignalType,
  opportunity: OpportunityRef,
  now: Date,
): Date {
  const active = existing.find(
    (signal) => isActive(signal) && signal.type === type && signal.opportunity === opportunity,
  );
  return active && active.fired_at < now ? active.fired_at : now;
}

export function isActive({ state }: ExistingSignal): boolean {
  return state === 'new' || state === 'in_progress';
}
