import { Readable } from 'node:stream';
import type { FastifyRequest, FastifySchemaCompiler, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { strict } from '../../contract/envelope.ts';
import { invalidFields } from '../../contract/error.ts';
import { compileSchema, proto, tooManyMembers, unstorable } from '../../contract/values/validation.ts';

type Json = Record<string, unknown>;

/**
 * A query parameter arrives as text. Only a plain number becomes a number: the validator's own coercion would also accept
 * "1e1", "0x10" and " 5".
 */
export const compileValidator: FastifySchemaCompiler<Json> = ({ schema, httpPart }) => {
  const validate = compileSchema(schema);
  if (httpPart !== 'querystring') return validate;
  const types = Object.entries((schema.properties ?? {}) as Record<string, { type?: string }>);
  return (query: Json) => {
    for (const [name, { type }] of types) {
      const text = query[name];
      if (typeof text !== 'string') continue;
      if (type === 'integer' && /^-?\d{1,15}$/.test(text)) query[name] = Number(text);
      if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) query[name] = Number(text);
      if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
    }
    if (validate(query)) return { value: query };
    return { error: Object.assign(new Error('invalid'), { validation: validate.errors }) as never };
  };
};

/** A route that declares no query parameters accepts none. Probes and pages, which need no key, accept any. */
export function refuseParameters(route: RouteOptions): void {
  if (route.config?.access === undefined || route.config.access.plane === 'open') return;
  route.schema = { querystring: Type.Object({}, strict), ...route.schema };
}

/**
 * Refuses text that the database cannot store, in the query and the body; rows are checked one by one. Identifiers in the
 * query are left to the route, where a malformed one matches nothing.
 */
export async function refuseUnstorable(request: FastifyRequest): Promise<void> {
  const isRows = Buffer.isBuffer(request.body) || request.body instanceof Readable;
  const tooMany = isRows ? [] : tooManyMembers(request.body);
  if (tooMany.length > 0) throw invalidFields(tooMany);
  const details = [
    ...unstorable(request.query).filter(({ field }) => !field.endsWith('_id') && field !== proto),
    ...(isRows ? [] : unstorable(request.body)),
  ];
  if (details.length > 0) throw invalidFields(details);
}
