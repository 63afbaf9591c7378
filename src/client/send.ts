import { ClientError, type ClientErrorCode } from './client-error.ts';
import type { ErrorCode, ErrorDetail } from './types.ts';

export type ClientOptions = {
  /** The origin of the service, e.g. `https://localhost:8443`; empty for a page that the service itself serves. */
  baseUrl: string;
  /** Null in the console of the service, where the browser's session stands for a key. */
  key: string | null;
  /** Named in the history of what this client changes, up to 200 characters: the person behind a shared key. */
  actor?: string | undefined;
  /** Another fetch than the global one: to trust an authority of your own, or to go through a proxy. */
  fetch?: typeof fetch | undefined;
  /** How often a call that is safe to repeat is sent again; 4 unless told otherwise. */
  maxRetries?: number | undefined;
  /** How long one attempt may take, the reading of the answer included; a minute unless told otherwise. */
  timeoutMs?: number | undefined;
  /** A wait that the service asks for and that is longer is not waited for; 65 seconds unless told otherwise. */
  maxWaitMs?: number | undefined;
  /** Before each wait for another attempt: to tell a person why nothing happens. */
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
 * Sends, and sends again where that is safe and promises something. What was refused for the limit was not done and may
 * always be repeated. After a failure in between, what was done is unknown: reading, replacing and deleting may be
 * repeated all the same, and so may a POST, whose Idempotency-Key makes the service answer the second as the first;
 * a PATCH may not.
 */
export async function send<T>(
  options: ClientOptions,
  request: Request,
  { signal }: CallOptions = {},
): Promise<Answer<T>> {
  const { maxRetries = 4, maxWaitMs = 65_000 } = options;
  if (inTheClear.test(options.baseUrl))
    throw new TypeError(
      `baseUrl must begin with https:, or the key would be sent in the clear: ${options.baseUrl}`,
    );
  const headers: Record<string, string> = {
    ...(options.key === null
      ? { 'X-Partner-Signals-Console': '1' }
      : { Authorization: `Bearer ${options.key}` }),
    ...(options.actor === undefined || request.method === 'GET' ? {} : { 'X-Actor': options.actor }),
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
      // The attempt before may have deleted it without our learning so.
      if (retries > 0 && request.method === 'DELETE' && error.code === 'not_found')
        return { body: undefined as T, etag: '' };
      const waitMs = Math.max(error.retryAfterMs ?? 0, backoffMs(retries));
      if (retries >= maxRetries || waitMs > maxWaitMs || !mayRepeat(request.method, error)) throw error;
      options.onWait?.(waitMs, error);
      await pause(waitMs, signal);
    }
  }
}

/** Plain HTTP, to anywhere but this machine. */
const inTheClear = /^http:\/\/(?!(localhost|127\.0\.0\.1|\[::1\])(:|\/|$))/i;

const passing: readonly ClientErrorCode[] = ['unreachable', 'timeout', 'internal_error', 'unavailable'];

function mayRepeat(method: Request['method'], { code, status }: ClientError): boolean {
  if (code === 'rate_limited') return true;
  if (method === 'PATCH') return false;
  // Of a gateway's own pages only those that speak of a passing state.
  return passing.includes(code) || (code === 'unreadable_answer' && [502, 503, 504].includes(status));
}

/** Doubles from a quarter of a second to eight, half of it by chance, so that many clients do not come back as one. */
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
    response = await fetchIt(`${baseUrl}${path}${search(query)}`, {
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
    const where = baseUrl === '' ? '' : ` at ${baseUrl}`;
    throw new ClientError('unreachable', `The service cannot be reached${where}.`, { cause });
  }
  if (response.status === 204) return { body: undefined as T, etag: '' };
  const isCsv = response.headers.get('content-type')?.startsWith('text/csv');
  const parsed = isCsv ? text : parse(text);
  if (!response.ok) throw refusal(response, parsed);
  if (parsed === undefined) throw unreadable(response);
  return { body: parsed as T, etag: response.headers.get('etag') ?? '' };
}

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
    'unreadable_answer',
    `The response is not from Partner Signals (HTTP ${status}). Check proxies in between.`,
    {
      status,
      retryAfterMs: retryAfterMs(response),
    },
  );
}

/** The service gives seconds; a date, which a proxy may give, is left to the client's own pace. */
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
