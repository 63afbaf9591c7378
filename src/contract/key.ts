import { Type } from 'typebox';
import { Name, NullableTimestamp, strict, Timestamp } from './envelope.ts';
import type { KeyId } from './ids.ts';

const scopes = ['read', 'write', 'ingest', 'admin'] as const;
export type Scope = (typeof scopes)[number];
const ScopesSchema = Type.Array(Type.Enum([...scopes]), {
  minItems: 1,
  uniqueItems: true,
  default: ['write'],
  description:
    'read: GET of /v1. write: includes read. admin: includes write, decides disputes. ingest: /ingest/v1 only.',
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
  id: Type.String(),
  name: Type.String(),
  scopes: ScopesSchema,
  created_at: Timestamp,
  expires_at: NullableTimestamp,
};

export const ApiKeySchema = Type.Object({
  ...fields,
  last_used_at: NullableTimestamp,
  exposed_at: NullableTimestamp,
});

export const NewApiKeySchema = Type.Object({
  ...fields,
  key: Type.String({ description: 'Shown in this answer only; the service keeps no copy.' }),
});

export const CreateApiKeySchema = Type.Object(
  {
    name: Name,
    scopes: Type.Optional(ScopesSchema),
    expires_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'ISO 8601; must lie in the future. Absent: never.' }),
    ),
  },
  strict,
);
