import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { KeyOwner } from '../store/keys/api-keys.ts';

/** The application, with request types derived from the schemas. */
export type Router = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** For routes that need a key, where admission guarantees a caller. */
export function callerOf(request: FastifyRequest): KeyOwner {
  if (!request.caller) throw new Error(`${request.routeOptions.url} was reached without a key`);
  return request.caller;
}

export function operatorOf(request: FastifyRequest): string {
  if (!request.operator) throw new Error(`${request.routeOptions.url} was reached without an operator's key`);
  return request.operator;
}
