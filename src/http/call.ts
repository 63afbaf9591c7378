import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../contract/error.ts';
import { type IdKind, type IdOf, prefixes } from '../contract/id-prefixes.ts';
import { isId, type OrganizationId } from '../contract/ids.ts';
import type { Position } from '../store/db/cursor.ts';
import { firstOfJsonPage, type JsonPage, splitJsonPage } from '../store/db/json-page.ts';
import type { FactsTx, Reader, Tx } from '../store/db/tx.ts';
import {
  answerPost,
  askedPage,
  envelope,
  type ListAnswer,
  listEnvelope,
  metaOf,
  sendText,
} from './answers/answer.ts';
import { exportList, wantsCsv } from './answers/export.ts';
import type { Context } from './context.ts';

/** Every identifier that a path can contain; a 404 calls it `noun`. */
export const pathIds = {
  signal_id: { kind: 'signal', noun: 'signal', description: 'The signal.' },
  partner_id: { kind: 'partner', noun: 'partner', description: 'The partner.' },
  account_id: { kind: 'account', noun: 'account', description: 'The account.' },
  opportunity_id: { kind: 'opportunity', noun: 'opportunity', description: 'The opportunity.' },
  record_id: { kind: 'attribution', noun: 'attribution record', description: 'The attribution record.' },
  dispute_id: { kind: 'dispute', noun: 'dispute', description: 'A dispute of the record.' },
  decision_id: { kind: 'decision', noun: 'decision', description: 'The decision.' },
  webhook_id: { kind: 'webhook', noun: 'webhook', description: 'The webhook.' },
  delivery_id: { kind: 'delivery', noun: 'delivery', description: 'The delivery.' },
  org_id: { kind: 'organization', noun: 'organization', description: 'The organization.' },
  key_id: { kind: 'key', noun: 'key', description: 'The key, by its identifier.' },
} as const satisfies Record<string, { kind: IdKind; noun: string; description: string }>;

export type PathIdName = keyof typeof pathIds;

type NamesIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? (Rest extends `${infer Name}/${string}` ? Name : Rest) | NamesIn<Rest>
  : never;

type IdsIn<Path extends string> = {
  [Name in NamesIn<Path> & PathIdName]: IdOf<(typeof pathIds)[Name]['kind']>;
};

/** A query before its identifiers are checked. */
type Unchecked<Filters> = {
  [Name in keyof Filters]: Name extends PathIdName ? string : Filters[Name];
};

/** Identifiers are opaque, so an impossible one in a filter is not an error: it matches nothing. */
export function canMatch<Filters extends object>(
  query: Unchecked<Filters>,
): query is Unchecked<Filters> & Filters {
  return Object.entries(pathIds).every(([name, { kind }]) => {
    const value = (query as Partial<Record<string, string>>)[name];
    return value === undefined || isId(prefixes[kind], value);
  });
}

/** The positions of rows in lists by ID, by name and by time. */
export const byId = ({ id }: { id: string }): Position => [id];
export const byName = ({ name_key, id }: { name_key: string; id: string }): Position => [name_key, id];
export const byTime = ({ occurred_at, id }: { occurred_at: Date; id: string }): Position => [
  occurred_at.toISOString(),
  id,
];

/** A request, typed by the path and schemas of its route, with the functions to answer it. */
export class Call<Path extends string, Query, Body> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly #ctx: Context;

  constructor(ctx: Context, request: FastifyRequest, reply: FastifyReply) {
    this.#ctx = ctx;
    this.request = request;
    this.reply = reply;
  }

  get query(): Query {
    return this.request.query as Query;
  }

  get body(): Body {
    return this.request.body as Body;
  }

  /** As the caller wrote them; `ids` are checked. */
  get params(): Record<NamesIn<Path>, string> {
    return this.request.params as Record<NamesIn<Path>, string>;
  }

  /** The organization of the API key, or the one in the path of an operator's request. */
  get orgId(): OrganizationId {
    return this.request.caller?.org_id ?? (this.ids as { org_id: OrganizationId }).org_id;
  }

  /** The identifiers in the path. Throws a 404 if one is malformed. */
  get ids(): IdsIn<Path> {
    for (const [name, value] of Object.entries<string>(this.params)) {
      const { kind, noun } = pathIds[name as PathIdName];
      if (!isId(prefixes[kind], value)) throw notFound(noun, value);
    }
    return this.params as IdsIn<Path>;
  }

  /** Throws a 404 if the resource in the path does not exist. */
  found<T>(thing: T | undefined): T {
    if (thing === undefined) {
      const name = Object.keys(this.params).at(-1) as PathIdName;
      throw notFound(pathIds[name].noun, (this.params as Record<string, string>)[name]);
    }
    return thing;
  }

  one<T>(data: T | undefined) {
    return envelope(this.request, this.found(data));
  }

  page<Row extends object>(
    fetch: (limit: number, after: Position | null) => Promise<Row[]>,
    position: (row: Row) => Position,
  ): Promise<ListAnswer<Row> | FastifyReply> {
    return wantsCsv(this.request)
      ? exportList(this.#ctx, this.request, this.reply, fetch, position)
      : listEnvelope(this.#ctx, this.request, fetch, position);
  }

  /** Like `page`, for rows that the database returns as JSON text, which is sent unchanged. */
  async textPage<Row extends object>(
    fetch: (limit: number, after: Position | null) => Promise<JsonPage>,
    read: (text: string) => Row,
    position: (row: Row) => Position,
  ): Promise<FastifyReply> {
    const { request, reply } = this;
    if (wantsCsv(request)) {
      const rows = async (limit: number, after: Position | null) =>
        splitJsonPage(await fetch(limit, after)).map(read);
      return exportList(this.#ctx, request, reply, rows, position);
    }
    const { limit, after, end } = askedPage(this.#ctx, request);
    const [page, last] = firstOfJsonPage(await fetch(limit + 1, after), limit);
    const rest = { meta: metaOf(request), ...end(last === null ? null : position(read(last))) };
    return sendText(reply, `{"data":[${page}],${JSON.stringify(rest).slice(1)}`);
  }

  /** Database access for this organization; see `Db`. */
  get read(): Reader {
    return this.#ctx.db.read(this.orgId);
  }

  report<T>(run: (db: Reader) => Promise<T>): Promise<T> {
    return this.#ctx.db.report(this.orgId, run);
  }

  write<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#ctx.db.write(this.orgId, run);
  }

  facts<T>(run: (tx: FactsTx) => Promise<T>): Promise<T> {
    return this.#ctx.db.facts(this.orgId, run);
  }

  /** Answers a POST with the result of `run` in a transaction; see `answerPost`. */
  async post(status: number, run: (tx: Tx) => Promise<unknown>, orgId = this.orgId): Promise<void> {
    const { db } = this.#ctx;
    await answerPost(this.#ctx, this.request, this.reply, status, run, (whole) => db.write(orgId, whole));
  }

  /** The same with the facts lock. `committed` gets the result of `run`, unless the request repeats another. */
  async postFacts<Result>(
    status: number,
    run: (tx: FactsTx) => Promise<Result>,
    committed: (result: Result) => void = () => {},
  ): Promise<void> {
    const { request, reply } = this;
    const result = await answerPost(this.#ctx, request, reply, status, run, (whole) => this.facts(whole));
    if (result !== undefined) committed(result);
  }

  gone(isGone: boolean): FastifyReply {
    this.found(isGone || undefined);
    return this.reply.code(204).send(null);
  }
}
