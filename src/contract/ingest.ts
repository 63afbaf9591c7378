import { type Static, type TProperties, type TSchemaOptions, Type } from 'typebox';
import { type FactKind, maxKeyLength, opportunityStatuses, relationships } from '../vocabulary.ts';
import { ActivityKindSchema } from './activity.ts';
import { strict } from './envelope.ts';
import type { ErrorDetail } from './error.ts';
import { PartnerTierSchema, PartnerTypeSchema } from './partner.ts';
import { optionalOwner } from './person.ts';
import { currencyPattern, day, filledText, integer, number, text } from './values/field.ts';

const notBlank = '\\S';
const key = (description: string, example: string) => filledText(description, example, maxKeyLength);
const companyName = (example: string) => filledText('Display name.', example, 500);
const partnerExternalId = (description: string) => key(description, 'zephyr-cloud');
const accountCrmId = (description: string) => key(description, '0015e00001AbCdE');

/** Null means absent, because CRMs export null. An empty string is invalid. */
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

function optionalTime(format: 'date' | 'date-time', options: TSchemaOptions) {
  return Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], format, ...options }));
}

const domain = (example: string) =>
  optionalText(2048, { description: 'Host name, URL or e-mail address.', examples: [example] });
const country = optionalText(2, {
  pattern: '^[A-Z]{2}$',
  description: 'ISO 3166-1 alpha-2 code.',
  examples: ['NO'],
});
const registry_number = optionalText(100, {
  description: 'Number in the country’s company register.',
  examples: ['918273645'],
});
const source_updated_at = optionalTime('date-time', {
  description: 'When the source last changed the record. Older versions than the stored one are ignored.',
  examples: ['2026-02-25T06:10:00Z'],
});
const deleted = Type.Optional(
  Type.Unsafe<false | null>({
    type: ['boolean', 'null'],
    description: '`true` deletes the record. Only its key is required then.',
  }),
);
const withdrawn = {
  source_updated_at,
  deleted: Type.Literal(true, { description: 'Deletes the record.' }),
};
/** Lists all types, because readers of the OpenAPI document take a schema with nothing but a description for a mistake. */
const anything = Type.Optional(
  Type.Unsafe<unknown>({
    type: ['string', 'number', 'boolean', 'object', 'array', 'null'],
    items: {},
    description: 'Ignored.',
  }),
);
const merged_into = optionalText(maxKeyLength, {
  description: 'crm_id of the account that this one was merged into.',
});

const partnerKey = { external_id: partnerExternalId('Your identifier for the partner.') };
const partnerFields = {
  name: companyName('Zephyr Cloud'),
  type: PartnerTypeSchema,
  tier: PartnerTierSchema,
  domain: domain('zephyrcloud.example'),
};

const accountKey = { crm_id: accountCrmId('Identifier in your CRM.') };
const accountFields = {
  name: companyName('Harbour Mills'),
  domain: domain('harbourmills.example'),
  extra_domains: Type.Optional(
    Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      maxItems: 100,
      items: Type.String({ minLength: 1, maxLength: 2048, pattern: notBlank }),
      description: 'Additional domains of the same company.',
      examples: [['harbourmills-group.example']],
    }),
  ),
  country,
  registry_number,
  owner: optionalOwner('Owner of the account in your CRM.'),
};
/** CRMs delete the account that loses a merge, so a withdrawal can also name the account that takes over its facts. */
const withdrawnAccount = { ...accountKey, merged_into };

const opportunityKey = { crm_id: key('Identifier in your CRM.', '0065e00002XyZaB') };
const opportunityFields = {
  account_crm_id: accountCrmId('Account of the deal; must already be loaded.'),
  name: companyName('Harbour Mills renewal'),
  value: number('Amount in `currency`.', 48_000, { minimum: 0, maximum: 1e15 }),
  currency: optionalText(3, { pattern: currencyPattern, description: 'ISO 4217', examples: ['EUR'] }),
  stage: filledText('Stage as named in your CRM.', 'proposal', 100),
  status: Type.Enum([...opportunityStatuses], { description: 'Whether the deal is open, won or lost.' }),
  opened_at: day('Date or timestamp; only the UTC date counts.', '2026-01-20'),
  closed_date: optionalTime('date', {
    description:
      'Day on which the deal was closed; required if won. For an open deal, the day on which it is expected to close.',
  }),
  owner: optionalOwner('Owner of the deal in your CRM.'),
};

