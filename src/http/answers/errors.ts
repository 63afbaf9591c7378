import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, invalidField, invalidFields, unavailable } from '../../contract/error.ts';
import { fieldErrors } from '../../contract/values/validation.ts';
import { isConnectionFailure, sqlState } from '../../store/db/failures.ts';

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = toApiError(error, request);
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(errorEnvelope(answer, request.id));
}

export function errorEnvelope(error: ApiError, requestId: string) {
  return {
    error: {
      code: error.code,
      message: error.message,
      request_id: requestId,
      ...(error.details ? { details: error.details } : {}),
    },
  };
}

type FrameworkError = {
  code?: unknown;
  statusCode?: unknown;
  validation?: unknown;
  validationContext?: unknown;
};

export function unsupportedMediaType(request: FastifyRequest): ApiError {
  const takes = request.routeOptions.config.takes ?? 'application/json';
  return new ApiError('unsupported_media_type', `Send the body as ${takes} (Content-Type header).`);
}

/** The cause only goes to the log; the caller gets the request ID to ask about it. An ApiError has no cause to log. */
export function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  const answer = meaningOf(error, request);
  if (answer.status >= 500) request.log.error({ err: error }, answer.code);
  return answer;
}

function meaningOf(error: unknown, request: FastifyRequest): ApiError {
  const { code, statusCode, validation, validationContext } = (error ?? {}) as FrameworkError;
  if (Array.isArray(validation)) return invalidFields(fieldErrors(validation, String(validationContext)));
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(request);
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError(
        'payload_too_large',
        `The body is larger than ${request.routeOptions.bodyLimit / 1_048_576} MiB.`,
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError(
        'invalid_request',
        'The length of the body does not match the Content-Length header.',
      );
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return invalidField('body', 'required', 'must not be empty');
  }
  // Cancelled by the statement timeout or the lock timeout.
  if (isConnectionFailure(error) || ['57014', '55P03'].includes(sqlState(error))) {
    return unavailable('The service is temporarily unavailable. Try again shortly.');
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new ApiError('invalid_request', 'The request could not be read.');
  }
  return new ApiError(
    'internal_error',
    'Something went wrong on our side. If it persists, search the log of the service for the request id.',
  );
}
