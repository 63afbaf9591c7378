import { type Static, type TObject, type TSchemaOptions, Type } from 'typebox';
import { type IdKind, type IdOf, prefixes } from '../id-prefixes.ts';

/** A code of ISO 4217. */
export const currencyPattern = '^[A-Z]{3}$';

/*
 * Building blocks of schemas. Every field has an example, from which the OpenAPI document builds the examples of requests
 * and responses. A schema with a `title` becomes a component of the document under that name.
 */

/** An identifier in a response. */
export function id<K extends IdKind>(kind: K) {
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Id`;
  return Type.Unsafe<IdOf<K>>({
    type: 'string',
    title,
    pattern: patternOf(kind),
    examples: [exampleId(kind)],
  });
}

export function nullableId<K extends IdKind>(kind: K, description: string) {
  return nullable<IdOf<K>>('string', description, exampleId(kind), { pattern: patternOf(kind) });
}

/** An identifier in a request: opaque, so a malformed one is unknown, not invalid. */
export function reference(kind: IdKind, description: string) {
  return Type.String({ description, examples: [exampleId(kind)] });
}

export function exampleId(kind: IdKind): string {
  const digit = '0123456789abcdefghjkmnpqrstvwxyz'[Object.keys(prefixes).indexOf(kind)];
  return `${prefixes[kind]}_01khry0x4${digit}e9tbm3v1x2c4d5f6`;
}

export function text(description: string, example: string, options: TSchemaOptions = {}) {
  return Type.String({ description, examples: [example], ...options });
}

/** Text that is not empty and not only white space. */
export function filledText(description: string, example: string, maxLength: number) {
  return text(description, example, { minLength: 1, maxLength, pattern: '\\S' });
}

export function nullableText(description: string, example: string | null = null) {
  return nullable<string>('string', description, example);
}

export function integer(description: string, example: number, options: TSchemaOptions = {}) {
  return Type.Integer({ description, examples: [example], ...options });
}

export function nullableInteger(description: string, example: number | null = null) {
  return nullable<number>('integer', description, example);
}

export function number(description: string, example: number, options: TSchemaOptions = {}) {
  return Type.Number({ description, examples: [example], ...options });
}

/** A timestamp in a response: ISO 8601 in UTC, with milliseconds. */
export function moment(description: string, example: string) {
  return Type.Unsafe<Date>({ type: 'string', format: 'date-time', description, examples: [example] });
}

export function nullableMoment(description: string, example: string | null = null) {
  return nullable<Date>('string', description, example, { format: 'date-time' });
}

export function nullable<T>(type: string, description: string, example: unknown, options: object = {}) {
  return Type.Unsafe<T | null>({ type: [type, 'null'], ...options, description, examples: [example] });
}

export function nullableObject<T extends TObject>(schema: T, description: string, options: object = {}) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: ['object', 'null'], description, ...options });
}

/** A day in a request: a date, or a timestamp on that day. */
export function day(description: string, example: string) {
  return Type.Unsafe<string>({
    type: 'string',
    anyOf: [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
    ],
    description,
    examples: [example],
  });
}

export function optionalDay(description: string, example: string) {
  const how = 'YYYY-MM-DD, or a timestamp, whose UTC date is used.';
  return Type.Optional(day(`${description} ${how}`, example));
}

function patternOf(kind: IdKind): string {
  return `^${prefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
}
