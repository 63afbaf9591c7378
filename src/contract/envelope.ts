import { type Static, type TSchema, Type } from 'typebox';

/** Unknown fields are refused, so that a mistyped one never does nothing in silence. */
export const strict = { additionalProperties: false };

export const Timestamp = Type.Unsafe<Date>({
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601, UTC',
});
export const NullableTimestamp = Type.Unsafe<Date | null>({
  type: ['string', 'null'],
  format: 'date-time',
  description: 'ISO 8601, UTC',
});

export const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });

/** Text that a person reads: 1 to 200 characters, not only white space. */
export const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });

const Meta = Type.Object({ request_id: Type.String(), timestamp: Timestamp });

export function One<T extends TSchema>(resource: T) {
  return Type.Object({ data: resource, meta: Meta });
}

export function List<T extends TSchema>(resource: T) {
  return Type.Object({
    data: Type.Array(resource),
    meta: Meta,
    has_more: Type.Boolean(),
    next_cursor: Type.Optional(Type.String()),
  });
}

export const ErrorSchema = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    request_id: Type.String(),
    details: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() })),
    ),
  }),
});

export const maxLimit = 100;

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxLimit, default: 25, description: 'Results per page, 1 to 100.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: 'The next_cursor of the page before, with the same filters.',
    }),
  ),
};
export type Page = { limit?: Static<typeof PageQuery.limit>; cursor?: string };
