import type { TLSSocket } from 'node:tls';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError, invalidField } from '../../contract/error.ts';
import { compileSchema, fieldErrors } from '../../contract/values/validation.ts';
import type { createMcp } from '../../mcp/server.ts';
import type { Ask } from '../../mcp/tool.ts';
import type { Tx } from '../../store/db/tx.ts';
import { changedBy } from '../admission/actor.ts';
import { sendError, toApiError } from '../answers/errors.ts';
import type { Context } from '../context.ts';
import { read } from '../route-table.ts';
import { callerOf, type Router } from '../router.ts';

/** The Model Context Protocol describes itself, so it is not in the OpenAPI document. */
export function mcpRoutes(app: Router, ctx: Context): void {
  let loaded: Promise<ReturnType<typeof createMcp>> | undefined;
  /** Loaded with the first message: it is a tenth of the code, and most installations never use it. */
  const load = async () => {
    const { createMcp } = await import('../../mcp/server.ts');
    return createMcp((schema) => {
      const validate = compileSchema(schema);
      return (value) => (validate(value) ? [] : fieldErrors(validate.errors ?? [], 'body'));
    });
  };

  app.post('/mcp', {
    config: { access: read },
    // One message only: older clients may send a list, and each message would have to count against the limit.
    schema: { hide: true, body: Type.Object({}) },
    errorHandler: sendMcpError,
    handler: async (request, reply) => {
      refuseOtherOrigins(request);
      // Links in the response begin with the host.
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
      db: ctx.db.read(org_id),
      report: (run) => ctx.db.report(org_id, run),
      keyring: ctx.keyring,
      signal,
      link: (path) => `https://${request.host}/console/${path}`,
      write: (run) => ctx.db.write(org_id, unlessAborted(signal, run)),
      facts: (run) => ctx.db.facts(org_id, unlessAborted(signal, run)),
      explain: (error) => toApiError(error, request),
    };
  }
}

/** A message that cannot be read gets the error that JSON-RPC wants. Other refusals are the same as everywhere. */
function sendMcpError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, details, message } = toApiError(error, request);
  if (code !== 'invalid_request') return sendError(error, request, reply);
  const isMalformed = details?.some(({ code }) => code === 'malformed');
  const isBatch = Array.isArray(request.body);
  const { id } = (request.body ?? {}) as { id?: unknown };
  return reply
    .code(400)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({
      jsonrpc: '2.0',
      id: ['string', 'number'].includes(typeof id) ? id : null,
      error: {
        code: isMalformed ? -32700 : -32600,
        message: isBatch ? 'Send one message per request: batches are not supported.' : message,
      },
    });
}

/** A call that is cancelled while it waits does nothing, and a cancelled change is rolled back. */
function unlessAborted<T extends Tx, Done>(signal: AbortSignal, run: (tx: T) => Promise<Done>) {
  return async (tx: T): Promise<Done> => {
    signal.throwIfAborted();
    const done = await run(tx);
    signal.throwIfAborted();
    return done;
  };
}

/**
 * Refuses pages of other sites, whatever key they have. It also refuses DNS rebinding, where another name resolves to this
 * machine: the name in Host must be the one that the TLS connection was made for.
 */
function refuseOtherOrigins({ headers: { origin }, host, hostname, raw }: FastifyRequest): void {
  if (origin === undefined) return;
  const { servername } = raw.socket as Partial<TLSSocket> & { servername?: string | false };
  const isOwn = URL.canParse(origin) && new URL(origin).host === host;
  if (isOwn && (!servername || servername === hostname)) return;
  throw new ApiError('forbidden', 'Pages of other websites cannot use this endpoint (Origin header).');
}

/** Only the headers that the protocol uses, without the body, which is already parsed. */
function toWebRequest({ headers }: FastifyRequest, signal: AbortSignal): Request {
  const kept = Object.entries(headers).filter(([name]) => /^(accept|content-type|mcp-[\w-]+)$/.test(name));
  return new Request('https://localhost/mcp', {
    method: 'POST',
    headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
    signal,
  });
}
