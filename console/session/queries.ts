import {
  type InfiniteData,
  infiniteQueryOptions,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import type { Pages } from '../../src/client/pages.ts';
import type { List, One } from '../../src/client/types.ts';
import { hasCode } from '../ui/outcome.tsx';

/** Requests are few: each one counts against the organization's rate limit, which its integrations share. */
export function createQueries(onRefusedKey: () => void): QueryClient {
  const onError = (error: Error) => {
    if (hasCode(error, 'unauthorized')) onRefusedKey();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Without a network, fail and say so instead of waiting silently.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 30_000,
        // Going back shows a list with all loaded pages, however long ago that was.
        gcTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        retry: false,
      },
    },
  });
}

type Call = { signal: AbortSignal };
type Read<T> = (page: { cursor: string | undefined }, call: Call) => Pages<List<T>>;

/** A list that loads page by page. */
export function pages<T>(queryKey: readonly unknown[], read: Read<T>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read({ cursor: pageParam }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor,
  });
}

/** One record, without the response envelope. */
export function record<T>(queryKey: readonly unknown[], read: (call: Call) => Promise<One<T>>) {
  return queryOptions({ queryKey, queryFn: async ({ signal }) => (await read({ signal })).data });
}

/** Changes a row in every loaded list whose key starts with `queryKey`. */
export function changeRow<T extends { id: string }>(
  queries: QueryClient,
  queryKey: readonly unknown[],
  id: string,
  change: Partial<T>,
): void {
  queries.setQueriesData<InfiniteData<List<T>>>({ queryKey }, (list) =>
    list
      ? {
          ...list,
          pages: list.pages.map((page) => ({
            ...page,
            data: page.data.map((row) => (row.id === id ? { ...row, ...change } : row)),
          })),
        }
      : list,
  );
}
