import type { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError, invalidField } from '../../contract/error.ts';
import type { createMcp } from '../../mcp/server.ts';
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
  let loaded: Promise<ReturnType<typeof createMcp>> | undefined;
  /** With the first message: it is a tenth of the code, and most installations never use it. */
  const load = async () => {
    const { createMcp } = await import('../../mcp/server.ts');
    return createMcp((schema) => {
      const validate = compileSchema(schema);
      return (value) => (validate(value) ? [] : fieldErrors(validate.errors ?? [], 'body'));
    });
  };

  app.post('/mcp', {
    config: { access: read },
    // One message: older clients may send several as a list, of which each would have to count.
    schema: { hide: true, body: Type.Object({}) },
    handler: async (request, reply) => {
      refuseOtherOrigins(request);
      // The links of the answer begin with it.
      if (/[/?#@\\]/.test(request.host) || !URL.canParse(`https://${request.host}`))
        throw invalidField('Host', 'invalid_format', 'must be a host name');
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      const ask = askOf(request, closed.signal);
      loaded ??= load();
      const mcp = await loaded;
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

/** Only what the protocol looks at, and without the body, which is parsed already. */
function toWebRequest({ headers }: FastifyRequest, signal: AbortSignal): Request {
  const kept = Object.entries(headers).filter(([name]) => /^(accept|content-type|mcp-[\w-]+)$/.test(name));
  return new Request('https://localhost/mcp', {
    method: 'POST',
    headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
    signal,
  });
}
