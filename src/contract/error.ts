import { type DetailCode, type ErrorCode, errorStatus } from '../vocabulary.ts';

export type ErrorDetail = { field: string; code: DetailCode; message: string };

/** An error response; callers read `message` and `details`. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    { details, headers = {} }: { details?: ErrorDetail[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.headers = headers;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** `id` is what the caller asked for, which can be any text. */
export function notFound(what: string, id?: string): ApiError {
  if (id === undefined) return new ApiError('not_found', `There is no such ${what}.`);
  const shown = id.length > 100 ? `${id.slice(0, 100).toWellFormed()}…` : id;
  return new ApiError('not_found', `There is no ${what} with the ID ${shown}.`);
}

/** A temporary failure: the caller should retry after a second. */
export function unavailable(message: string): ApiError {
  return new ApiError('unavailable', message, { headers: { 'Retry-After': '1' } });
}

export function invalidField(field: string, code: DetailCode, message: string): ApiError {
  return invalidFields([{ field, code, message }]);
}

/** A 400 with one entry per invalid field. The message repeats the first entry for people who read only that. */
export function invalidFields(details: ErrorDetail[]): ApiError {
  const [first] = details;
  const rest = details.length > 1 ? ` (and ${details.length - 1} more: see details)` : '';
  const message = first ? `${first.field}: ${first.message}${rest}` : 'The request is not valid.';
  return new ApiError('invalid_request', message, { details });
}
