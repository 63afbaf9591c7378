import { ErrorSchema } from '../../contract/envelope.ts';
import type { ErrorDetail } from '../../contract/error.ts';
import { exampleId } from '../../contract/values/field.ts';
import { bodyLimits, type ErrorCode, errorCodes, errorStatus, planLimits } from '../../vocabulary.ts';
import { everyResponseHeaders, headersByStatus } from './headers.ts';
import type { Response, Schema } from './parts.ts';

type Case = { when: string; message: string; details?: ErrorDetail[] };

const cases: Record<ErrorCode, Case> = {
  invalid_request: {
    when: 'a parameter, header or field is unknown, missing or invalid, or the body is not valid JSON; `details` lists every problem',
    message: 'limit: must be at most 100',
    details: [{ field: 'limit', code: 'out_of_range', message: 'must be at most 100' }],
  },
  invalid_cursor: {
    when: 'the cursor is malformed, or belongs to other filters or another organization',
    message: 'This cursor is not valid for this list and these filters. Start again without a cursor.',
    details: [
      { field: 'cursor', code: 'invalid_cursor', message: 'is not valid for this list and these filters' },
    ],
  },
  unauthorized: {
    when: 'the key is missing, malformed, unknown, revoked or expired',
    message: 'The key is not valid.',
  },
  forbidden: {
    when: 'the key is not allowed to do this; the message says why, for example a missing scope',
    message: 'This requires the scope "write"; your key has: read.',
  },
  https_required: {
    when: 'the request came over plain HTTP',
    message: 'This service accepts HTTPS only. Send the request to its https:// URL.',
  },
  not_found: {
    when: 'the resource does not exist, or belongs to another organization',
    message: `There is no signal with the ID ${exampleId('signal')}.`,
  },
  method_not_allowed: {
    when: 'the path does not support this method',
    message: 'This path supports GET, HEAD, PATCH.',
  },
  invalid_transition: {
    when: 'the current state does not allow this change; the message says why, and lists the states that you can set, if there are any',
    message: 'A signal in state handled cannot become new; from handled, you can set: in_progress.',
    details: [
      { field: 'state', code: 'invalid_transition', message: 'from handled, you can set: in_progress' },
    ],
  },
  webhook_disabled: {
    when: 'the webhook is disabled, so nothing is sent to it',
    message:
      'The webhook is disabled (disabled by a client). Enable it first: PATCH it with {"status":"enabled"}.',
  },
  dispute_already_open: {
    when: 'the record already has an open dispute',
    message: 'This record already has an open dispute. Decide or withdraw it first.',
  },
  dispute_closed: { when: 'the dispute is already resolved', message: 'This dispute is already rejected.' },
  sourced_taken: {
    when: 'another partner has the tier `sourced` through an accepted dispute',
    message:
      'Another partner has the tier "sourced" for this deal through an accepted dispute. Open a dispute on that record first.',
  },
  limit_reached: {
    when: 'a limit on the number of resources is reached; the message names the limit',
    message: `The standard plan allows ${planLimits.standard.webhooks} webhooks, and this organization has ${planLimits.standard.webhooks}. Delete one you no longer need, or ask your operator to change the plan.`,
  },
  idempotency_conflict: {
    when: 'the Idempotency-Key was already used with a different request',
    message: 'This Idempotency-Key was already used with a different request. Use a new key.',
  },
  precondition_failed: {
    when: 'the resource no longer matches If-Match',
    message: 'The signal has changed since you read it. Reload it and retry if the change still applies.',
  },
  payload_too_large: {
    when: `the body is too large: more than ${bodyLimits.bytes / 1_048_576} MiB, or for rows more than ${bodyLimits.rowBytes / 1_048_576} MiB or ${bodyLimits.rows.toLocaleString('en')} rows`,
    message: 'The body is larger than 1 MiB.',
  },
  unsupported_media_type: {
    when: 'the Content-Type is not supported',
    message: 'Send the body as application/json (Content-Type header).',
  },
  rate_limited: {
    when: 'a rate limit is used up, too much data of the organization is in flight, or the organization is running another export',
    message: 'Too many requests. Try again in 24 seconds.',
  },
  internal_error: {
    when: 'the service failed unexpectedly',
    message:
      'Something went wrong on our side. If it persists, search the log of the service for the request id.',
  },
  unavailable: {
    when: 'the service is temporarily unavailable',
    message: 'The service is temporarily unavailable. Try again shortly.',
  },
};

/** By status, with the codes that it can have. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, Response> {
  const inOrder = errorCodes.filter((code) => codes.includes(code));
  const statuses = [...new Set(inOrder.map((code) => errorStatus[code]))];
  return Object.fromEntries(
    statuses.map((status) => [status, errorResponse(inOrder.filter((code) => errorStatus[code] === status))]),
  );
}

export function errorTable(): string {
  const rows = errorCodes.map((code) => `| ${errorStatus[code]} | \`${code}\` | ${cases[code].when} |`);
  return ['| status | `error.code` | when |', '|---|---|---|', ...rows].join('\n');
}

function errorResponse(codes: ErrorCode[]): Response & { title: string } {
  const [first = 'internal_error'] = codes;
  const code: Schema = codes.length === 1 ? { const: first } : { type: 'string', enum: codes };
  return {
    title: codes.map(inPascalCase).join('Or'),
    description: codes.map((code) => `\`${code}\`: ${cases[code].when}.`).join('\n\n'),
    headers: { ...everyResponseHeaders, ...headersByStatus[errorStatus[first]] },
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
