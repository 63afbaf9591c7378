import { type TSchemaOptions, Type } from 'typebox';
import { type IdKind, type IdOf, prefixes } from './ids.ts';

/*
 * What schemas are made of. Every field has an example, from which the API document puts together those of its
 * requests and answers; a `title` makes a schema one of the document's components, under that name.
 */

/** An identifier as the service writes it. */
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
  return Type.Unsafe<IdOf<K> | null>({
    type: ['string', 'null'],
    pattern: patternOf(kind),
    description,
    examples: [exampleId(kind)],
  });
}

/** An identifier as a caller writes it: opaque, so that a malformed one is unknown and not an error. */
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

export function nullableText(description: string, example: string | null = null) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: [example] });
}

export function integer(description: string, example: number, options: TSchemaOptions = {}) {
  return Type.Integer({ description, examples: [example], ...options });
}

export function nullableInteger(description: string, example: number | null = null) {
  return Type.Unsafe<number | null>({ type: ['integer', 'null'], description, examples: [example] });
}

export function number(description: string, example: number, options: TSchemaOptions = {}) {
  return Type.Number({ description, examples: [example], ...options });
}

/** A moment as the service writes it: ISO 8601 in UTC, with milliseconds. */
export function moment(description: string, example: string) {
  return Type.Unsafe<Date>({ type: 'string', format: 'date-time', description, examples: [example] });
}

export function nullableMoment(description: string, example: string | null = null) {
  return Type.Unsafe<Date | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description,
    examples: [example],
  });
}

function patternOf(kind: IdKind): string {
  return `^${prefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
}
