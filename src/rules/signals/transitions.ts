import { restoredState, type SignalEnd, type SignalState, signalTransitions } from '../../vocabulary.ts';

/** What a client's change of state means; to ask for the present state is no change and no error. */
export function transition(
  from: SignalState,
  to: SignalState,
  endedBy: SignalEnd | null = null,
): 'changed' | 'unchanged' | 'refused' {
  if (from === to) return 'unchanged';
  return allowedTargets(from, endedBy).includes(to) ? 'changed' : 'refused';
}

/** The states that a client may set from this one, apart from itself. */
export function allowedTargets(from: SignalState, endedBy: SignalEnd | null = null): SignalState[] {
  if (from === 'expired' && endedBy === 'dismissed') return [restoredState];
  return signalTransitions[from].map(({ to }) => to);
}
