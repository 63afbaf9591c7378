import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Drops `detail` and `where` of database errors, which contain values of rows. */
function serializeError(error: Error & { code?: unknown }) {
  return { type: error.name, code: error.code, message: error.message, stack: error.stack };
}

/**
 * Writes in blocks of 4 KiB, and at least every 100 ms: one write per line costs a tenth of a small request. Pending lines
 * are written when the process ends, also by an exception, and with every fatal line.
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

/**
 * Logs the pattern of the route instead of the path, which can contain anything. No key, secret or body is ever in this
 * line.
 */
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
