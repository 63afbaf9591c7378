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

/**
 * Shows a changed signal wherever it appears. It stays in a feed whose filter it no longer matches until the feed
 * reloads: if the row disappeared under the pointer, the next click would hit another one.
 */
export function showChange(queries: QueryClient, changed: Tagged<SignalDetail>): void {
  const { id, state } = changed.data;
  queries.setQueryData(['signal', id], changed);
  changeRow<Signal>(queries, ['signals'], id, { state });
  void queries.invalidateQueries({ queryKey: ['signal-summary'] });
  void queries.invalidateQueries({ queryKey: ['partner', changed.data.partner.id], exact: true });
}
