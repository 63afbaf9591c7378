import { Button, Skeleton } from '@mantine/core';
import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { ClientError } from '../../src/client/client-error.ts';

export function Loading({ rows = 6 }: { rows?: number }) {
  return (
    <div className="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <Skeleton key={row} height={14} width={`${[62, 88, 74][row % 3]}%`} />
      ))}
    </div>
  );
}

export function Problem({ error, retry }: { error: unknown; retry: () => void }) {
  const known = error instanceof ClientError ? error : undefined;
  return (
    <div className="message" role="alert">
      <p className="strong">
        {known?.message ?? 'Something went wrong on this page. Reload it and try again.'}
      </p>
      {known?.code === 'forbidden' && (
        <p className="soft">
          Sign in with a key that has this permission. Whoever runs the service can create one.
        </p>
      )}
      {known?.request_id && (
        <p className="soft small">
          Request ID <code>{known.request_id}</code>
        </p>
      )}
      <Button variant="default" onClick={retry}>
        Try again
      </Button>
    </div>
  );
}

/** Reloads everything on the page that failed: it usually failed for the same reason. */
export function useRetry(): () => void {
  const queries = useQueryClient();
  return () =>
    void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
}

export type Pages = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage(): unknown;
};

export function LoadMore({ pages, what }: { pages: Pages; what: string }) {
  if (!pages.hasNextPage) return null;
  if (pages.isFetchNextPageError && !pages.isFetchingNextPage)
    return <Problem error={pages.error} retry={() => void pages.fetchNextPage()} />;
  return (
    <div className="more">
      <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        Load more {what}
      </Button>
    </div>
  );
}

/** Reloads a list from its first page, and what may have changed with it. */
export function Refresh({ list, also }: { list: string[]; also: QueryFilters }) {
  const queries = useQueryClient();
  function refresh() {
    void queries.resetQueries({ queryKey: list });
    void queries.invalidateQueries(also);
  }
  return (
    <Button variant="subtle" className="quiet" onClick={refresh}>
      Refresh
    </Button>
  );
}
