import { Type } from 'typebox';
import { name, strict } from './envelope.ts';
import { id, moment, nullableMoment, text } from './field.ts';
import type { KeyId } from './ids.ts';

const scopes = ['read', 'write', 'ingest', 'admin'] as const;
export type Scope = (typeof scopes)[number];
const ScopesSchema = Type.Array(Type.Enum([...scopes], { title: 'Scope', type: 'string' }), {
  minItems: 1,
  uniqueItems: true,
  default: ['write'],
  description:
    'read: GET of /v1. write: includes read. admin: includes write, decides disputes. ingest: /ingest/v1 only.',
  examples: [['write', 'ingest']],
});

/** The scopes that a scope stands for. */
const implied: Record<Scope, readonly Scope[]> = {
  read: ['read'],
  write: ['read', 'write'],
  admin: ['read', 'write', 'admin'],
  ingest: ['ingest'],
};

export function grants(held: readonly Scope[], needed: Scope): boolean {
  return held.some((scope) => implied[scope].includes(needed));
}

export type ApiKey = {
  id: KeyId;
  name: string;
  scopes: Scope[];
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  exposed_at: Date | null;
};

const fields = {
  id: id('key'),
  name: text('What it is for.', 'CRM integration'),
  scopes: ScopesSchema,
  created_at: moment('When it was created.', '2026-01-12T08:05:00.000Z'),
  expires_at: nullableMoment('When it stops working; null: never.', '2027-01-12T00:00:00.000Z'),
};

export const ApiKeySchema = Type.Object(
  {
    ...fields,
    last_used_at: nullableMoment(
      'Its last request, to within ten seconds; null: none yet.',
      '2026-03-02T09:30:00.000Z',
    ),
    exposed_at: nullableMoment('When it was first sent over plain HTTP, where anyone may have read it.'),
  },
  { title: 'ApiKey', description: 'An API key of an organization, without the key itself.' },
);

export const NewApiKeySchema = Type.Object(
  {
    ...fields,
    key: text(
      'Shown in this answer only; the service keeps no copy.',
      'psk_00000000000000000000000000000000sample',
    ),
  },
  { title: 'NewApiKey' },
);

export const CreateApiKeySchema = Type.Object(
  {
    name: name('What it is for.', 'CRM integration'),
    scopes: Type.Optional(ScopesSchema),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'ISO 8601; must lie in the future. Absent: never.',
        examples: ['2027-01-12T00:00:00Z'],
      }),
    ),
  },
  { ...strict, title: 'CreateApiKey' },
);
