import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { LRUCache } from 'lru-cache';
import { findDataVersion } from '../../store/db/data-version.ts';
import type { AnswerCache, Context } from '../context.ts';
import { callerOf } from '../router.ts';
import { metaOf, sendText } from './answer.ts';
import { wantsCsv } from './export.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether its answers are cached. */
    cached?: boolean;
  }
  interface FastifyRequest {
    /** Where the answer to this request goes, and the version of the data that it shows. */
    cacheAs: { name: string; version: string } | null;
  }
}

const askedOnce = 'asked once';

export function createAnswerCache(mostBytes: number): AnswerCache {
  return new LRUCache({
    maxSize: mostBytes,
    // A character can take two bytes.
    sizeCalculation: (answer, name) =>
      200 + 2 * (name.length + (answer === askedOnce ? 0 : answer.before.length + answer.after.length)),
  });
}

/**
 * For a route whose answer depends on the data of the organization, the day and the URL alone. An answer is cached from the
 * second time that it is asked for, so that what is asked for once costs nothing more. It is sent again for as long as the
 * version of the organization stays the same.
 */
export function cacheAnswers({
  answerCache,
  db,
}: Context): Pick<RouteShorthandOptions, 'preHandler' | 'onSend'> {
  return {
    async preHandler(request, reply) {
      if (request.method !== 'GET' || request.headers['if-none-match'] !== undefined || wantsCsv(request))
        return;
      const { org_id } = callerOf(request);
      const day = Math.floor(Date.now() / 86_400_000);
      const name = `${org_id} ${day} ${request.url}`;
      const cached = answerCache.get(name);
      if (cached === undefined) {
        answerCache.set(name, askedOnce);
        return;
      }
      // Read before the data: if the data changes in between, the answer is cached under the older version and never sent.
      const version = await findDataVersion(db.read(org_id), org_id);
      if (!version) return;
      if (cached === askedOnce || cached.version !== version) {
        request.cacheAs = { name, version };
        return;
      }
      if (cached.etag) reply.header('ETag', cached.etag);
      return sendText(reply, `${cached.before}${JSON.stringify(metaOf(request))}${cached.after}`);
    },

    async onSend(request, reply, payload) {
      if (request.cacheAs && reply.statusCode === 200 && typeof payload === 'string')
        store(request, reply, payload);
      return payload;
    },
  };

  function store({ id, cacheAs }: FastifyRequest, reply: FastifyReply, text: string): void {
    const start = text.lastIndexOf(`{"request_id":"${id}"`);
    const end = text.indexOf('}', start) + 1;
    if (!cacheAs || start < 0) return;
    answerCache.set(cacheAs.name, {
      version: cacheAs.version,
      before: text.slice(0, start),
      after: text.slice(end),
      etag: reply.getHeader('ETag') as string | undefined,
    });
  }
}
