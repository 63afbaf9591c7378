import type { FastifyContextConfig } from 'fastify';
import { type ErrorCode, exportRows } from '../../vocabulary.ts';
import type { Access } from '../admission/admit.ts';
import { errorResponses } from './errors.ts';
import { everyResponseHeaders, replayedHeader, requestHeaders } from './headers.ts';
import type { Operation, Parameter, Response } from './parts.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For the OpenAPI document: request headers that this route supports in addition to the common ones. */
    honours?: readonly Exclude<keyof typeof requestHeaders, 'Idempotency-Key'>[];
    /** For the OpenAPI document: the error codes that are specific to this route. */
    refuses?: readonly ErrorCode[];
  }
}

export function describeOperation(
  method: string,
  operation: Operation,
  {
    access = { plane: 'open' },
    honours = [],
    refuses = [],
    bodyOptional = false,
    csv = false,
  }: FastifyContextConfig,
): void {
  const isPost = method === 'post';
  operation.security = securityOf(access);
  operation.description = [operation.description, needs(access)].join('\n\n').trim();
  operation.parameters = [
    ...(operation.parameters ?? []),
    ...(isPost ? [requestHeaders['Idempotency-Key']] : []),
    ...honours.map((name) => requestHeaders[name]),
  ].map((parameter) => ({ ...parameter, required: isRequired(method, parameter) }));
  if (csv) {
    const content = operation.responses[200]?.content;
    if (content) content['text/csv'] = { schema: csvSchema };
  }
  if (operation.requestBody) operation.requestBody.required = !bodyOptional;
  for (const response of Object.values(operation.responses)) {
    delete response.content?.['application/json']?.schema.description;
    response.headers = {
      ...everyResponseHeaders,
      ...(isPost ? replayedHeader : {}),
      ...requiredHeaders(response),
    };
  }
  Object.assign(operation.responses, errorResponses(errorCodesOf(method, operation, access, refuses)));
}

const csvSchema = {
  title: 'Csv',
  type: 'string',
  description: `With \`Accept: text/csv\`: all rows that match, without \`limit\` and \`cursor\`, up to ${exportRows.toLocaleString('en')}. Nested fields are columns such as \`partner.name\`. An apostrophe precedes text that a spreadsheet could take for a formula.`,
  examples: ['id,name\r\nprt_01khry0x42e9tbm3v1x2c4d5f6,Zephyr Cloud\r\n'],
};

/** Responses to requests that match no operation. */
export function otherResponses(): Record<string, Response> {
  return errorResponses(['not_found', 'method_not_allowed']);
}

function errorCodesOf(
  method: string,
  { parameters = [] }: Operation,
  access: Access,
  refuses: readonly ErrorCode[],
): ErrorCode[] {
  const codes: ErrorCode[] = ['invalid_request', 'https_required', 'internal_error', 'unavailable'];
  if (access.plane !== 'open') codes.push('unauthorized', 'rate_limited');
  if ('scope' in access) codes.push('forbidden');
  if (parameters.some(({ name }) => name === 'cursor')) codes.push('invalid_cursor');
  if (parameters.some((parameter) => parameter.in === 'path')) codes.push('not_found');
  // A body is read even if the operation does not expect one.
  if (method !== 'get') codes.push('payload_too_large', 'unsupported_media_type');
  if (method === 'post') codes.push('idempotency_conflict');
  return [...codes, ...refuses];
}

function securityOf(access: Access): Record<string, string[]>[] {
  if (access.plane === 'open') return [];
  return access.plane === 'operator' ? [{ operatorKey: [] }] : [{ apiKey: [] }];
}

function needs(access: Access): string {
  if (access.plane === 'open') return 'Needs no key, and counts against no limit.';
  if (access.plane === 'operator') return 'Needs an operator key.';
  return `Needs an API key with the scope \`${access.scope}\`.`;
}

/** A PUT replaces all of a resource, so it must say which version it replaces. */
function isRequired(method: string, parameter: Pick<Parameter, 'name' | 'in'>): boolean {
  return parameter.in === 'path' || (method === 'put' && parameter.name === 'If-Match');
}

/** A header that the route itself declares is always present. */
function requiredHeaders({ headers = {} }: Response): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => {
      const { schema, ...rest } = header as { schema: { examples?: unknown[] } };
      const { examples, ...plain } = schema;
      return [name, { ...rest, required: true, schema: plain, example: examples?.[0] }];
    }),
  );
}
