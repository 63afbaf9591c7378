import type { ErrorCode, ErrorDetail } from './types.ts';

/** The service's codes, and three for failures outside the service. */
export type ClientErrorCode = ErrorCode | 'unreachable' | 'timeout' | 'invalid_response';

/** Every failure of a call, except its abortion, which throws the reason of its signal. */
export class ClientError extends Error {
  readonly code: ClientErrorCode;
  /** 0 without a response. */
  readonly status: number;
  readonly details: ErrorDetail[];
  readonly request_id: string | undefined;
  /** How long the service asked the client to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ClientErrorCode,
    message: string,
    rest: {
      status?: number;
      details?: ErrorDetail[];
      request_id?: string;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: rest.cause });
    this.name = 'ClientError';
    this.code = code;
    this.status = rest.status ?? 0;
    this.details = rest.details ?? [];
    this.request_id = rest.request_id;
    this.retryAfterMs = rest.retryAfterMs;
  }
}
