import type { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { ApiError, invalidField } from '../../contract/error.ts';
import { createMcp } from '../../mcp/server.ts';
import type { Ask } from '../../mcp/tool.ts';
import { transaction } from '../../store/connection.ts';
import { changedBy } from '../actor.ts';
import type { Context } from '../context.ts';
import { toApiError } from '../errors.ts';
import { leavePlace } from '../places.ts';
import { read } from '../route-table.ts';
import { callerOf, type Router } from '../router.ts';
import { compileSchema, fieldErrors } from '../validation.ts';

/** The Model Context Protocol, for assistants. It describes itself, so it is not in the API document. */
export function mcpRoutes(app: Router, ctx: Context): void {
  const mcp = createMcp((schema) => {
    const validate = compileSchema(schema);
    return (value) => (validate(value) ? [] : fieldErrors(validate.errors ?? [], 'body'));
  });

  app.post('/mcp', {
    config: { access: read },
    schema: { hide: true },
    handler: async (request, reply) => {
      refuseOtherOrigins(request);
      // Older clients may send several calls as one request, of which each would have to count.
      if (Array.isArray(request.body)) throw invalidField('body', 'invalid_type', 'must be a single message');
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      const ask = askOf(request, closed.signal);
      const answer = await mcp(toWebRequest(request, closed.signal), request.body, ask);
      return reply
        .code(answer.status)
        .headers(Object.fromEntries(answer.headers))
        .send(await answer.text());
    },
  });

  function askOf(request: FastifyRequest, signal: AbortSignal): Ask {
    const { org_id, scopes } = callerOf(request);
    return {
      orgId: org_id,
      scopes,
      by: changedBy(request),
      pool: ctx.pool,
      batchPool: ctx.batchPool,
      keyring: ctx.keyring,
      signal,
      link: (path) => `https://${request.host}/console/${path}`,
      inTurn: (run) => {
        leavePlace(request);
        return ctx.turns(org_id, async () => {
          signal.throwIfAborted();
          return run();
        });
      },
      change: async (pool, run) => {
        const result = await transaction(pool, async (tx) => {
          const result = await run(tx);
          signal.throwIfAborted();
          return result;
        });
        ctx.hint();
        return result;
      },
      explain: (error) => toApiError(error, request),
    };
  }
}

/**
 * A page of another site has no business here, whatever key it has. Nor has one that came under a name of its own that
 * leads to this machine: the name in Host has to be the one that the connection was made for.
 */
function refuseOtherOrigins({ headers: { origin }, host, hostname, raw }: FastifyRequest): void {
  if (origin === undefined) return;
  const { servername } = raw.socket as Partial<TLSSocket> & { servername?: string | false };
  const isOwn = URL.canParse(origin) && new URL(origin).host === host;
  if (isOwn && (!servername || servername === hostname)) return;
  throw new ApiError('forbidden', 'Pages of other websites cannot use this endpoint (Origin header).');
}

/** Without its body, which is parsed already. */
function toWebRequest({ headers, host, url }: FastifyRequest, signal: AbortSignal): Request {
  const { 'content-length': _length, 'transfer-encoding': _encoding, authorization: _key, ...kept } = headers;
  const given = Object.entries(kept).flatMap(([name, value]) =>
    [value ?? []].flat().map((text): [string, string] => [name, text]),
  );
  return new Request(new URL(url, `https://${host}`), { method: 'POST', headers: given, signal });
}
