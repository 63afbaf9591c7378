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
/** Text from a caller cannot contain this, because quotation marks inside strings are escaped. */
const logStart = '"activity_log":[';

/**
 * Sends a signal with its complete log. A log that is longer than a page is sent page by page, as fast as the caller reads,
 * with two pages in memory and no database connection held. Later pages may be newer than the ETag. This is safe: if the log
 * has changed meanwhile, If-Match refuses the tag.
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

  // A failure in the middle destroys the connection, so that a partial response cannot be taken for a complete one.
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

  // A HEAD has no body, so reading the pages would be wasted work.
  const body = Readable.from(request.method === 'HEAD' ? [] : pieces());
  return reply.type('application/json; charset=utf-8').send(body);
}

/**
 * Covers everything in the detail, and the log by its version. Two details with the same tag are equal except for the
 * priority, which can change every day.
 */
export function etag({ priority, priority_parts, ...head }: SignalHead): string {
  return `"${hash('sha256', JSON.stringify(head), 'base64url').slice(0, 27)}"`;
}
