import { type Static, type TProperties, type TSchemaOptions, Type } from 'typebox';
import { ActivityKindSchema } from './activity.ts';
import { strict } from './envelope.ts';
import type { ErrorDetail } from './error.ts';
import { PartnerTypeSchema } from './partner.ts';

/** In an order in which every fact comes after those that it refers to. */
export const factKinds = ['partners', 'accounts', 'opportunities', 'partner_accounts', 'activities'] as const;
export type FactKind = (typeof factKinds)[number];

export const opportunityStatuses = ['open', 'won', 'lost'] as const;
export type OpportunityStatus = (typeof opportunityStatuses)[number];

export const relationships = ['customer', 'open_opportunity', 'prospect'] as const;
export type Relationship = (typeof relationships)[number];

const notBlank = '\\S';
const Key = Type.String({ minLength: 1, maxLength: 255, pattern: notBlank });
const CompanyName = Type.String({ minLength: 1, maxLength: 500, pattern: notBlank });

/** Absent and null say the same, for CRMs export null; an empty string is no value of anything. */
function optionalText(maxLength: number, options: TSchemaOptions & { pattern?: string } = {}) {
  return Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      minLength: 1,
      maxLength,
      pattern: notBlank,
      ...options,
    }),
  );
}

function optionalTime(format: 'date' | 'date-time', description: string) {
  return Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], format, description }));
}

const domain = optionalText(2048, { description: 'A host name, a URL or an e-mail address.' });
const country = optionalText(2, { pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' });
const registry_number = optionalText(100);
const source_updated_at = optionalTime(
  'date-time',
  'A version older than the one held here changes nothing.',
);
const merged_into = optionalText(255, { description: 'The crm_id of the account that the facts move to.' });

const partnerKey = { external_id: Key };
const partnerFields = {
  name: CompanyName,
  type: PartnerTypeSchema,
  tier: Type.Integer({ minimum: 1, maximum: 4 }),
  domain,
};
const PartnerRowSchema = fullRow(partnerKey, partnerFields);
const PartnerWithdrawalSchema = withdrawal(partnerKey, partnerFields);
export type PartnerRow = Static<typeof PartnerRowSchema>;

const accountKey = { crm_id: Key };
const accountFields = {
  name: CompanyName,
  domain,
  extra_domains: Type.Optional(
    Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      maxItems: 100,
      items: Type.String({ minLength: 1, maxLength: 2048, pattern: notBlank }),
    }),
  ),
  country,
  registry_number,
};
const AccountRowSchema = fullRow(accountKey, { ...accountFields, merged_into });
/** CRMs delete the account that loses a merge, so that a withdrawal too may say where its facts go. */
const AccountWithdrawalSchema = withdrawal({ ...accountKey, merged_into }, accountFields);
export type AccountRow = Static<typeof AccountRowSchema>;

const opportunityKey = { crm_id: Key };
const opportunityFields = {
  account_crm_id: Key,
  name: CompanyName,
  value: Type.Number({ minimum: 0, maximum: 1e15 }),
  currency: optionalText(3, { pattern: '^[A-Z]{3}$', description: 'ISO 4217' }),
  stage: Type.String({ minLength: 1, maxLength: 100, pattern: notBlank }),
  status: Type.Enum([...opportunityStatuses]),
  opened_at: Type.Unsafe<string>({
    type: 'string',
    anyOf: [{ format: 'date' }, { format: 'date-time' }],
    description: 'A day or a moment; only its UTC day counts.',
  }),
  closed_date: optionalTime('date', 'Required when won.'),
};
const OpportunityRowSchema = fullRow(opportunityKey, opportunityFields);
const OpportunityWithdrawalSchema = withdrawal(opportunityKey, opportunityFields);
export type OpportunityRow = Static<typeof OpportunityRowSchema>;

const partnerAccountKey = { partner_external_id: Key, external_id: Key };
const partnerAccountFields = {
  name: CompanyName,
  domain,
  country,
  registry_number,
  relationship: Type.Enum([...relationships]),
};
const PartnerAccountRowSchema = fullRow(partnerAccountKey, partnerAccountFields);
const PartnerAccountWithdrawalSchema = withdrawal(partnerAccountKey, partnerAccountFields);
export type PartnerAccountRow = Static<typeof PartnerAccountRowSchema>;

