import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';

/** The database's error objects carry values of rows in `detail` and `where`: those stay out of the log. */
function serializeError(error: Error & { code?: unknown }) {
  return { type: error.name, code: error.code, message: error.message, stack: error.stack };
}

/**
 * Lines are written in pieces of 4 KiB, and at least every tenth of a second: a write for each costs a tenth of a small
 * request. What is waiting is written when the process ends, also by an exception, and with every fatal line.
 */
const buffered = { sync: false, minLength: 4_096, periodicFlush: 100 };

export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination(buffered),
): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: serializeError },
  };
  return pino(options, destination);
}

/** The route's pattern and not the path, which may hold anything: no key, secret or body is ever in this line. */
export async function logRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  request.log.info(
    {
      org_id: request.caller?.org_id,
      key_id: request.caller?.key_id,
      operator: request.operator ?? undefined,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 100) / 100,
      address: request.ip,
    },
    'request',
  );
}
