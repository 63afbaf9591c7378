import type { SignalQuery } from '../../src/client/types.ts';

/** The filters in the URL of the page. Without a state, it shows open signals, by priority. */
export type SignalSearch = Pick<
  SignalQuery,
  'q' | 'type' | 'partner_id' | 'account_id' | 'owner' | 'assignee'
> & {
  state?: SignalQuery['state'] | 'all' | undefined;
  sort?: 'fired_at' | undefined;
};

/** Only open signals have a priority, so that all others are listed newest first. */
export function toQuery({ state, sort, ...filters }: SignalSearch): SignalQuery {
  if (state === 'all') return filters;
  if (isEnded(state)) return { ...filters, state };
  return { ...filters, state, ...(sort ? { min_priority: 0 } : { sort: 'priority' }) };
}

export function isEnded(state: SignalSearch['state']): state is 'handled' | 'expired' {
  return state === 'handled' || state === 'expired';
}
