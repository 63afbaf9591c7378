import { exampleId } from '../../contract/values/field.ts';
import { planLimits } from '../../vocabulary.ts';
import type { Header, Parameter, Schema } from './parts.ts';

const { requestsPerMinute, requestsPerDay } = planLimits.enterprise;
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
  'X-Request-Id': header('Search the log of the service for this id.', exampleId('request')),
  'X-RateLimit-Limit': header('Limit of the window with the fewest requests left.', requestsPerMinute),
  'X-RateLimit-Remaining': header('Requests left in that window.', 297),
  'X-RateLimit-Reset': header('When that window resets, in Unix seconds.', 1_772_443_860),
  RateLimit: header(
    'Every window with the requests left (r) and the seconds until it resets (t), as in the IETF draft draft-ietf-httpapi-ratelimit-headers.',
    '"minute";r=297;t=24, "day";r=99214;t=52224',
  ),
  'RateLimit-Policy': header(
    'Every window with its limit (q) and its length in seconds (w), as in the same draft.',
    `"minute";q=${requestsPerMinute};w=60, "day";q=${requestsPerDay};w=86400`,
  ),
};

export const headers: Record<string, Header> = {
  ...everywhere,
  'Retry-After': header('Seconds to wait before you try again.', 24),
  'WWW-Authenticate': header('Scheme of the Authorization header.', 'Bearer'),
  Allow: header('Methods that the path supports.', 'GET, HEAD, PATCH'),
  'Idempotency-Replayed': header(
    '`true` if this repeats the response to an earlier POST with the same Idempotency-Key; otherwise absent.',
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

function requestHeader(name: string, description: string, example?: string, schema: Schema = {}) {
  const given = example === undefined ? {} : { example };
  return { name, in: 'header' as const, description, schema: { type: 'string', ...schema }, ...given };
}

export const requestHeaders = {
  'Idempotency-Key': requestHeader(
    'Idempotency-Key',
    'Makes the request safe to retry: for 24 hours, the same key with the same body returns the first response again; with a different body it returns `idempotency_conflict`. Ignored for streams, which are always safe to repeat.',
    '5f3c7a1e-8f0b-4c57-9d5e-0e6f2b8f9a10',
    { minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  ),
  'X-Actor': requestHeader(
    'X-Actor',
    'The person behind a shared key, up to 200 characters in UTF-8. Recorded with the change, but never used as an identity.',
    'Noor Halvorsen',
  ),
  // No example: the API reference would prefill it, and every change tried there would be refused.
  'If-Match': requestHeader(
    'If-Match',
    'ETag of the resource as you read it. The change applies only if the resource has not changed since.',
  ),
  'If-None-Match': requestHeader(
    'If-None-Match',
    'ETag of the signal as you have it. If it has not changed, the response is 304 without a body.',
    '"47DEQpj8HBSa-_TImW-5JCeuQeR"',
  ),
} satisfies Record<string, Omit<Parameter, 'required'>>;
