import { Children, type ReactNode } from 'react';

/** The links to the pages above this one, and the name of this one as soon as it is known. */
export function Breadcrumbs({ page, children }: { page: string | undefined; children: ReactNode }) {
  return (
    <nav className="crumbs" aria-label="Breadcrumbs">
      <ol>
        {Children.map(children, (parent) => parent && <li>{parent}</li>)}
        {page !== undefined && (
          <li aria-current="page">
            <bdi title={page}>{page}</bdi>
          </li>
        )}
      </ol>
    </nav>
  );
}
