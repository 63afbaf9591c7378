import { exampleId } from '../../contract/field.ts';
import type { Header, Parameter } from './parts.ts';

const refTo = (name: string) => ({ $ref: `#/components/headers/${name}` });
const refsTo = (names: string[]) => Object.fromEntries(names.map((name) => [name, refTo(name)]));

function header(description: string, example: unknown, required = true): Header {
  return {
    description,
    required,
    schema: { type: typeof example === 'number' ? 'integer' : 'string' },
    example,
  };
}

const everywhere: Record<string, Header> = {
  'X-Request-Id': header('Finds this request in the log of the service.', exampleId('request')),
  'X-RateLimit-Limit': header('The limit of whichever window has fewer requests left.', 300),
  'X-RateLimit-Remaining': header('How many requests are left in that window.', 297),
  'X-RateLimit-Reset': header('When that window begins anew, in Unix seconds.', 1_772_443_860),
  RateLimit: header(
    'Every window with what is left of it (r) and the seconds until it begins anew (t): the field of the IETF draft draft-ietf-httpapi-ratelimit-headers.',
    '"minute";r=297;t=24, "day";r=99214;t=52224',
  ),
  'RateLimit-Policy': header(
    'Every window with its limit (q) and its length in seconds (w), as in the same draft.',
    '"minute";q=300;w=60, "day";q=100000;w=86400',
  ),
};

export const headers: Record<string, Header> = {
  ...everywhere,
  'Retry-After': header('How many seconds to wait before trying again.', 24),
  'WWW-Authenticate': header('The scheme of the Authorization header.', 'Bearer'),
  Allow: header('The methods that the path takes.', 'GET, HEAD, PATCH'),
  'Idempotency-Replayed': header(
    'true where this is the answer of an earlier POST with the same Idempotency-Key; else absent.',
    'true',
    false,
  ),
};

export const everyResponseHeaders = refsTo(Object.keys(everywhere));
export const replayedHeader = refsTo(['Idempotency-Replayed']);
export const headersByStatus: Record<number, object> = {
  400: replayedHeader,
  401: refsTo(['WWW-Authenticate']),
  404: replayedHeader,
  405: refsTo(['Allow']),
  409: replayedHeader,
  429: refsTo(['Retry-After']),
  503: refsTo(['Retry-After']),
};

export const requestHeaders = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to repeat: for 24 hours the same key with the same body gets the first answer again, and one with another body gets `idempotency_conflict`. Streams are exempt: repeating one changes nothing anyway.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    example: '5f3c7a1e-8f0b-4c57-9d5e-0e6f2b8f9a10',
  },
  'X-Actor': {
    name: 'X-Actor',
    in: 'header',
    description: 'The person behind a shared key, at most 200 characters of UTF-8; kept with the change.',
    schema: { type: 'string' },
    example: 'Noor Halvorsen',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    // Without an example: the reference would fill it in, and every change tried there would be refused.
    description: 'The ETag of the signal as you read it: the change is made only if it still is so.',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The ETag of the signal as you know it: while it is still so, the answer is 304 without a body.',
    schema: { type: 'string' },
    example: '"47DEQpj8HBSa-_TImW-5JCeuQeR"',
  },
} as const satisfies Record<string, Omit<Parameter, 'required'>>;
