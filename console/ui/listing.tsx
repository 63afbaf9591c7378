import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Loading, Problem, useRetry } from './feedback.tsx';

type State = { error: Error | null; isPending: boolean };

/** What a query has loaded, or that it loads or failed. A record that is shown stays when a refresh fails. */
export function Loaded<T>({
  query: { data, error, isPending },
  rows = 6,
  children,
}: {
  query: State & { data: T | undefined };
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  const retry = useRetry();
  return (
    <>
      {isPending && <Loading rows={rows} />}
      {error && !data && <Problem error={error} retry={retry} />}
      {data && children(data)}
    </>
  );
}

type ListProps<T> = {
  query: State & {
    data: { pages: { data: T[] }[] } | undefined;
    isSuccess: boolean;
    /** Said below the list, by the button that loads more. */
    isFetchNextPageError: boolean;
  };
  /** Of the placeholder, while the list loads. */
  rows?: number;
  empty: ReactNode;
};

export function Listing<T>({
  query,
  rows = 6,
  empty,
  children,
}: ListProps<T> & { children: (items: T[]) => ReactNode }) {
  const retry = useRetry();
  const items = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      {query.isPending && <Loading rows={rows} />}
      {query.error && !query.isFetchNextPageError && <Problem error={query.error} retry={retry} />}
      {query.isSuccess && items.length === 0 && empty}
      {items.length > 0 && children(items)}
    </>
  );
}

type TableProps<T> = ListProps<T> & {
  className: string;
  columns: string[];
  /** Columns of numbers, after the others. */
  numbers?: string[];
  /** Names the column of the rows' button to screen readers. */
  action?: string;
  row: (item: T) => ReactNode;
};

export function ListTable<T>({ className, columns, numbers = [], action, row, ...list }: TableProps<T>) {
  return (
    <Listing {...list}>
      {(items) => (
        <table className={className}>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              {numbers.map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
              {action && (
                <th scope="col">
                  <span className="unseen">{action}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>{items.map(row)}</tbody>
        </table>
      )}
    </Listing>
  );
}

type NoRowsProps = {
  /** The filters that may be the reason, what they filter, and the page that shows all of it. */
  filtered?: { by: object; what: string; to: '/signals' | '/partners' | '/attribution' };
  none: string;
  children: ReactNode;
};

export function NoRows({ filtered, none, children }: NoRowsProps) {
  const hides = filtered && Object.values(filtered.by).some((value) => value !== undefined) && filtered;
  return (
    <div className="message" role="status">
      <p className="strong">{hides ? `No ${hides.what} match these filters.` : none}</p>
      {hides ? (
        <Link to={hides.to} search={{}}>
          Show all {hides.what}
        </Link>
      ) : (
        <p className="soft">{children}</p>
      )}
    </div>
  );
}
