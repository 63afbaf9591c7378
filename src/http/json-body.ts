import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../contract/error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No body is as good as {}. Many clients name a media type whether or not a body follows. */
    bodyOptional?: boolean;
  }
}

const mayNameProto = /__proto__|\\u005f/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export async function parseJson(request: FastifyRequest, body: Buffer): Promise<unknown> {
  if (body.length === 0) {
    if (request.routeOptions.config.bodyOptional) return {};
    throw invalidFields([{ field: 'body', code: 'required', message: 'must not be empty' }]);
  }
  try {
    const text = utf8.decode(body);
    // A reviver makes parsing several times as slow, so only a text that could need it gets it.
    return mayNameProto.test(text) ? JSON.parse(text, refuseProto) : JSON.parse(text);
  } catch (error) {
    const reason = error instanceof TypeError ? 'is not valid UTF-8' : 'is not valid JSON';
    throw invalidFields([{ field: 'body', code: 'malformed', message: reason }]);
  }
}

/** A member of this name would be a setter of the prototype wherever the body is copied by assignment. */
function refuseProto(this: unknown, name: string, value: unknown): unknown {
  if (name === '__proto__') throw new SyntaxError(name);
  return value;
}
