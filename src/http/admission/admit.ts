import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/error.ts';
import type { RequestId } from '../../contract/ids.ts';
import { grants } from '../../contract/key.ts';
import { type KeyOwner, markKeyExposed } from '../../store/keys/api-keys.ts';
import { insertAudit } from '../../store/keys/audit.ts';
import type { Scope } from '../../vocabulary.ts';
import type { Context } from '../context.ts';
import { bearerToken, findOperator } from './auth.ts';
import { sessionKey } from './console-session.ts';
import { createInFlight, reserveBody } from './in-flight.ts';
import { addressBucket, anonymousWindows, limitHeaders, type Window, windowsOf } from './limits/limit.ts';

/** Who may call a route. A route without this is treated as unknown, because nobody can have meant it to be public. */
export type Access =
  | { plane: 'open' }
  | { plane: 'operator'; audited?: false }
  | { plane: 'client' | 'ingest'; scope: Scope };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** The media types of the body, for the message of a 415. */
    takes?: string;
  }
  interface FastifyRequest {
    caller: KeyOwner | null;
    operator: string | null;
  }
}

/**
 * All checks before a route, in order: HTTPS, authentication, body size, rate limit, scope. Every response carries the rate
 * limit headers.
 */
export function admission(ctx: Context) {
  const inFlight = createInFlight();

  return async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const access = request.routeOptions.config.access;
    const token = bearerToken(request.headers.authorization);
    if (request.protocol.toLowerCase() !== 'https') return refusePlain(request, reply, token);
    const wrongHost = hostProblem(request);
    if (wrongHost !== undefined) {
      await count(reply, addressBucket(request.ip), anonymousWindows, 1);
      throw new ApiError('invalid_request', wrongHost);
    }
    if (access?.plane === 'open') return count(reply, addressBucket(request.ip), anonymousWindows, 0);
    if (access?.plane === 'operator' || request.url.startsWith('/admin/'))
      return admitOperator(request, reply, token);

    const session = request.url.startsWith('/v1/') ? sessionKey(ctx.keyring, request) : undefined;
    const owner = await findOwner(request, reply, token ?? session);
    if (!owner) {
      await count(reply, addressBucket(request.ip), anonymousWindows, 1);
      const isOperator = token !== undefined && findOperator(ctx.operators, token) !== undefined;
      if (access) throw unauthorized(token, isOperator ? operatorKeyHere : undefined);
      return reserveBody(inFlight, request, reply, addressBucket(request.ip));
    }
    request.caller = owner;
    ctx.keys.used(owner);
    const plane = access?.plane === 'ingest' || request.url.startsWith('/ingest/') ? 'ingest' : 'org';
    const bucket = `${plane}:${owner.org_id}`;
    try {
      reserveBody(inFlight, request, reply, owner.org_id);
    } catch (error) {
      await count(reply, bucket, windowsOf(owner.plan), 0);
      throw error;
    }
    await count(reply, bucket, windowsOf(owner.plan), 1);
    if (access && !grants(owner.scopes, access.scope)) {
      const only = owner.scopes.every((scope) => scope === 'ingest')
        ? ' It can only send data to /ingest/v1.'
        : '';
      throw new ApiError(
        'forbidden',
        `This requires the scope "${access.scope}"; your key has: ${owner.scopes.join(', ')}.${only}`,
      );
    }
  };

  async function findOwner(request: FastifyRequest, reply: FastifyReply, token: string | undefined) {
    try {
      return token === undefined ? undefined : await ctx.keys.find(token);
    } catch (error) {
      await count(reply, addressBucket(request.ip), anonymousWindows, 0);
      throw error;
    }
  }

  async function count(
    reply: FastifyReply,
    bucket: string,
    windows: readonly Window[],
    cost: 0 | 1,
  ): Promise<void> {
    const decision = await ctx.limits.take(bucket, windows, cost);
    // A request that costs nothing is never refused, so it gets no Retry-After.
    reply.headers(limitHeaders({ ...decision, allowed: decision.allowed || cost === 0 }));
    if (cost === 1 && !decision.allowed) {
      throw new ApiError(
        'rate_limited',
        `Too many requests. Try again in ${reply.getHeader('retry-after')} seconds.`,
      );
    }
  }

  async function admitOperator(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string | undefined,
  ): Promise<void> {
    const operator = token === undefined ? undefined : findOperator(ctx.operators, token);
    await count(reply, addressBucket(request.ip), anonymousWindows, operator ? 0 : 1);
    if (!operator) {
      const owner = token === undefined ? undefined : await ctx.keys.find(token).catch(() => undefined);
      throw unauthorized(token, owner ? apiKeyHere : undefined);
    }
    const { access } = request.routeOptions.config;
    if (access?.plane === 'operator' && access.audited === false) return;
    request.operator = operator.name;
    await insertAudit(ctx.db.global, {
      request_id: request.id as RequestId,
      operator: operator.name,
      method: request.method,
      path: request.url.slice(0, 2048),
      address: request.ip,
    });
  }

  /** A key sent in plain text may be known to anyone on the way. */
  async function refusePlain(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string | undefined,
  ): Promise<void> {
    const owner = await findOwner(request, reply, token);
    if (owner) {
      request.log.warn({ org_id: owner.org_id, key_id: owner.key_id }, 'an API key was sent over plain HTTP');
      await ctx.db.write(owner.org_id, (tx) =>
        markKeyExposed(tx, owner.org_id, owner.key_id, ctx.revokeExposedKeys),
      );
      ctx.keys.forget();
    }
    await count(reply, addressBucket(request.ip), anonymousWindows, 1);
    throw new ApiError(
      'https_required',
      'This service accepts HTTPS only. Send the request to its https:// URL.',
    );
  }
}

/** If there are several, Node returns the first, but a proxy may have used another. */
function hostProblem({ raw: { rawHeaders, httpVersion } }: FastifyRequest): string | undefined {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1) return 'The Host header is repeated.';
  return hosts === 0 && httpVersion === '1.1' ? 'The Host header is missing.' : undefined;
}

// Only for whoever has a valid key: about any other, the service says nothing.
const operatorKeyHere =
  'This is an operator key, which works only under /admin/v1. Use an API key of an organization here.';
const apiKeyHere = 'This is an API key of an organization. Use an operator key here.';

function unauthorized(token: string | undefined, reason = 'The key is not valid.'): ApiError {
  const message = token === undefined ? 'Send a key in the header "Authorization: Bearer <key>".' : reason;
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
