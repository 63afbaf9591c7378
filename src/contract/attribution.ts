import { type Static, Type } from 'typebox';
import {
  activityKinds,
  disputeStatuses,
  recordStatuses,
  resolutions,
  type Tier,
  textLimits,
  tiers,
} from '../vocabulary.ts';
import { TierSchema } from './activity.ts';
import { PageQuery, strict, strictObject } from './envelope.ts';
import { PartnerSummary } from './partner.ts';
import { AttributionPolicyInput, SettingsSchema } from './settings.ts';
import { AccountSummary, OpportunitySummary } from './signal.ts';
import {
  filledText,
  id,
  integer,
  moment,
  nullable,
  nullableId,
  nullableMoment,
  nullableObject,
  nullableText,
  number,
  optionalDay,
  reference,
  text,
} from './values/field.ts';

const closedDate = text('Day on which the deal was won, in UTC.', '2026-02-27', { format: 'date' });

const fields = {
  id: id('attribution'),
  tier: TierSchema,
  status: Type.Enum([...recordStatuses], {
    description: 'reversed: the deal is no longer won, or no evidence is left.',
  }),
  partner: PartnerSummary,
  account: AccountSummary,
  opportunity: OpportunitySummary,
  credited_value: number(
    'Value credited to the partner, in the currency of the deal; 0 if reversed.',
    48_000,
  ),
  closed_date: closedDate,
  dispute_status: Type.Enum(['none', ...disputeStatuses], { description: 'Status of the latest dispute.' }),
  settings_version: integer('Version of the settings that decided it.', 1),
  created_at: moment('When the partner was credited.', '2026-02-27T17:20:00.000Z'),
  updated_at: moment('When it last changed.', '2026-02-27T17:20:00.000Z'),
};
/** The list item; also the `data` of its events. */
export const AttributionSchema = Type.Object(fields, {
  title: 'AttributionRecord',
  description: 'Credits a partner for a won deal, at a tier.',
});
export type AttributionRecord = Static<typeof AttributionSchema>;

const byFields = {
  key_id: id('key'),
  key_name: text('Name of the key.', 'CRM integration'),
  actor: nullableText('The person behind the key, from the X-Actor header.', 'Noor Halvorsen'),
};
const By = Type.Object(byFields, {
  title: 'ChangedBy',
  description: 'The key that made the change and the person behind it.',
});

export const DisputeSchema = Type.Object(
  {
    id: id('dispute'),
    record_id: id('attribution'),
    status: Type.Enum([...disputeStatuses], { title: 'DisputeStatus' }),
    claimed_tier: TierSchema,
    tier_at_opening: TierSchema,
    justification: text('Why the claimed tier is right.', 'We registered this deal on 12 January.'),
    opened_by: By,
    opened_at: moment('When it was opened.', '2026-03-01T10:00:00.000Z'),
    resolved_by: nullableObject(Type.Object(byFields), 'Who resolved it; null while the dispute is open.', {
      examples: [null],
    }),
    resolved_at: nullableMoment('When it was resolved; null while the dispute is open.'),
    resolution_note: nullableText('Note from whoever resolved it.'),
  },
  {
    title: 'Dispute',
    description: 'A claim that a record should have a different tier.',
    examples: [{ claimed_tier: 'sourced' }],
  },
);
export type Dispute = Static<typeof DisputeSchema>;

function nullableTier(description: string, example: Tier | null) {
  return nullable<Tier>('string', description, example, { enum: [...tiers, null] });
}

export const EvidenceSchema = Type.Object(
  {
    id: id('evidence'),
    kind: Type.Enum([...activityKinds, 'pre_intent', 'dispute'], {
      type: 'string',
      description: 'Kind of activity, or pre_intent or dispute.',
      examples: ['joint_meeting'],
    }),
    tier_supported: nullableTier('Tier it can prove; null if none.', 'co_sell'),
    occurred_at: moment('When it happened.', '2026-02-24T13:00:00.000Z'),
    recorded_at: moment('When the service received it.', '2026-02-25T06:13:20.000Z'),
    summary: text('What happened.', 'Sizing workshop with the plant managers'),
    activity_id: nullableId('activity', 'The activity, if the evidence is one.'),
    signal_id: nullableId('signal', 'The signal, if the evidence is one.'),
    counted: Type.Boolean({ description: 'Whether it counts.', examples: [true] }),
    reason: text(
      'Why it counts, or why not.',
      'Joint meeting while the deal was open, 3 days before the deal closed.',
    ),
  },
  { title: 'Evidence', description: 'One piece of evidence for a record.' },
);
export type Evidence = Static<typeof EvidenceSchema>;

export const AttributionDetailSchema = Type.Object(
  {
    ...fields,
    evidence_log: Type.Array(EvidenceSchema, { description: 'Oldest first.' }),
    dispute_history: Type.Array(DisputeSchema, { description: 'Oldest first.', examples: [[]] }),
  },
  { title: 'AttributionRecordDetail', description: 'An attribution record in full.' },
);

export const period = {
  closed_after: optionalDay('Deals closed after this date (exclusive).', '2025-12-31'),
  closed_before: optionalDay('Deals closed before this date (exclusive).', '2026-04-01'),
};

const filters = {
  partner_id: Type.Optional(reference('partner', 'Only records of this partner.')),
  account_id: Type.Optional(reference('account', 'Only records of the deals of this account.')),
  opportunity_id: Type.Optional(reference('opportunity', 'Only records of this deal.')),
  tier: Type.Optional(TierSchema),
  ...period,
};

