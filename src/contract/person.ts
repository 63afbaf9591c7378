import { Type } from 'typebox';
import { textLimits } from '../vocabulary.ts';
import { strictObject } from './envelope.ts';
import { filledText, nullable, nullableObject, nullableText, text } from './values/field.ts';

/** A person in a CRM, which knows at least the name. */
export type Person = { name: string; email: string | null };

const email = { maxLength: textLimits.email, pattern: '^[^\\s@]+@[^\\s@]+$' };
const name = filledText('Display name.', 'Noor Halvorsen', textLimits.name);

export function nullablePerson(description: string) {
  return nullableObject(
    Type.Object({
      name: text('Display name.', 'Noor Halvorsen'),
      email: nullableText('E-mail address; null if the CRM gave none.', 'noor.halvorsen@brightwater.example'),
    }),
    description,
  );
}

/** The owner of a CRM record. */
export function optionalOwner(description: string) {
  const given = nullable<string>('string', 'E-mail address.', 'noor.halvorsen@brightwater.example', email);
  return Type.Optional(nullableObject(strictObject({ name, email: Type.Optional(given) }), description));
}

/** Assignees are identified by email address. */
export function optionalAssignee(description: string) {
  const required = text('E-mail address.', 'noor.halvorsen@brightwater.example', email);
  return Type.Optional(nullableObject(strictObject({ name, email: required }), description));
}

/** Email addresses are compared without case. */
export function personKey(person: { email?: string | null } | null | undefined): string | null {
  return person?.email?.toLowerCase() ?? null;
}