const partnerAccountKey = {
  partner_external_id: partnerExternalId('The partner; must already be loaded.'),
  external_id: key("Identifier in the partner's data.", 'zc-4471'),
};
const partnerAccountFields = {
  name: companyName('Harbour Mills Ltd'),
  domain: domain('www.harbourmills.example'),
  country,
  registry_number,
  relationship: Type.Enum(relationships, {
    description: 'Relationship between the partner and the account.',
  }),
};

const activityKey = { external_id: key('Your identifier for the activity.', 'meeting-20260224-1') };
const activityFields = {
  partner_external_id: partnerExternalId('The partner; must already be loaded.'),
  account_crm_id: optionalText(maxKeyLength, {
    description: 'The account; must already be loaded. Either this or `domain` is required.',
    examples: ['0015e00001AbCdE'],
  }),
  domain: optionalText(2048, { description: 'Domain of the account, if account_crm_id is absent.' }),
  opportunity_crm_id: optionalText(maxKeyLength, {
    description: 'The deal; must already be loaded.',
    examples: ['0065e00002XyZaB'],
  }),
  kind: ActivityKindSchema,
  occurred_at: Type.String({
    format: 'date-time',
    description: 'When it happened; at most 5 minutes in the future.',
    examples: ['2026-02-24T13:00:00Z'],
  }),
  recorded_at: optionalTime('date-time', {
    description:
      'When the source recorded it. Ignored unless the setting `trust_source_recorded_at` is true; the service uses the time of ingest.',
  }),
  summary: filledText('What happened.', 'Sizing workshop with the plant managers', 2000),
  actor: optionalText(200, { description: 'The person involved.', examples: ['Ines Marlow'] }),
  source: optionalText(200, { description: 'The system it comes from.', examples: ['crm'] }),
};

const currencyCode = (description: string, example: string) =>
  text(description, example, { pattern: currencyPattern });
const exchangeRateKey = {
  date: text('Day of the rate.', '2026-02-27', { format: 'date' }),
  base: currencyCode('ISO 4217 code.', 'EUR'),
  quote: currencyCode('ISO 4217 code.', 'USD'),
};
const exchangeRateFields = {
  // The inverse, which converts amounts in the other direction, stays within these bounds too.
  rate: number('Value of one unit of `base` in `quote`.', 1.0823, { minimum: 1e-12, maximum: 1e12 }),
};

const withdrawalKeys: Record<FactKind, TProperties> = {
  partners: partnerKey,
  accounts: withdrawnAccount,
  opportunities: opportunityKey,
  partner_accounts: partnerAccountKey,
  activities: activityKey,
  exchange_rates: exchangeRateKey,
};

export const rowSchemas = {
  partners: forms('Partner', partnerKey, partnerFields),
  accounts: {
    full: fullRow('AccountRow', accountKey, { ...accountFields, merged_into }),
    /** A merge of accounts cannot be undone. */
    merge: merge('AccountMerge', accountKey, {
      ...accountFields,
      merged_into: accountCrmId('crm_id of the account that this one was merged into.'),
    }),
    withdrawal: withdrawal('AccountWithdrawal', withdrawnAccount, accountFields),
  },
  opportunities: forms('Opportunity', opportunityKey, opportunityFields),
  partner_accounts: forms('PartnerAccount', partnerAccountKey, partnerAccountFields),
  activities: forms('Activity', activityKey, activityFields),
  exchange_rates: forms('ExchangeRate', exchangeRateKey, exchangeRateFields),
} as const;

/** Further errors of a stream are only counted, or the response would grow with the stream. */
export const maxListedErrors = 10_000;
export const IngestResultSchema = Type.Object(
  {
    received: integer('Rows received.', 2),
    created: integer('Records created.', 1),
    updated: integer('Records changed or deleted.', 0),
    unchanged: integer('Records that were already up to date.', 0),
    rejected: integer('Rows with an error. None of them was applied.', 1),
    errors: Type.Array(
      Type.Object(
        {
          index: integer('Index of the row, from 0.', 1),
          field: text('Field of the row, or `row` for the row as a whole.', 'stage'),
          code: text('What is wrong with it, for programs.', 'required'),
          message: text('What is wrong with it, for people.', 'is required'),
        },
        { title: 'RowError' },
      ),
      {
        description: `One entry per invalid field. For a stream, the first ${maxListedErrors.toLocaleString('en')} are listed.`,
      },
    ),
  },
  { title: 'IngestResult', description: 'Result of the ingest.' },
);