const activityKey = { external_id: Key };
const activityFields = {
  partner_external_id: Key,
  account_crm_id: optionalText(255, { description: 'This or domain is required.' }),
  domain,
  opportunity_crm_id: optionalText(255),
  kind: ActivityKindSchema,
  occurred_at: Type.String({ format: 'date-time', description: 'At most 5 minutes ahead of now.' }),
  recorded_at: optionalTime('date-time', 'When the source learned of it.'),
  summary: Type.String({ minLength: 1, maxLength: 2000, pattern: notBlank }),
  actor: optionalText(200),
  source: optionalText(200),
};
const ActivityRowSchema = fullRow(activityKey, activityFields);
const ActivityWithdrawalSchema = withdrawal(activityKey, activityFields);
export type ActivityRow = Static<typeof ActivityRowSchema>;

/** Two schemas a kind, not one with alternatives: a bad row is then told of its own fields, not of the other form. */
export const rowSchemas = {
  partners: { full: PartnerRowSchema, withdrawal: PartnerWithdrawalSchema },
  accounts: { full: AccountRowSchema, withdrawal: AccountWithdrawalSchema },
  opportunities: { full: OpportunityRowSchema, withdrawal: OpportunityWithdrawalSchema },
  partner_accounts: { full: PartnerAccountRowSchema, withdrawal: PartnerAccountWithdrawalSchema },
  activities: { full: ActivityRowSchema, withdrawal: ActivityWithdrawalSchema },
} as const;

/** So many errors of a stream are listed; the rest are counted, or the answer would grow with the stream. */
export const maxListedErrors = 10_000;
export const IngestResultSchema = Type.Object({
  received: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  rejected: Type.Integer(),
  errors: Type.Array(
    Type.Object({ index: Type.Integer(), field: Type.String(), code: Type.String(), message: Type.String() }),
    {
      description: `One per bad field; index counts rows from 0. Of a stream the first ${maxListedErrors} are listed.`,
    },
  ),
});

export type RowForm = 'full' | 'withdrawal';
export type FactRow<K extends FactKind> = Static<(typeof rowSchemas)[K]['full']>;
export type FactWithdrawal<K extends FactKind> = Static<(typeof rowSchemas)[K]['withdrawal']>;

/** Which of the two schemas of its kind a row, of whatever shape, has to satisfy. */
export function formOf(row: unknown): RowForm {
  return typeof row === 'object' && row !== null && 'deleted' in row && row.deleted === true
    ? 'withdrawal'
    : 'full';
}

/** What a schema cannot say well about a row that already satisfies its own. */
export function crossFieldErrors<K extends FactKind>(
  kind: K,
  row: FactRow<K> | FactWithdrawal<K>,
): ErrorDetail[] {
  const fields: Record<string, unknown> = row;
  const isAbsent = (name: string) => fields[name] === undefined || fields[name] === null;
  const errors: ErrorDetail[] = [];
  if (kind === 'accounts' && fields.merged_into === fields.crm_id)
    errors.push({
      field: 'merged_into',
      code: 'invalid_value',
      message: 'must be another account than this one',
    });
  if (formOf(row) === 'withdrawal') return errors;
  if (kind === 'opportunities' && fields.status === 'won' && isAbsent('closed_date'))
    errors.push({ field: 'closed_date', code: 'required', message: 'is required when status is won' });
  if (kind === 'activities' && isAbsent('account_crm_id') && isAbsent('domain'))
    errors.push({
      field: 'account_crm_id',
      code: 'required',
      message: 'is required where there is no domain',
    });
  return errors;
}

function fullRow<K extends TProperties, F extends TProperties>(key: K, fields: F) {
  const deleted = Type.Optional(
    Type.Unsafe<false | null>({
      type: ['boolean', 'null'],
      description: 'true withdraws the fact; then the key is enough.',
    }),
  );
  return Type.Object({ ...key, ...fields, source_updated_at, deleted }, strict);
}

/**
 * Besides what it keeps, a withdrawal may carry the fields of the full row with whatever they hold: a fact that its
 * source has deleted must not live on here because of a bad stage or a missing name.
 */
function withdrawal<K extends TProperties>(kept: K, fields: TProperties) {
  const ignored = Object.fromEntries(
    Object.keys(fields).map((name) => [name, Type.Optional(Type.Unknown())] as const),
  ) as Record<never, never>;
  return Type.Object({ ...ignored, ...kept, source_updated_at, deleted: Type.Literal(true) }, strict);
}
