import type { List } from './types.ts';

/** A list that is read on demand: item by item across pages, page by page, or a single page. */
export type Pages<Page extends List<unknown>> = AsyncIterable<Page['data'][number]> & {
  /** The page of the query's cursor, or the first one. */
  page(): Promise<Page>;
  pages(): AsyncGenerator<Page, void>;
  /** The whole list as CSV, up to 100,000 rows; ignores `limit` and `cursor` of the query. */
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
