import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../contract/error.ts';
import { newId } from '../../contract/ids.ts';
import { addressBucket, anonymousWindows, limitHeaders } from '../admission/limits/limit.ts';
import { errorEnvelope } from '../answers/errors.ts';
import type { Context } from '../context.ts';
import type { Router } from '../router.ts';

/** Fields that Node adds to a parser error. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/** Answers what is not a valid HTTP request; no route or hook sees it. */
export function answerClientError(ctx: Context, app: Router) {
  return async (error: ClientError, socket: Duplex & { remoteAddress?: string }): Promise<void> => {
    // Browsers open connections in advance, and would take a response on one for the answer to their next request.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return;
    const path = pathOfUnknownMethod(error);
    const answer =
      path === undefined ? new ApiError('invalid_request', messageFor(error)) : app.refusal(path);
    const requestId = newId('req');
    const decision = await ctx.limits.take(addressBucket(socket.remoteAddress ?? ''), anonymousWindows, 1);
    const body = JSON.stringify(errorEnvelope(answer, requestId));
    const headers = {
      ...limitHeaders({ ...decision, allowed: true }),
      ...answer.headers,
      'X-Request-Id': requestId,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const status = `${answer.status} ${STATUS_CODES[answer.status]}`;
    if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
    ctx.log.info(
      { request_id: requestId, status: answer.status, code: error.code, address: socket.remoteAddress },
      'not a request',
    );
  };
}

function messageFor({ code }: ClientError): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The request headers are too large.';
  return 'Malformed HTTP request.';
}

/**
 * HTTP allows any token as a method, but Node's parser only those that it knows. The rest of the request line has the path.
 */
function pathOfUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ClientError): string | undefined {
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return undefined;
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1;
  return requestLine.exec(rawPacket.subarray(start).toString('latin1'))?.[1];
}

const requestLine = /^[\w!#$%&'*+.^`|~-]+ (\/[\x21-\x7e]*) HTTP\/1\.[01]\r?\n/;
