import type { ErrorCode, ErrorDetail } from '../contract/error.ts';
import type { ChangeSignal } from '../contract/signal.ts';
import { ClientError } from './client-error.ts';
import type {
  List,
  One,
  Overlap,
  Page,
  Partner,
  PartnerActivity,
  PartnerDetail,
  PartnerFilters,
  Signal,
  SignalDetail,
  SignalFilters,
  SignalSummary,
  Tagged,
} from './types.ts';

export type ClientOptions = {
  /** The origin of the service, e.g. `https://localhost:8443`; empty for a page that the service itself serves. */
  baseUrl: string;
  key: string;
  fetch?: typeof fetch;
};

export type CallOptions = { signal?: AbortSignal | undefined };
export type ChangeOptions = CallOptions & {
  /** The `etag` of the signal as it was read; the change is refused where it has changed since. */
  ifMatch?: string;
};

export type Client = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions) {
  const get = <T>(path: string, query: Query, call: CallOptions = {}) =>
    send<T>(options, 'GET', path + search(query), call).then(({ body }) => body);

  return {
    signals: {
      list: (filters: SignalFilters = {}, page: Page = {}, call?: CallOptions) =>
        get<List<Signal>>('/v1/signals', { ...filters, ...page }, call),
      get: async (id: string, call: CallOptions = {}) =>
        tagged(await send<One<SignalDetail>>(options, 'GET', `/v1/signals/${encodeURIComponent(id)}`, call)),
      change: async (id: string, change: ChangeSignal, { ifMatch, ...call }: ChangeOptions = {}) =>
        tagged(
          await send<One<SignalDetail>>(
            options,
            'PATCH',
            `/v1/signals/${encodeURIComponent(id)}`,
            call,
            change,
            ifMatch,
          ),
        ),
      summary: (call?: CallOptions) => get<One<SignalSummary>>('/v1/signals/summary', {}, call),
    },
    partners: {
      list: (filters: PartnerFilters = {}, page: Page = {}, call?: CallOptions) =>
        get<List<Partner>>('/v1/partners', { ...filters, ...page }, call),
      get: (id: string, call?: CallOptions) =>
        get<One<PartnerDetail>>(`/v1/partners/${encodeURIComponent(id)}`, {}, call),
      activities: (id: string, page: Page = {}, call?: CallOptions) =>
        get<List<PartnerActivity>>(`/v1/partners/${encodeURIComponent(id)}/activities`, page, call),
      overlaps: (id: string, page: Page = {}, call?: CallOptions) =>
        get<List<Overlap>>(`/v1/partners/${encodeURIComponent(id)}/overlaps`, page, call),
    },
  };
}

type Query = Record<string, string | number | undefined>;
type Answer<T> = { body: T; etag: string };

async function send<T>(
  { baseUrl, key, fetch: send = fetch }: ClientOptions,
  method: string,
  path: string,
  { signal }: CallOptions,
  body?: unknown,
  ifMatch?: string,
): Promise<Answer<T>> {
  let response: Response;
  let text: string;
  try {
    response = await send(`${baseUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ?? null,
    });
    text = await response.text();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ClientError('unreachable', 'The service cannot be reached.', { cause });
  }
  const parsed = parse(text);
  if (!response.ok) throw refusal(response, parsed);
  if (parsed === undefined) throw unreadable(response);
  return { body: parsed as T, etag: response.headers.get('etag') ?? '' };
}

function tagged<T>({ body, etag }: Answer<One<T>>): Tagged<T> {
  return { ...body, etag };
}

function search(query: Query): string {
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
  return new ClientError(code, message, { status: response.status, ...rest });
}

function unreadable({ status }: Response): ClientError {
  return new ClientError('unreadable_answer', `Something else than the service answered, with ${status}.`, {
    status,
  });
}
