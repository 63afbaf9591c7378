import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../contract/error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No body is as good as {}. Many clients name a media type whether or not a body follows. */
    bodyOptional?: boolean;
    /** The handler gets the bytes, to parse them row by row. */
    rows?: boolean;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export async function parseJson(request: FastifyRequest, body: Buffer): Promise<unknown> {
  const { bodyOptional, rows } = request.routeOptions.config;
  if (body.length === 0) {
    if (bodyOptional) return {};
    throw invalidFields([{ field: 'body', code: 'required', message: 'must not be empty' }]);
  }
  if (rows) return body;
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    const reason = error instanceof TypeError ? 'is not valid UTF-8' : 'is not valid JSON';
    throw invalidFields([{ field: 'body', code: 'malformed', message: reason }]);
  }
}
