import { type Static, type TProperties, type TSchema, type TSchemaOptions, Type } from 'typebox';
import { errorCodes, pageLimits, textLimits } from '../vocabulary.ts';
import { exampleId, filledText, id, moment, nullableObject, text } from './values/field.ts';

/** Unknown fields are refused, so that a misspelled field is never silently ignored. */
export const strict = { additionalProperties: false };

export function strictObject<T extends TProperties>(properties: T, options: TSchemaOptions = {}) {
  return Type.Object(properties, { ...strict, ...options });
}

/** A prefix to search for. */
export function searchField(description: string, example: string) {
  return Type.Optional(filledText(description, example, textLimits.search));
}

export const Meta = Type.Object(
  { request_id: id('request'), timestamp: moment('When the service responded.', '2026-03-02T09:30:00.000Z') },
  {
    title: 'Meta',
    description: 'About the response. Search the log of the service for the request id.',
  },
);

/** `options` describe the response in the OpenAPI document. */
export function One<T extends TSchema>(resource: T, description: string, options: TSchemaOptions = {}) {
  return Type.Object({ data: resource, meta: Meta }, { description, ...options });
}

/** In the format of real cursors: a key ID, a MAC and the position, in base64url. */
export const exampleCursor =
  'cur_AmsxUNhY4JhezH9gQYqvDMWrWH9CwlcKiECVqejMrND2VFxbIjIwMjYtMDMtMDJUMDk6MTU6MDAuMDAwWiIsInNpZ18wMWtocnkweDQ1ZTl0Ym0zdjF4MmM0ZDVmNiJd';

export const page = {
  has_more: Type.Boolean({ description: 'Whether there is another page.', examples: [true] }),
  next_cursor: Type.Optional(
    text('Cursor of the next page; absent on the last one.', exampleCursor, { pattern: '^cur_' }),
  ),
};

export function List<T extends TSchema>(resource: T, description: string) {
  return Type.Object({ data: Type.Array(resource), meta: Meta, ...page }, { description });
}

export const ErrorSchema = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(errorCodes, {
        title: 'ErrorCode',
        description: 'What went wrong, for programs. Each code has one status.',
      }),
      message: text('What went wrong, for people.', `There is no signal with the ID ${exampleId('signal')}.`),
      request_id: id('request'),
      details: Type.Optional(
        Type.Array(
          Type.Object(
            {
              field: text('The field, parameter or header; dots lead to nested fields.', 'limit'),
              code: text('What is wrong with it, for programs.', 'out_of_range'),
              message: text('What is wrong with it, for people.', 'must be at most 100'),
            },
            { title: 'ErrorDetail' },
          ),
          { description: 'One entry per invalid field.' },
        ),
      ),
    }),
  },
  { title: 'Error', description: 'The response to every failed request.' },
);

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: pageLimits.most,
      default: pageLimits.default,
      description: 'Results per page.',
      examples: [pageLimits.default],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 4096,
      // No example: the API reference would prefill it, and only a cursor that the list returned is accepted.
      description: 'The `next_cursor` of the previous page. Use the same filters.',
    }),
  ),
};
export const PageQuerySchema = strictObject(PageQuery);
export type Page = { limit?: Static<typeof PageQuery.limit>; cursor?: string };

export function errorResponse(description: string, example: string) {
  const error = Type.Object({
    code: Type.Enum(errorCodes, { title: 'ErrorCode' }),
    message: text('What went wrong, for people.', example),
  });
  return nullableObject(error, description, { examples: [null] });
}
