import type {
  FastifyContextConfig,
  FastifyReply,
  FastifySchema,
  FastifyTypeProviderDefault,
  RouteShorthandOptions,
} from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { reference } from '../contract/values/field.ts';
import type { Access } from './admission/admit.ts';
import { cacheAnswers } from './answers/answer-cache.ts';
import { sendRows, wantsCsv } from './answers/export.ts';
import { Call, type PathIdName, pathIds } from './call.ts';
import type { Context } from './context.ts';
import type { Router } from './router.ts';

export const open: Access = { plane: 'open' };
export const operator: Access = { plane: 'operator' };
export const read: Access = { plane: 'client', scope: 'read' };
export const write: Access = { plane: 'client', scope: 'write' };
export const admin: Access = { plane: 'client', scope: 'admin' };

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Row<
  Path extends string,
  Query extends TSchema,
  Body extends TSchema,
  Response extends Record<number, TSchema>,
> = {
  summary: string;
  description: string;
  querystring?: Query;
  consumes?: string[];
  body?: Body;
  /** By status. */
  response: Response;
  /** The response depends only on the organization's data, the day and the URL. */
  cached?: true;
  config?: Omit<FastifyContextConfig, 'access'>;
  options?: Pick<RouteShorthandOptions, 'attachValidation' | 'bodyLimit' | 'validatorCompiler'>;
  /** For a summary: its rows as CSV with these columns. `call.page` exports lists. */
  csv?: {
    columns: readonly string[];
    rows: (
      data: Static<Response[200 & keyof Response]> extends { data: infer Data } ? Data : never,
    ) => object[];
  };
  handler: (call: Call<Path, Static<Query>, Static<Body>>) => Answer<Response>;
};

/** A handler that has sent its response returns the reply, or nothing. */
type Answer<Response extends Record<number, TSchema>> =
  | Promise<Static<Response[keyof Response & number]> | FastifyReply | undefined>
  | Promise<void>;

/**
 * The routes of a resource as a table. Each call is a row: method and path, operation ID and access come first. The schemas
 * give the handler its types; `pathIds` describes the path parameters.
 */
export function routeTable(app: Router, ctx: Context, tag: string) {
  return function route<
    const Path extends `${Method} /${string}`,
    Query extends TSchema,
    Body extends TSchema,
    const Response extends Record<number, TSchema>,
  >(path: Path, operationId: string, access: Access, row: Row<Path, Query, Body, Response>): void {
    const [method, url] = path.split(' ') as [Method, string];
    const { config, options, handler, csv, cached, ...documented } = row;
    const { properties = {} } = (row.response[200] ?? {}) as { properties?: object };
    const isList = 'next_cursor' in properties;
    const schema: FastifySchema = { operationId, tags: [tag], ...paramsOf(url), ...documented };
    app.withTypeProvider<FastifyTypeProviderDefault>().route({
      ...options,
      ...(cached ? cacheAnswers(ctx) : {}),
      method,
      url,
      config: { ...config, access, csv: isList || csv !== undefined, cached: cached ?? false },
      schema,
      handler: async (request, reply) => {
        const answer = await handler(new Call(ctx, request, reply));
        if (!csv || !wantsCsv(request)) return answer;
        return sendRows(reply, csv.columns, csv.rows((answer as { data: never }).data));
      },
    });
  };
}

function paramsOf(url: string): { params?: TSchema } {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name as PathIdName);
  if (names.length === 0) return {};
  const references = names.map((name) => {
    const { kind, description } = pathIds[name];
    return [name, reference(kind, description)];
  });
  return { params: Type.Object(Object.fromEntries(references)) };
}
