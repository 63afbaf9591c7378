import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import type { Client } from '../src/client/client.ts';
import type { Pages } from '../src/client/pages.ts';
import type { List, PartnerQuery, Signal, SignalDetail, SignalQuery, Tagged } from '../src/client/types.ts';

export function signalSummary({ signals }: Client) {
  return queryOptions({
    queryKey: ['signal-summary'],
    queryFn: async ({ signal }) => (await signals.summary({ signal })).data,
  });
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

export function partnerList({ partners }: Client, filters: PartnerQuery) {
  return pages(['partners', filters], (page, call) =>
    partners.list({ ...filters, ...page, limit: 100 }, call),
  );
}

export function partnerDetail({ partners }: Client, id: string) {
  return queryOptions({
    queryKey: ['partner', id],
    queryFn: async ({ signal }) => (await partners.get(id, { signal })).data,
  });
}

export function partnerOverlaps({ partners }: Client, id: string) {
  return pages(['partner', id, 'overlaps'], (page, call) =>
    partners.overlaps(id, { ...page, limit: 10 }, call),
  );
}

export function partnerActivities({ partners }: Client, id: string) {
  return pages(['partner', id, 'activities'], (page, call) =>
    partners.activities(id, { ...page, limit: 10 }, call),
  );
}

/**
 * Puts a changed signal where it is shown. It stays in a feed whose filter it no longer matches, until that is read
 * anew: a row that vanishes under the pointer would make the next click hit another.
 */
export function showChange(queries: QueryClient, changed: Tagged<SignalDetail>): void {
  const { id, state } = changed.data;
  queries.setQueryData(['signal', id], changed);
  queries.setQueriesData<InfiniteData<List<Signal>>>({ queryKey: ['signals'] }, (feed) =>
    feed
      ? {
          ...feed,
          pages: feed.pages.map((page) => ({
            ...page,
            data: page.data.map((signal) => (signal.id === id ? { ...signal, state } : signal)),
          })),
        }
      : feed,
  );
  void queries.invalidateQueries({ queryKey: ['signal-summary'] });
  void queries.invalidateQueries({ queryKey: ['partner', changed.data.partner.id], exact: true });
}

type Read<T> = (page: { cursor: string | undefined }, call: { signal: AbortSignal }) => Pages<List<T>>;

function pages<T>(queryKey: readonly unknown[], read: Read<T>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read({ cursor: pageParam }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor,
  });
}
