import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { Loading, LoadMore, type Pages, Problem, useRetry } from './feedback.tsx';

type LoadedProps<T> = {
  query: { data: T | undefined; error: Error | null; isPending: boolean };
  rows?: number;
  /** Replaces the placeholder while it loads. */
  loading?: ReactNode;
  children: (data: T) => ReactNode;
};

/** The result of a query, or its loading or error state. A loaded record stays if a refresh fails. */
export function Loaded<T>({ query, rows = 6, loading, children }: LoadedProps<T>) {
  const { data, error, isPending } = query;
  const retry = useRetry();
  return (
    <>
      {isPending && (loading ?? <Loading rows={rows} />)}
      {error && !data && <Problem error={error} retry={retry} />}
      {data && children(data)}
    </>
  );
}

type TogetherProps = { queries: { isPending: boolean }[]; loading?: ReactNode; children: ReactNode };

/**
 * Appears when all of it is loaded, so that no part moves when another one arrives. Until then it is there but hidden: parts
 * that are mounted only afterwards would ask again for what has failed, and so on without end.
 */
export function Together({ queries, loading = <TwoLists />, children }: TogetherProps) {
  const isLoading = queries.some(({ isPending }) => isPending);
  return (
    <>
      {isLoading && loading}
      <div className={isLoading ? 'not-yet' : 'together'}>{children}</div>
    </>
  );
}

function TwoLists() {
  return (
    <div className="columns">
      {['left', 'right'].map((side) => (
        <div key={side} className="card">
          <Loading shape="table" rows={4} />
        </div>
      ))}
    </div>
  );
}

export type ListQuery<T> = Pages & {
  data: { pages: { data: T[] }[] } | undefined;
  isPending: boolean;
  isSuccess: boolean;
};

type ListProps<T> = {
  query: ListQuery<T>;
  /** Rows of the placeholder while the list loads. */
  rows?: number;
  shape?: ComponentProps<typeof Loading>['shape'];
  empty: ReactNode;
  /** The label of the button that loads more; without it, the page has its own. */
  more?: string;
};

type ListingProps<T> = ListProps<T> & { children: (items: T[]) => ReactNode };

export function Listing<T>({ query, rows = 6, shape = 'lines', empty, more, children }: ListingProps<T>) {
  const retry = useRetry();
  const items = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      {query.isPending && <Loading rows={rows} shape={shape} />}
      {/* If the next page failed, the button that loads more says so. */}
      {query.error && !query.isFetchNextPageError && <Problem error={query.error} retry={retry} />}
      {query.isSuccess && items.length === 0 && empty}
      {items.length > 0 && children(items)}
      {more && <LoadMore pages={query} what={more} />}
    </>
  );
}

type HeadProps = {
  columns: string[];
  /** Columns of numbers, after the others. */
  numbers?: string[] | undefined;
  /** The label of the button column for screen readers. */
  action?: string | undefined;
};

export function TableHead({ columns, numbers = [], action }: HeadProps) {
  return (
    <thead>
      <tr>
        {[...columns, ...numbers].map((name, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name, and none ever moves
          <th key={index} scope="col" className={index < columns.length ? undefined : 'number'}>
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
  );
}

type TableProps<T> = ListProps<T> & HeadProps & { className: string; row: (item: T) => ReactNode };

export function ListTable<T>({ className, columns, numbers, action, row, ...list }: TableProps<T>) {
  return (
    <Listing shape="table" {...list}>
      {(items) => (
        <table className={className}>
          <TableHead columns={columns} numbers={numbers} action={action} />
          <tbody>{items.map(row)}</tbody>
        </table>
      )}
    </Listing>
  );
}

type NoRowsProps = {
  /** Active filters, which may be the reason for an empty list; what they filter; and the page that shows everything. */
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