export type RowForm = 'full' | 'merge' | 'withdrawal';
export type FactRow<K extends FactKind> = Static<(typeof rowSchemas)[K]['full']>;
export type PartnerRow = FactRow<'partners'>;
export type AccountRow = FactRow<'accounts'>;
export type OpportunityRow = FactRow<'opportunities'>;
export type PartnerAccountRow = FactRow<'partner_accounts'>;
export type ActivityRow = FactRow<'activities'>;
export type FactMerge<K extends FactKind> = Static<(typeof rowSchemas)[K]['merge']>;
export type FactWithdrawal<K extends FactKind> = Static<(typeof rowSchemas)[K]['withdrawal']>;

/** The schema that a row of any shape must satisfy. */
export function formOf(row: unknown, otherwise: RowForm = 'full'): RowForm {
  return typeof row === 'object' && row !== null && 'deleted' in row && row.deleted === true
    ? 'withdrawal'
    : otherwise;
}

/** Drops the fields that a withdrawal ignores; they can have any size. */
export function withoutIgnored<K extends FactKind>(kind: K, row: FactWithdrawal<K>): FactWithdrawal<K> {
  const said = Object.entries(row).filter(([name]) => name in withdrawalKeys[kind] || name in withdrawn);
  return Object.fromEntries(said) as FactWithdrawal<K>;
}

/** Checks that a schema cannot express, for a row that satisfies its schema. */
export function crossFieldErrors<K extends FactKind>(
  kind: K,
  row: FactRow<K> | FactMerge<K> | FactWithdrawal<K>,
  form = formOf(row),
): ErrorDetail[] {
  const fields: Record<string, unknown> = row;
  const isAbsent = (name: string) => fields[name] === undefined || fields[name] === null;
  const errors: ErrorDetail[] = [];
  if (kind === 'accounts' && fields.merged_into === fields.crm_id)
    errors.push({
      field: 'merged_into',
      code: 'invalid_value',
      message: 'must be a different account',
    });
  if (kind === 'exchange_rates' && fields.base === fields.quote)
    errors.push({ field: 'quote', code: 'invalid_value', message: 'must differ from base' });
  // A merged row may leave out fields; their values are known only when it is applied to the record.
  if (form !== 'full') return errors;
  if (kind === 'opportunities' && fields.status === 'won' && isAbsent('closed_date'))
    errors.push({ field: 'closed_date', code: 'required', message: 'is required when status is won' });
  // A merged row has the account's own id where it leaves the account as it is.
  if (kind === 'activities' && ['account_crm_id', 'domain', 'account_id'].every(isAbsent))
    errors.push({
      field: 'account_crm_id',
      code: 'required',
      message: 'is required if there is no domain',
    });
  return errors;
}

/** One schema per form instead of one with alternatives, so errors name the fields of the row's own form. */
function forms<K extends TProperties, F extends TProperties>(name: string, key: K, fields: F) {
  return {
    full: fullRow(`${name}Row`, key, fields),
    merge: merge(`${name}Merge`, key, fields),
    withdrawal: withdrawal(`${name}Withdrawal`, key, fields),
  };
}

function fullRow<K extends TProperties, F extends TProperties>(title: string, key: K, fields: F) {
  return Type.Object({ ...key, ...fields, source_updated_at, deleted }, { ...strict, title });
}

/** For `merge=true`: only the key is required. */
function merge<K extends TProperties, F extends TProperties>(title: string, key: K, fields: F) {
  const { properties } = Type.Partial(Type.Object(fields));
  return Type.Object({ ...key, ...properties, source_updated_at, deleted }, { ...strict, title });
}

/**
 * A withdrawal may also contain the fields of the full row, with any values: a fact that was deleted in the source must not
 * survive here because of an invalid stage or a missing name.
 */
function withdrawal<K extends TProperties>(title: string, kept: K, fields: TProperties) {
  const ignored = Object.fromEntries(Object.keys(fields).map((name) => [name, anything] as const)) as Record<
    never,
    never
  >;
  return Type.Object({ ...ignored, ...kept, ...withdrawn }, { ...strict, title });
}
