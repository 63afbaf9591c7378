import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { findVersion } from '../../store/db/data-version.ts';
import type { Context } from '../context.ts';
import { callerOf } from '../router.ts';
import { metaOf, sendText } from './answer.ts';
import { wantsCsv } from './export.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Its answer is worth keeping, under this name, as one of this version. */
    keep: { name: string; version: string } | null;
  }
}

/**
 * For a route that shows what an organization has, as of a day: from the second time that an answer is asked for it is kept, and
 * as long as the version of the organization is the same it is sent again. What is asked for once costs nothing more.
 */
export function keeping(ctx: Context): Pick<RouteShorthandOptions, 'preHandler' | 'onSend'> {
  return {
    async preHandler(request, reply) {
      if (request.method !== 'GET' || request.headers['if-none-match'] !== undefined || wantsCsv(request))
        return;
      const { org_id } = callerOf(request);
      const day = Math.floor(Date.now() / 86_400_000);
      const name = `${org_id} ${day} ${request.url}`;
      const kept = ctx.kept.get(name);
      if (kept === undefined) return ctx.kept.set(name, null);
      // Before what is shown: if that changes in between, it is kept as one of the older version, and not sent again.
      const version = await findVersion(ctx.db.read(org_id), org_id);
      if (!version) return;
      if (kept?.version !== version) {
        request.keep = { name, version };
        return;
      }
      ctx.kept.set(name, kept);
      if (kept.etag) reply.header('ETag', kept.etag);
      return sendText(reply, `${kept.before}${JSON.stringify(metaOf(request))}${kept.after}`);
    },

    async onSend(request, reply, payload) {
      if (request.keep && reply.statusCode === 200 && typeof payload === 'string')
        keep(request, reply, payload);
      return payload;
    },
  };

  function keep({ id, keep }: FastifyRequest, reply: FastifyReply, text: string): void {
    const start = text.lastIndexOf(`{"request_id":"${id}"`);
    const end = text.indexOf('}', start) + 1;
    if (!keep || start < 0) return;
    ctx.kept.set(keep.name, {
      version: keep.version,
      before: text.slice(0, start),
      after: text.slice(end),
      etag: reply.getHeader('ETag') as string | undefined,
    });
  }
}
