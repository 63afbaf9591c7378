import { Button, Skeleton } from '@mantine/core';
import { type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { ClientError } from '../../src/client/client-error.ts';

type LoadingProps = { rows?: number; shape?: keyof typeof shapes };

/** A placeholder in the shape of what follows, so that nothing moves when it arrives. */
export function Loading({ rows = 6, shape = 'lines' }: LoadingProps) {
  const Row = shapes[shape];
  return (
    <div className={`loading loading-${shape}`} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <Row key={row} width={`${[62, 88, 74][row % 3]}%`} />
      ))}
    </div>
  );
}

const shapes = {
  lines: ({ width }: { width: string }) => <Skeleton height={14} width={width} />,
  table: ({ width }: { width: string }) => (
    <div className="loading-row">
      <div>
        <Skeleton height={14} width={width} />
        <Skeleton height={10} width="40%" />
      </div>
      <Skeleton height={14} />
      <Skeleton height={14} />
    </div>
  ),
  chart: () => <Skeleton height={240} />,
  figure: () => (
    <>
      <Skeleton height={32} width="45%" />
      <Skeleton height={12} width="75%" />
    </>
  ),
};

/** The placeholder of a page about one record: a heading, two figures, and two columns. */
export function LoadingPage() {
  const card = (name: string, shape: keyof typeof shapes, rows: number) => (
    <div key={name} className="card">
      <Loading shape={shape} rows={rows} />
    </div>
  );
  return (
    <>
      <Skeleton height={28} width="min(24rem, 80%)" />
      <div className="figures">{['first', 'second'].map((name) => card(name, 'figure', 1))}</div>
      <div className="columns main-and-side">
        {card('main', 'table', 6)}
        {card('side', 'lines', 10)}
      </div>
    </>
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
          Whoever runs the service can create a key with this scope. Then sign in with that key.
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