export const AttributionQuerySchema = strictObject({ ...filters, ...PageQuery });

export const AttributionSummaryQuerySchema = strictObject(filters);

export const OpenDisputeSchema = Type.Object(
  {
    claimed_tier: TierSchema,
    justification: filledText(
      'Why the claimed tier is right.',
      'We registered this deal on 12 January.',
      textLimits.dispute,
    ),
  },
  { ...strict, title: 'OpenDispute', examples: [{ claimed_tier: 'sourced' }] },
);
export type OpenDispute = Static<typeof OpenDisputeSchema>;

export const ResolveDisputeSchema = Type.Object(
  {
    status: Type.Enum([...resolutions], { description: 'The decision.' }),
    note: Type.Optional(
      filledText('Why you decided this way.', 'The registration is on file.', textLimits.dispute),
    ),
  },
  { ...strict, title: 'ResolveDispute' },
);
export type ResolveDispute = Static<typeof ResolveDisputeSchema>;

const amounts = {
  currency: nullableText('ISO 4217 code; null if the CRM gave none.', 'EUR'),
  deals: integer('Number of deals, each counted once.', 4),
  credits: integer('Number of records. A deal credited to two partners has two.', 5),
  net_value: number('Value of the deals, each counted once.', 192_000),
  gross_value: number('Value of the deals, counted once per record.', 240_000),
  credited_value: number('Sum of the credited values of the records.', 240_000),
};

export const month = text('YYYY-MM', '2026-02', { pattern: '^\\d{4}-(0[1-9]|1[0-2])$' });

export const amountNames = Object.keys(amounts);

const totals = {
  totals: Type.Array(Type.Object(amounts), { description: 'By currency.' }),
  by_partner: Type.Array(Type.Object({ partner: PartnerSummary, ...amounts }), {
    description: 'By partner and currency.',
  }),
  by_tier: Type.Array(Type.Object({ tier: TierSchema, ...amounts }), {
    description: 'By tier and currency.',
  }),
  by_month: Type.Array(Type.Object({ month, ...amounts }), { description: 'By closing month and currency.' }),
  by_tier_and_month: Type.Array(Type.Object({ tier: TierSchema, month, ...amounts }), {
    description: 'By tier, closing month and currency.',
  }),
};
const Totals = Type.Object(totals);
export type AttributionTotals = Static<typeof Totals>;

const Converted = Type.Object({
  currency: text('The reporting currency.', 'EUR'),
  ...totals,
  rates: Type.Array(
    Type.Object({
      currency: text('Currency of the deals.', 'USD'),
      closed_date: closedDate,
      rate: number('Value of one unit of it in the reporting currency.', 0.92395),
      rate_date: text('Day of the rate.', '2026-02-27', { format: 'date' }),
    }),
    { description: 'The rates that were used, latest closing first, up to 1,000.' },
  ),
  unconverted: Type.Array(
    Type.Object({
      currency: amounts.currency,
      closed_date: closedDate,
      deals: amounts.deals,
      net_value: amounts.net_value,
    }),
    {
      description:
        'Deals that are not in the converted totals, because they have no currency, or no exchange rate for their closing date or the 7 days before. Latest closing first, up to 1,000.',
    },
  ),
});

export const AttributionSummarySchema = Type.Object(
  {
    ...totals,
    converted: nullableObject(
      Converted,
      'The same totals in the reporting currency of the settings, each deal at the rate of its closing date; null if no reporting currency is set.',
    ),
  },
  { title: 'AttributionSummary', description: 'Totals of the active records.' },
);
export type AttributionSummary = Static<typeof AttributionSummarySchema>;

/** The numbers that decide credit, as in the settings. */
const PolicySchema = Type.Object(
  {
    attribution: AttributionPolicyInput,
    pre_intent: SettingsSchema.properties.signals.properties.pre_intent,
  },
  { ...strict, title: 'AttributionPolicy', description: 'The settings that decide attribution.' },
);
export type Policy = Static<typeof PolicySchema>;

export const SimulateSchema = Type.Object(
  { policy: PolicySchema, ...period },
  { ...strict, title: 'SimulateAttribution' },
);

const tierCounts = (description: string) =>
  Type.Array(
    Type.Object({
      tier: TierSchema,
      currency: nullableText('ISO 4217 code; null if the CRM gave none.', 'EUR'),
      records: integer('Active records at this tier.', 4),
      value: number('Their credited value.', 192_000),
    }),
    { description },
  );

export const SimulationSchema = Type.Object(
  {
    deals: integer('Won deals in the period.', 12),
    before: tierCounts('Today’s credit, by tier and currency.'),
    after: tierCounts('Credit under the simulated policy, by tier and currency.'),
    changed: integer('Number of records that would change.', 1),
    changes: Type.Array(
      Type.Object({
        record_id: nullableId('attribution', 'null if the record would be new.'),
        partner: PartnerSummary,
        opportunity: OpportunitySummary,
        closed_date: closedDate,
        tier_before: nullableTier('null if there is no credit.', 'co_sell'),
        tier_after: nullableTier('null if there is no credit.', 'influenced'),
        credited_value_before: number('Value that the record credits today.', 48_000),
        credited_value_after: number('Value that it would credit.', 16_000),
      }),
      { description: 'Newest deals first, up to 1,000.' },
    ),
  },
  { title: 'AttributionSimulation', description: 'What the simulated policy would change.' },
);
export type Simulation = Static<typeof SimulationSchema>;
