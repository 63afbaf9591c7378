import { ClientError, type ClientErrorCode } from './client-error.ts';
import type { ErrorCode, ErrorDetail } from './types.ts';

export type ClientOptions = {
  /** The origin of the service, e.g. `https://localhost:8443`; empty for a page that the service itself serves. */
  baseUrl: string;
  /** An API key, or an operator key for the operator client. Null in the service's console, where the browser session replaces it. */
  key: string | null;
  /** The person behind a shared key, up to 200 characters; shown in the history of changes. */
  actor?: string | undefined;
  /** Replaces the global fetch, for example to trust a private CA or to use a proxy. */
  fetch?: typeof fetch | undefined;
  /** How often a call that is safe to repeat is retried; 4 by default. */
  maxRetries?: number | undefined;
  /** The time limit of one attempt, including reading the response; one minute by default. */
  timeoutMs?: number | undefined;
  /** If the service asks for a longer wait, the call fails instead; 65 seconds by default. */
  maxWaitMs?: number | undefined;
  /** Called before each wait, for example to tell a person why nothing happens. */
  onWait?: ((waitMs: number, reason: ClientError) => void) | undefined;
};

export type CallOptions = { signal?: AbortSignal | undefined };

export type Request = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Query | undefined;
  body?: unknown;
  headers?: Record<string, string>;
};
export type Query = Record<string, string | number | boolean | undefined>;
export type Answer<T> = { body: T; etag: string };

/**
 * Sends a request and retries it if that is safe and useful. A request that was refused by the rate limit had no effect and
 * can always be retried. After other failures, its effect is unknown: GET, PUT and DELETE can still be retried, and so can
 * POST, because its Idempotency-Key makes the service repeat the first response. PATCH cannot.
 */
export async function send<T>(
  options: ClientOptions,
  request: Request,
  { signal }: CallOptions = {},
): Promise<Answer<T>> {
  const { maxRetries = 4, maxWaitMs = 65_000 } = options;
  if (options.actor && /\p{Cc}/u.test(options.actor))
    throw new TypeError('actor must not contain line breaks or other control characters.');
  const headers: Record<string, string> = {
    ...(options.key === null
      ? { 'X-Partner-Signals-Console': '1' }
      : { Authorization: `Bearer ${options.key}` }),
    ...(options.actor === undefined || request.method === 'GET'
      ? {}
      : { 'X-Actor': headerText(options.actor) }),
    ...(request.method === 'POST' ? { 'Idempotency-Key': crypto.randomUUID() } : {}),
    ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...request.headers,
  };
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  for (let retries = 0; ; retries++) {
    try {
      return await attempt<T>(options, request, headers, body, signal);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      // A previous attempt may have deleted it, but its response got lost.
      if (retries > 0 && request.method === 'DELETE' && error.code === 'not_found')
        return { body: undefined as T, etag: '' };
      const waitMs = Math.max(error.retryAfterMs ?? 0, backoffMs(retries));
      if (retries >= maxRetries || waitMs > maxWaitMs || !mayRepeat(request.method, error)) throw error;
      options.onWait?.(waitMs, error);
      await pause(waitMs, signal);
    }
  }
}

/** Throws if no call with these options can succeed, and says what to pass instead. */
export function checkOptions({ baseUrl, key }: ClientOptions): void {
  const instead = baseUrl === '' ? undefined : betterServiceUrl(baseUrl);
  if (instead)
    throw new TypeError(`baseUrl must be the URL of the service: pass ${instead}, not ${baseUrl}.`);
  if (inTheClear.test(baseUrl))
    throw new TypeError(`baseUrl must begin with https:, or the key would be sent in the clear: ${baseUrl}`);
  if (key === undefined)
    throw new TypeError(
      'key is missing. Pass an API key (psk_…), or an operator key to the operator client.',
    );
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError(
      'key must not be empty or contain spaces, line breaks or characters other than ASCII. Trim a key that you read from a file.',
    );
}

