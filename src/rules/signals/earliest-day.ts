import type { SignalType } from '../../vocabulary.ts';
import type { ExistingSignal, OpportunityRef } from './facts.ts';

/**
 * The earliest day as of which a rule may have held. A rule fires only on what holds now; but once fired, a signal
 * lives out its life although the window moves on and weights decay, so what held on the day it fired, or on any
 * day since, keeps it.
 */
export function heldSince(
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
