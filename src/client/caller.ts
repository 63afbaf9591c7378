import { type Pages, pagesOf } from './pages.ts';
import {
  type CallOptions,
  type ClientOptions,
  checkOptions,
  type Query,
  type Request,
  send,
} from './send.ts';
import type { List, One, PageQuery, Tagged } from './types.ts';

type Rest = Pick<Request, 'query' | 'body' | 'headers'>;

/** The kinds of operations: one resource, one with its ETag, a list, or no response body. */
export function caller(options: ClientOptions) {
  checkOptions(options);
  /** For large CSV files. */
  const patient = { ...options, timeoutMs: Math.max(options.timeoutMs ?? 0, 600_000) };
  async function csv(path: string, query: Query, call?: CallOptions): Promise<string> {
    const headers = { Accept: 'text/csv' };
    return (await send<string>(patient, { method: 'GET', path, query, headers }, call)).body;
  }

  return {
    csv,

    async one<T>(method: Request['method'], path: string, rest: Rest, call?: CallOptions): Promise<One<T>> {
      return (await send<One<T>>(options, { method, path, ...rest }, call)).body;
    },

    async tagged<T>(
      method: Request['method'],
      path: string,
      rest: Rest,
      call?: CallOptions,
    ): Promise<Tagged<T>> {
      const { body, etag } = await send<One<T>>(options, { method, path, ...rest }, call);
      return { ...body, etag };
    },

    list<Item, Page extends List<Item> = List<Item>>(
      path: string,
      query: Query & PageQuery,
      call?: CallOptions,
    ): Pages<Page> {
      return pagesOf(
        async (cursor) =>
          (await send<Page>(options, { method: 'GET', path, query: { ...query, cursor } }, call)).body,
        query.cursor,
        () => csv(path, { ...query, limit: undefined, cursor: undefined }, call),
      );
    },

    async none(method: Request['method'], path: string, call?: CallOptions): Promise<void> {
      await send(options, { method, path }, call);
    },
  };
}

/** Encodes an identifier for a path, so that it cannot lead to another path. */
export function part(id: string): string {
  return encodeURIComponent(id);
}