/** What to pass instead of a URL to which no path of the API can be added; undefined if it is fine. */
export function betterServiceUrl(url: unknown): string | undefined {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    return 'one such as https://localhost:8443';
  const [, service] =
    /^(https?:\/\/[^/?#]+[^?#]*?)\/*(\/(v1|ingest|admin|console|docs|mcp)(\/.*)?)?([?#].*)?$/i.exec(url) ??
    [];
  return service === trimSlashes(url) ? undefined : service;
}

/** Copied from the address bar, a URL often ends in one. */
export function trimSlashes(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Plain HTTP to another machine. */
const inTheClear = /^http:\/\/(?!(localhost|127\.0\.0\.1|\[::1\])(:|\/|$))/i;

const passing: readonly ClientErrorCode[] = ['unreachable', 'timeout', 'internal_error', 'unavailable'];

function mayRepeat(method: Request['method'], { code, status, cause }: ClientError): boolean {
  if (code === 'rate_limited') return true;
  // Waiting does not make a certificate trusted.
  if (certificateCode.test(failureCode(cause))) return false;
  if (method === 'PATCH') return false;
  // Of the error pages of gateways, only those for temporary problems.
  return passing.includes(code) || (code === 'invalid_response' && [502, 503, 504].includes(status));
}

/** Doubles from 250 ms to 8 seconds, half of it random, so that clients do not all return at the same moment. */
function backoffMs(retries: number): number {
  return Math.min(8_000, 250 * 2 ** retries) * (0.5 + Math.random() / 2);
}

async function attempt<T>(
  { baseUrl, fetch: fetchIt = fetch, timeoutMs = 60_000 }: ClientOptions,
  { method, path, query }: Request,
  headers: Record<string, string>,
  body: string | null,
  signal: AbortSignal | undefined,
): Promise<Answer<T>> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetchIt(`${trimSlashes(baseUrl)}${path}${search(query)}`, {
      method,
      headers,
      body,
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (timeout.aborted)
      throw new ClientError('timeout', `The service did not answer within ${timeoutMs / 1000} seconds.`, {
        cause,
      });
    throw unreachable(baseUrl, cause);
  }
  if (response.status === 204) return { body: undefined as T, etag: '' };
  const isCsv = response.headers.get('content-type')?.startsWith('text/csv');
  const parsed = isCsv ? text : parse(text);
  if (!response.ok) throw refusal(response, parsed);
  if (parsed === undefined) throw unreadable(response);
  return { body: parsed as T, etag: response.headers.get('etag') ?? '' };
}

/** A header has bytes, one per character, and the service reads them as UTF-8. `fetch` refuses other characters. */
export function headerText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

export function unreachable(baseUrl: string, cause: unknown): ClientError {
  const where = baseUrl === '' ? '' : ` at ${baseUrl}`;
  const code = failureCode(cause);
  const reason = reasons.find(([pattern]) => pattern.test(code));
  const detail = code || hidden(cause);
  const why = reason ? `: ${reason[1]} (${code})` : detail && ` (${detail})`;
  const advice = reason?.[2] ? ` ${reason[2]}` : '';
  return new ClientError('unreachable', `The service cannot be reached${where}${why}.${advice}`, { cause });
}

/** `fetch` hides the code in the causes of its error. */
export function failureCode(cause: unknown): string {
  const { code, cause: deeper } = (cause ?? {}) as { code?: unknown; cause?: unknown };
  return typeof code === 'string' ? code : deeper ? failureCode(deeper) : '';
}

/** The message below `fetch failed`, such as `unexpected redirect`. */
function hidden(cause: unknown): string {
  const deeper = cause instanceof Error ? cause.cause : undefined;
  return deeper instanceof Error ? deeper.message : '';
}

export const certificateCode = /CERT|SIGNATURE|ISSUER/;
const reasons: [code: RegExp, reason: string, advice?: string][] = [
  [/^ECONNREFUSED$/, 'nothing is listening there'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the host name was not found'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/ALTNAME_INVALID$/, 'its certificate is for another host name'],
  [
    certificateCode,
    'its certificate is not trusted',
    'To trust its CA certificate, set NODE_EXTRA_CA_CERTS to its file, or pass your own fetch.',
  ],
];

function search(query: Query = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined);
  return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type ErrorBody = {
  error?: { code?: ErrorCode; message?: string; request_id?: string; details?: ErrorDetail[] };
} | null;

function refusal(response: Response, body: unknown): ClientError {
  const { code, message, ...rest } = (body as ErrorBody)?.error ?? {};
  if (!code || !message) return unreadable(response);
  return new ClientError(code, message, {
    status: response.status,
    retryAfterMs: retryAfterMs(response),
    ...rest,
  });
}

function unreadable(response: Response): ClientError {
  const { status } = response;
  return new ClientError(
    'invalid_response',
    `The response is not from Partner Signals (HTTP ${status}). Check proxies in between.`,
    {
      status,
      retryAfterMs: retryAfterMs(response),
    },
  );
}

/** The service sends seconds. A proxy may send a date, which is ignored. */
function retryAfterMs({ headers }: Response): number | undefined {
  const seconds = headers.get('retry-after');
  return seconds !== null && /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
