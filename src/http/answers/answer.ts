import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../../contract/envelope.ts';
import { ApiError, invalidField } from '../../contract/error.ts';
import type { RequestId } from '../../contract/ids.ts';
import { decodeCursor, encodeCursor, type Position } from '../../store/db/cursor.ts';
import { operators, savepoint, type Tx } from '../../store/db/tx.ts';
import {
  claimIdempotencyKey,
  findAnswer,
  type IdempotencyScope,
  saveAnswer,
} from '../../store/keys/idempotency.ts';
import { pageLimits } from '../../vocabulary.ts';
import type { Context } from '../context.ts';
import { errorEnvelope } from './errors.ts';

export function envelope<T>(request: FastifyRequest, data: T) {
  return { data, meta: metaOf(request) };
}

export function metaOf(request: FastifyRequest) {
  return { request_id: request.id as RequestId, timestamp: new Date() };
}

/** Sends text that is already JSON. */
export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').serializer(String).send(text);
}

export type ListAnswer<Row> = ReturnType<typeof envelope<Row[]>> & {
  has_more: boolean;
  next_cursor?: string;
};

/** One page of a keyset list. `fetch` reads one more row than the page holds, which tells whether there is another page. */
export async function listEnvelope<Row>(
  ctx: Context,
  request: FastifyRequest,
  fetch: (limit: number, after: Position | null) => Promise<Row[]>,
  position: (row: Row) => Position,
): Promise<ListAnswer<Row>> {
  const { limit, after, end } = askedPage(ctx, request);
  const rows = await fetch(limit + 1, after);
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { ...envelope(request, data), ...end(rows.length > limit && last ? position(last) : null) };
}

/** Where the requested page begins. `end` receives where it ends, or null if nothing follows. */
export function askedPage(ctx: Context, request: FastifyRequest) {
  const { limit = pageLimits.default, cursor, ...filters } = request.query as Page;
  const scope = { orgId: request.caller?.org_id ?? operators, route: pathPattern(request), filters };
  return {
    limit,
    after: cursor === undefined ? null : decodeCursor(ctx.keyring, scope, cursor),
    end: (at: Position | null) =>
      at ? { has_more: true, next_cursor: encodeCursor(ctx.keyring, scope, at) } : { has_more: false },
  };
}

/** A nested list is a different list for each parent. */
function pathPattern(request: FastifyRequest): string {
  return JSON.stringify([request.routeOptions.url, request.params]);
}

/**
 * The only way to answer a POST. `run` decides and writes in a transaction. With an Idempotency-Key, the response is stored
 * in the same transaction, so that effect and response cannot diverge. Returns the result of
 * `run`; undefined if it was refused or if the request repeats another.
 */
export async function answerPost<T extends Tx, Result>(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  run: (tx: T) => Promise<Result>,
  inTransaction: <Done>(run: (tx: T) => Promise<Done>) => Promise<Done>,
): Promise<Result | undefined> {
  type Answer = { status: number; text: string; replayed?: true; result?: Result };
  const scope = idempotencyScope(request);
  const answer = await inTransaction(async (tx): Promise<Answer> => {
    if (!scope) return answerWith(await run(tx));
    const hash = requestHash(request);
    const context = JSON.stringify(scope);
    if (!(await claimIdempotencyKey(tx, scope.orgId, scope, hash))) {
      const kept = await findAnswer(tx, scope.orgId, scope);
      if (!kept.request_hash.equals(hash)) {
        throw new ApiError(
          'idempotency_conflict',
          'This Idempotency-Key was already used with a different request. Use a new key.',
        );
      }
      return { status: kept.status, text: ctx.keyring.open(kept.answer, context), replayed: true };
    }
    const outcome = await runToAnswer(tx);
    await saveAnswer(tx, scope.orgId, scope, outcome.status, ctx.keyring.seal(outcome.text, context));
    return outcome;
  });
  if (answer.replayed) reply.header('Idempotency-Replayed', 'true');
  sendText(reply.code(answer.status), answer.text);
  return answer.result;

  function answerWith(result: Result): Answer {
    return { status, text: String(reply.code(status).serialize(envelope(request, result))), result };
  }

  /** A refusal by the operation is also stored and repeated; its writes are rolled back. */
  async function runToAnswer(tx: T): Promise<Answer> {
    try {
      return answerWith(await savepoint(tx, () => run(tx)));
    } catch (error) {
      if (!(error instanceof ApiError) || ![400, 404, 409, 412].includes(error.status)) throw error;
      return { status: error.status, text: JSON.stringify(errorEnvelope(error, request.id)) };
    }
  }
}

function requestHash({ query, body }: FastifyRequest): Buffer {
  const hash = createHash('sha256');
  return Buffer.isBuffer(body)
    ? hash.update(JSON.stringify(query)).update(body).digest()
    : hash.update(JSON.stringify([query, body ?? null])).digest();
}

function idempotencyScope(request: FastifyRequest): IdempotencyScope | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalidField('Idempotency-Key', 'invalid_format', 'takes 1 to 255 printable ASCII characters');
  }
  const path = request.url.split('?', 1)[0] ?? '';
  // Longer than any existing path, and than an index entry can be: it gets a 404 each time.
  if (path.length > 500) return null;
  const { caller, operator, method } = request;
  return caller
    ? { orgId: caller.org_id, caller: caller.key_id, method, path, key }
    : { orgId: operators, caller: operator ?? '', method, path, key };
}
