import { restoredState, type SignalEnd, type SignalState, signalTransitions } from '../../vocabulary.ts';

/** Setting the current state again is neither a change nor an error. */
export function transition(
  from: SignalState,
  to: SignalState,
  endedBy: SignalEnd | null = null,
): 'changed' | 'unchanged' | 'refused' {
  if (from === to) return 'unchanged';
  return allowedTargets(from, endedBy).includes(to) ? 'changed' : 'refused';
}

/** The states that a client may set, apart from the current one. */
export function allowedTargets(from: SignalState, endedBy: SignalEnd | null = null): SignalState[] {
  if (from === 'expired' && endedBy === 'dismissed') return [restoredState];
  return signalTransitions[from].map(({ to }) => to);
}
