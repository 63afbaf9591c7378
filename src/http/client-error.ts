import type { Duplex } from 'node:stream';
import { ApiError } from '../contract/error.ts';
import { newId } from '../contract/ids.ts';
import type { Context } from './context.ts';
import { errorEnvelope } from './errors.ts';
import { addressBucket, anonymousWindows, limitHeaders } from './limits/limit.ts';

/** Answers what was not a request that HTTP could read: no route or hook ever sees it. */
export function answerClientError(ctx: Context) {
  return async (error: NodeJS.ErrnoException, socket: Duplex & { remoteAddress?: string }): Promise<void> => {
    const message =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? 'The headers of the request are too large.'
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? 'The request took too long to arrive.'
          : 'This is not a request that HTTP/1.1 allows.';
    const answer = new ApiError('invalid_request', message);
    const requestId = newId('req');
    const decision = await ctx.limits.take(addressBucket(socket.remoteAddress ?? ''), anonymousWindows, 1);
    const body = JSON.stringify(errorEnvelope(answer, requestId));
    const headers = {
      ...limitHeaders({ ...decision, allowed: true }),
      'X-Request-Id': requestId,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    if (socket.writable) socket.write(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`);
    ctx.log.info(
      { request_id: requestId, status: 400, code: error.code, address: socket.remoteAddress },
      'not a request',
    );
  };
}
