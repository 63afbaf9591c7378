import type { List } from './types.ts';

/** A list that is read when it is asked for: item by item over all its pages, page by page, or one page of it. */
export type Pages<Page extends List<unknown>> = AsyncIterable<Page['data'][number]> & {
  /** The page that the query names: the first one, or that of its cursor. */
  page(): Promise<Page>;
  pages(): AsyncGenerator<Page, void>;
  /** All of it as CSV, up to 100,000 rows; `limit` and `cursor` of the query do not count. */
  csv(): Promise<string>;
};

export function pagesOf<Page extends List<unknown>>(
  read: (cursor: string | undefined) => Promise<Page>,
  cursor: string | undefined,
  csv: () => Promise<string>,
): Pages<Page> {
  async function* pages(): AsyncGenerator<Page, void> {
    for (let next = cursor; ; ) {
      const page = await read(next);
      yield page;
      if (!page.has_more) return;
      next = page.next_cursor;
    }
  }
  return {
    page: () => read(cursor),
    pages,
    csv,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.data as Page['data'];
    },
  };
}
