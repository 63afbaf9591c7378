import type { FastifyRequest } from 'fastify';
import { invalidField } from '../../contract/error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No body means {}. Many clients send a media type whether or not a body follows. */
    bodyOptional?: boolean;
    /** The handler gets the bytes and parses them row by row. */
    rows?: boolean;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export async function parseJson(request: FastifyRequest, body: Buffer): Promise<unknown> {
  const { bodyOptional, rows } = request.routeOptions.config;
  if (body.length === 0) {
    if (bodyOptional) return {};
    throw emptyBody();
  }
  if (rows) return body;
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    throw invalidField(
      'body',
      'malformed',
      error instanceof TypeError ? 'is not valid UTF-8' : notJson(error),
    );
  }
}

/** The parser names the position in most cases, and otherwise repeats parts of the body, which do not belong in a message. */
function notJson(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [where] = /at position \d+( \(line \d+ column \d+\))?/.exec(message) ?? [];
  if (where) return `is not valid JSON: see ${where.slice(3)}`;
  return /end of JSON input/.test(message) ? 'is not valid JSON: it ends too early' : 'is not valid JSON';
}

/**
 * Without a media type and a body there is nothing to parse. The validator would treat the absence as null, and it does not
 * check rows.
 */
export async function settleAbsentBody(request: FastifyRequest): Promise<void> {
  if (request.body !== undefined) return;
  const { bodyOptional, rows } = request.routeOptions.config;
  if (rows) throw emptyBody();
  if (bodyOptional) request.body = {};
}

function emptyBody(): Error {
  return invalidField('body', 'required', 'must not be empty');
}
