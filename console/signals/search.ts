import type { SignalQuery, SignalSummary } from '../../src/client/types.ts';
import { endReasons, type SignalState, type SignalType, signalTypes } from '../../src/vocabulary.ts';

/** The filters in the URL of the page. Without a state, it shows open signals, by priority. */
export type SignalSearch = Pick<
  SignalQuery,
  'q' | 'type' | 'end_reason' | 'partner_id' | 'account_id' | 'owner' | 'assignee'
> & {
  state?: SignalQuery['state'] | 'all' | undefined;
  sort?: 'fired_at' | undefined;
};

export const openStates = ['new', 'in_progress'] as const;

/** Why a signal can expire. All others are handled. */
export const expiryReasons = endReasons.filter((reason) => reason !== 'handled');

/** Only open signals have a priority, so all others are listed newest first. */
export function toQuery({ state, sort, ...filters }: SignalSearch): SignalQuery {
  if (state === 'all') return filters;
  if (isEnded(state)) return { ...filters, state };
  return { ...filters, state, ...(sort ? { min_priority: 0 } : { sort: 'priority' }) };
}

export function isEnded(state: SignalSearch['state']): state is 'handled' | 'expired' {
  return state === 'handled' || state === 'expired';
}

/** How many signals are in these states, of all types or of these. */
export function totalOf(
  { by_type }: SignalSummary,
  states: readonly SignalState[],
  types: readonly SignalType[] = signalTypes,
): number {
  const counts = types.flatMap((type) => states.map((state) => by_type[type][state]));
  return counts.reduce((sum, count) => sum + count, 0);
}
