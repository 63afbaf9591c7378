import type { ErrorCode, ErrorDetail } from './types.ts';

/** The service's codes, and three for when it was not the service that answered. */
export type ClientErrorCode = ErrorCode | 'unreachable' | 'timeout' | 'unreadable_answer';

/** Every failure of a call, apart from its own abortion, which stays the reason that its signal was given. */
export class ClientError extends Error {
  readonly code: ClientErrorCode;
  /** 0 where no answer came. */
  readonly status: number;
  readonly details: ErrorDetail[];
  readonly request_id: string | undefined;
  /** How long the service asked to wait. */
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
