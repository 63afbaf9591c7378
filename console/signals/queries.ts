import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Client } from '../../src/client/client.ts';
import type { Signal, SignalDetail, SignalQuery, Tagged } from '../../src/client/types.ts';
import { changeRow, pages, record } from '../session/queries.ts';

export function signalSummary({ signals }: Client) {
  return record(['signal-summary'], (call) => signals.summary(call));
}

export function signalFeed({ signals }: Client, filters: SignalQuery) {
  return pages(['signals', filters], (page, call) => signals.list({ ...filters, ...page }, call));
}

export function signalDetail({ signals }: Client, id: string) {
  return queryOptions({
    queryKey: ['signal', id],
    queryFn: ({ signal }) => signals.get(id, { signal }),
  });
}

/** Shows a change that was made to one signal. */
export function showChange(queries: QueryClient, changed: Tagged<SignalDetail>): void {
  queries.setQueryData(['signal', changed.data.id], changed);
  showSignals(queries, [changed.data], false);
}

/**
 * Shows changed signals wherever they appear. They stay in a feed whose filter they no longer match until the feed
 * reloads: if a row disappeared under the pointer, the next click would hit another one.
 */
export function showSignals(queries: QueryClient, changed: Signal[], reload = true): void {
  for (const { id, state, assignee, priority, partner } of changed) {
    changeRow<Signal>(queries, ['signals'], id, { state, assignee, priority });
    if (reload) void queries.invalidateQueries({ queryKey: ['signal', id] });
    void queries.invalidateQueries({ queryKey: ['partner', partner.id], exact: true });
  }
  // Other lists may now have more or fewer.
  void queries.invalidateQueries({ queryKey: ['signals'], type: 'inactive', refetchType: 'none' });
  void queries.invalidateQueries({ queryKey: ['signal-summary'] });
}
