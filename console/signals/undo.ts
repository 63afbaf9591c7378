import type { Signal, SignalChange } from '../../src/client/types.ts';
import { restoredState, type SignalState, signalTransitions } from '../../src/vocabulary.ts';

/**
 * The changes that take signals back to how they were, in one or two batches: a signal that was in progress when it was
 * dismissed becomes new first.
 */
export function undoSteps(before: Signal[], after: Signal[]): SignalChange[][] {
  const steps: SignalChange[][] = [[], []];
  for (const { id, state, assignee } of after) {
    const old = before.find((signal) => signal.id === id);
    if (!old) continue;
    const [first, second] = path(state, old.state);
    const reassigned = assignee?.email !== old.assignee?.email;
    if (first || reassigned)
      steps[0]?.push({
        id,
        ...(first && { state: first }),
        ...(reassigned && { assignee: old.assignee as SignalChange['assignee'] & object }),
      });
    if (second) steps[1]?.push({ id, state: second });
  }
  return steps.filter((items) => items.length > 0);
}

function path(from: SignalState, to: SignalState): SignalState[] {
  if (from === to) return [];
  const next: SignalState[] =
    from === 'expired' ? [restoredState] : signalTransitions[from].map((step) => step.to);
  return next.includes(to) ? [to] : [...next.slice(0, 1), to];
}
