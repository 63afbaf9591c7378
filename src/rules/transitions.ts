import type { SignalState } from '../contract/signal.ts';

/** What a client's change of state means; to ask for the present state is no change and no error. */
export function transition(from: SignalState, to: SignalState): 'changed' | 'unchanged' | 'refused' {
  if (from === to) return 'unchanged';
  return targets[from].includes(to) ? 'changed' : 'refused';
}

/** The states that a client may set from this one, apart from itself. */
export function allowedTargets(from: SignalState): readonly SignalState[] {
  return targets[from];
}

const targets: Record<SignalState, readonly SignalState[]> = {
  new: ['in_progress', 'handled', 'expired'],
  in_progress: ['new', 'handled', 'expired'],
  handled: ['in_progress'],
  expired: [],
};
