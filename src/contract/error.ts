/** The closed list of error codes, each with the one status that it is answered with. */
const statusByCode = {
  invalid_request: 400,
  invalid_cursor: 400,
  unauthorized: 401,
  forbidden: 403,
  https_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  invalid_transition: 409,
  dispute_already_open: 409,
  dispute_closed: 409,
  sourced_taken: 409,
  limit_reached: 409,
  idempotency_conflict: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusByCode;
export const errorCodes = Object.keys(statusByCode) as ErrorCode[];

export function statusOf(code: ErrorCode): number {
  return statusByCode[code];
}

export type ErrorDetail = { field: string; code: string; message: string };

/** Everything that is answered with an error envelope; `message` and `details` are read by the caller. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    extra: { details?: ErrorDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.details = extra.details;
    this.headers = extra.headers ?? {};
  }

  get status(): number {
    return statusOf(this.code);
  }
}

export function notFound(what: string): ApiError {
  return new ApiError('not_found', `There is no such ${what}.`);
}

/** A 400 with one line per bad field; the message repeats the first, for people who read only that. */
export function invalidFields(details: ErrorDetail[]): ApiError {
  const [first] = details;
  const rest = details.length > 1 ? ` (and ${details.length - 1} more: see details)` : '';
  return new ApiError(
    'invalid_request',
    first ? `${first.field}: ${first.message}${rest}` : 'The request is not valid.',
    {
      details,
    },
  );
}
