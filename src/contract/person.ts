import { Type } from 'typebox';
import { strict } from './envelope.ts';
import { filledText, text } from './field.ts';

/** Somebody outside of the service: a CRM knows at least the name. */
export type Person = { name: string; email: string | null };

const email = { maxLength: 320, pattern: '^[^\\s@]+@[^\\s@]+$' };
const name = filledText('Display name.', 'Noor Halvorsen', 200);

export function nullablePerson(description: string) {
  return nullableObject<Person>(description, {
    name: text('Display name.', 'Noor Halvorsen'),
    email: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'E-mail address; null if the CRM gave none.',
      examples: ['noor.halvorsen@brightwater.example'],
    }),
  });
}

/** As a CRM gives the owner of a record. */
export function optionalOwner(description: string) {
  const given = Type.Unsafe<string | null>({
    type: ['string', 'null'],
    ...email,
    description: 'E-mail address.',
    examples: ['noor.halvorsen@brightwater.example'],
  });
  return Type.Optional(
    nullableObject<{ name: string; email?: string | null }>(
      description,
      { name, email: Type.Optional(given) },
      strict,
    ),
  );
}

/** As a client assigns somebody; people are found by their address. */
export function optionalAssignee(description: string) {
  const required = text('E-mail address.', 'noor.halvorsen@brightwater.example', email);
  return Type.Optional(
    nullableObject<{ name: string; email: string }>(description, { name, email: required }, strict),
  );
}

/** What a filter compares: e-mail addresses are the same whatever the case. */
export function personKey(person: { email?: string | null } | null | undefined): string | null {
  return person?.email?.toLowerCase() ?? null;
}

function nullableObject<T>(
  description: string,
  fields: Parameters<typeof Type.Object>[0],
  options: object = {},
) {
  return Type.Unsafe<T | null>({
    ...Type.Object(fields),
    ...options,
    type: ['object', 'null'],
    description,
  });
}
