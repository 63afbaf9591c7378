import { type EndReason, restoredState, type SignalState, signalTransitions } from '../../vocabulary.ts';

/** Setting the current state again is neither a change nor an error. */
export function transition(
  from: SignalState,
  to: SignalState,
  endReason: EndReason | null = null,
): 'changed' | 'unchanged' | 'refused' {
  if (from === to) return 'unchanged';
  return allowedTargets(from, endReason).includes(to) ? 'changed' : 'refused';
}

/** The states that a client may set, apart from the current one. */
export function allowedTargets(from: SignalState, endReason: EndReason | null = null): SignalState[] {
  if (from === 'expired' && endReason === 'dismissed') return [restoredState];
  return signalTransitions[from].map(({ to }) => to);
}
