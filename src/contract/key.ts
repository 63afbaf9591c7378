import { type Static, Type } from 'typebox';
import { type Scope, scopeGrants, scopes, textLimits } from '../vocabulary.ts';
import { strict } from './envelope.ts';
import { PlanSchema } from './organization.ts';
import { SelfDecisionSchema } from './settings.ts';
import { filledText, id, moment, nullableMoment, text } from './values/field.ts';

const ScopesSchema = Type.Array(Type.Enum(scopes, { title: 'Scope', type: 'string' }), {
  minItems: 1,
  uniqueItems: true,
  default: ['write'],
  description:
    'read: GET requests to /v1. write: read, plus signals, match decisions, disputes and webhooks. admin: write, plus deciding disputes, changing the settings and simulating policies. ingest: /ingest/v1 only.',
  examples: [['write', 'ingest']],
});

export function grants(held: readonly Scope[], needed: Scope): boolean {
  return held.some((scope) => (scopeGrants[scope] as readonly Scope[]).includes(needed));
}

const fields = {
  id: id('key'),
  name: text('What the key is for.', 'CRM integration'),
  scopes: ScopesSchema,
  created_at: moment('When the key was created.', '2026-01-12T08:05:00.000Z'),
  expires_at: nullableMoment(
    'When the key stops working; null if it does not expire.',
    '2027-01-12T00:00:00.000Z',
  ),
};

export const ApiKeySchema = Type.Object(
  {
    ...fields,
    last_used_at: nullableMoment(
      'Time of the last request, accurate to ten seconds; null if unused.',
      '2026-03-02T09:30:00.000Z',
    ),
    exposed_at: nullableMoment('When the key was first sent over plain HTTP, where others could read it.'),
  },
  { title: 'ApiKey', description: 'An API key of an organization, without the key itself.' },
);
export type ApiKey = Static<typeof ApiKeySchema>;

export const NewApiKeySchema = Type.Object(
  {
    ...fields,
    key: text(
      'Shown only in this response. The service keeps no copy.',
      'psk_00000000000000000000000000000000sample',
    ),
  },
  { title: 'NewApiKey' },
);

export const CreateApiKeySchema = Type.Object(
  {
    name: filledText('What the key is for.', 'CRM integration', textLimits.name),
    scopes: Type.Optional(ScopesSchema),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'ISO 8601, in the future. If absent, the key does not expire.',
        examples: ['2027-01-12T00:00:00Z'],
      }),
    ),
  },
  { ...strict, title: 'CreateApiKey' },
);

/** What GET /v1/me returns about the calling key. */
export const OwnKeySchema = Type.Object(
  {
    ...fields,
    organization: Type.Object(
      {
        id: id('organization'),
        name: text('Display name.', 'Fernleaf Software'),
        plan: PlanSchema,
        self_decision: SelfDecisionSchema,
      },
      { description: 'The organization that the key belongs to.' },
    ),
  },
  { title: 'OwnKey', description: 'The key of this request, and the organization that it belongs to.' },
);
export type OwnKey = Static<typeof OwnKeySchema>;
