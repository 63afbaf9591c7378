import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Activity } from '../../contract/signal.ts';
import { SignalDetailSchema } from '../../contract/signal.ts';
import { listSignalActivities, logPage } from '../../store/facts/activities.ts';
import type { SignalHead, SignalInFull } from '../../store/signals/signal-items.ts';
import type { Context } from '../context.ts';
import { callerOf } from '../router.ts';
import { envelope } from './answer.ts';

const LogSchema = { ...Type.Pick(SignalDetailSchema, ['activity_log']) };
/** No text of a caller can pass for it: inside of a string a quote is escaped. */
const logStart = '"activity_log":[';

/**
 * Answers with a signal and its complete log. What is longer than a page is sent page by page, as fast as the caller
 * reads: two pages are held in memory, and no connection to the database while they are on their way. So later pages may
 * be younger than the tag. That errs on the safe side: where the log has changed meanwhile, If-Match refuses the tag.
 */
export function answerSignal(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { head, log }: SignalInFull,
  tag = etag(head),
): FastifyReply {
  reply.header('ETag', tag);
  if (log.length < logPage) return reply.send(envelope(request, { ...head, activity_log: log }));
  const { org_id } = callerOf(request);
  const around = String(reply.serialize(envelope(request, { ...head, activity_log: [] })));
  const at = around.indexOf(logStart) + logStart.length;

  // A failure on the way destroys the connection, so that what was sent cannot pass for a complete answer.
  async function* pieces() {
    let page = log;
    yield Buffer.from(around.slice(0, at) + serializePage(page));
    while (page.length === logPage) {
      page = await listSignalActivities(ctx.db.read(org_id), org_id, head.id, page.at(-1) as Activity);
      if (page.length > 0) yield Buffer.from(`,${serializePage(page)}`);
    }
    yield Buffer.from(around.slice(at));
  }

  function serializePage(page: Activity[]): string {
    const text = String(reply.serializeInput({ activity_log: page }, LogSchema));
    return text.slice(`{${logStart}`.length, -']}'.length);
  }

  // Nobody reads what follows a HEAD: the pages would be read from the database for nothing.
  const body = Readable.from(request.method === 'HEAD' ? [] : pieces());
  return reply.type('application/json; charset=utf-8').send(body);
}

/**
 * Of everything that the detail shows, the log by its version: two details with the same tag are the same, but for the
 * priority, which a new day may change.
 */
export function etag({ priority, priority_parts, ...head }: SignalHead): string {
  return `"${hash('sha256', JSON.stringify(head), 'base64url').slice(0, 27)}"`;
}
