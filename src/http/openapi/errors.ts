import { ErrorSchema } from '../../contract/envelope.ts';
import { type ErrorCode, type ErrorDetail, errorCodes, statusOf } from '../../contract/error.ts';
import { exampleId } from '../../contract/field.ts';
import { everyResponseHeaders, headersByStatus } from './headers.ts';
import type { Response, Schema } from './parts.ts';

type Case = { when: string; message: string; details?: ErrorDetail[] };

const cases: Record<ErrorCode, Case> = {
  invalid_request: {
    when: 'a parameter, header or field is unknown, missing or badly typed, or the body is no JSON; `details` names every one',
    message: 'limit: must be <= 100',
    details: [{ field: 'limit', code: 'out_of_range', message: 'must be <= 100' }],
  },
  invalid_cursor: {
    when: 'the cursor is not one of ours, or was issued for other filters or another organization',
    message: 'The cursor is not one that this list returned for these filters. Start again without a cursor.',
    details: [
      { field: 'cursor', code: 'invalid_cursor', message: 'not a cursor of this list with these filters' },
    ],
  },
  unauthorized: {
    when: 'the key is missing, malformed, unknown, revoked or expired',
    message: 'The key is not valid.',
  },
  forbidden: {
    when: 'the key lacks the scope, which the message names',
    message: 'This key lacks the scope "write"; it has: read.',
  },
  https_required: {
    when: 'the request came over plain HTTP',
    message: 'This service speaks HTTPS only. Send the request to the https:// address.',
  },
  not_found: {
    when: 'there is no such thing, or it is another organization’s',
    message: 'There is no such signal.',
  },
  method_not_allowed: { when: 'the path takes other methods', message: 'This path takes GET, HEAD, PATCH.' },
  invalid_transition: {
    when: 'its present state does not allow this',
    message: 'A signal that is handled cannot become new; allowed from handled: in_progress.',
    details: [{ field: 'state', code: 'invalid_transition', message: 'allowed from handled: in_progress' }],
  },
  dispute_already_open: {
    when: 'the record has an open dispute',
    message: 'This record has an open dispute already. Resolve or withdraw that first.',
  },
  dispute_closed: { when: 'the dispute is resolved already', message: 'This dispute is rejected already.' },
  sourced_taken: {
    when: 'an accepted dispute has pinned the tier `sourced` to another partner',
    message:
      'Another partner holds "sourced" on this deal by an accepted dispute; that one would have to be disputed first.',
  },
  limit_reached: {
    when: 'the organization has as many of these as its plan allows',
    message:
      'The standard plan allows 25 webhooks, and this organization has 25. Delete one you no longer need, or ask your operator to change the plan.',
  },
  idempotency_conflict: {
    when: 'the Idempotency-Key was used with another body',
    message: 'This Idempotency-Key was used with another request. Use a new key.',
  },
  precondition_failed: {
    when: 'it is not what If-Match says',
    message: 'The signal has changed since you read it. Read it again and decide anew.',
  },
  payload_too_large: {
    when: 'the body is too large: 1 MiB, for rows 16 MiB and 10,000 of them',
    message: 'The body is larger than 1048576 bytes.',
  },
  unsupported_media_type: {
    when: 'the body has another type',
    message: 'Send the body as application/json (Content-Type header).',
  },
  rate_limited: { when: 'a limit is used up', message: 'Too many requests. Try again in 24 seconds.' },
  internal_error: {
    when: 'the service failed',
    message: 'Something went wrong on our side. The request id finds it in the log.',
  },
  unavailable: {
    when: 'the service cannot answer right now',
    message: 'The service cannot answer right now. Try again shortly.',
  },
};

/** By status, each with the codes that can come there. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, Response> {
  const inOrder = errorCodes.filter((code) => codes.includes(code));
  const statuses = [...new Set(inOrder.map(statusOf))];
  return Object.fromEntries(
    statuses.map((status) => [status, errorResponse(inOrder.filter((code) => statusOf(code) === status))]),
  );
}

export function errorTable(): string {
  const rows = errorCodes.map((code) => `| ${statusOf(code)} | \`${code}\` | ${cases[code].when} |`);
  return ['| status | `error.code` | when |', '|---|---|---|', ...rows].join('\n');
}

function errorResponse(codes: ErrorCode[]): Response & { title: string } {
  const [first = 'internal_error'] = codes;
  const code: Schema = codes.length === 1 ? { const: first } : { type: 'string', enum: codes };
  return {
    title: codes.map(inPascalCase).join('Or'),
    description: codes.map((code) => `\`${code}\`: ${cases[code].when}.`).join('\n\n'),
    headers: { ...everyResponseHeaders, ...headersByStatus[statusOf(first)] },
    content: {
      'application/json': {
        schema: {
          allOf: [ErrorSchema as unknown as Schema],
          properties: { error: { properties: { code } } },
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOfError(code) }])),
      },
    },
  };
}

function exampleOfError(code: ErrorCode) {
  const { message, details } = cases[code];
  return { error: { code, message, request_id: exampleId('request'), ...(details ? { details } : {}) } };
}

function inPascalCase(code: string): string {
  return code.replace(/(^|_)\w/g, (start) => start.slice(-1).toUpperCase());
}
