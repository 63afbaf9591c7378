import { type Static, Type } from 'typebox';
import { activityKinds, type Tier, TierSchema, tiers } from './activity.ts';
import { PageQuery, strict } from './envelope.ts';
import {
  id,
  integer,
  moment,
  nullableId,
  nullableMoment,
  nullableText,
  number,
  reference,
  text,
} from './field.ts';
import type { AccountId, AttributionId, DisputeId, OpportunityId, PartnerId } from './ids.ts';
import type { PartnerType } from './partner.ts';
import { SettingsSchema } from './settings.ts';
import { AccountSummary, OpportunitySummary, PartnerSummary } from './signal.ts';

const disputeStatuses = ['open', 'accepted', 'rejected', 'withdrawn'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** The list item; also the `data` of its events. */
export type AttributionRecord = {
  id: AttributionId;
  tier: Tier;
  status: 'active' | 'reversed';
  partner: { id: PartnerId; name: string; type: PartnerType };
  account: { id: AccountId; name: string; crm_id: string };
  opportunity: { id: OpportunityId; name: string; value: number; stage: string };
  closed_date: string;
  dispute_status: 'none' | DisputeStatus;
  policy_version: number;
  created_at: Date;
  updated_at: Date;
};

const closedDate = text('The UTC day on which the deal was won.', '2026-02-27', { format: 'date' });

const fields = {
  id: id('attribution'),
  tier: TierSchema,
  status: Type.Enum(['active', 'reversed'], {
    description: 'reversed: the deal is not won any more, or the evidence is gone.',
  }),
  partner: PartnerSummary,
  account: AccountSummary,
  opportunity: OpportunitySummary,
  closed_date: closedDate,
  dispute_status: Type.Enum(['none', ...disputeStatuses], { description: 'Of its latest dispute.' }),
  policy_version: integer("The version of the organization's settings that made it.", 1),
  created_at: moment('When the credit was given.', '2026-02-27T17:20:00.000Z'),
  updated_at: moment('When it last changed.', '2026-02-27T17:20:00.000Z'),
};
export const AttributionSchema = Type.Object(fields, {
  title: 'AttributionRecord',
  description: 'Credits a closed deal to a partner at a tier.',
});

const byFields = {
  key_id: id('key'),
  key_name: text('The name of the key.', 'CRM integration'),
  actor: nullableText('The person behind the key: the header X-Actor.', 'Noor Halvorsen'),
};
const By = Type.Object(byFields, {
  title: 'ChangedBy',
  description: 'The key that made the change, and the person behind it.',
});

export const DisputeSchema = Type.Object(
  {
    id: id('dispute'),
    record_id: id('attribution'),
    status: Type.Enum([...disputeStatuses], { title: 'DisputeStatus' }),
    claimed_tier: TierSchema,
    tier_at_opening: TierSchema,
    justification: text('Why the other tier is right.', 'We registered this deal on 12 January.'),
    opened_by: By,
    opened_at: moment('When it was opened.', '2026-03-01T10:00:00.000Z'),
    resolved_by: Type.Unsafe<Static<typeof By> | null>({
      ...Type.Object(byFields),
      type: ['object', 'null'],
      description: 'Who resolved it; null while it is open.',
      examples: [null],
    }),
    resolved_at: nullableMoment('When it was resolved; null while it is open.'),
    resolution_note: nullableText('The note of whoever resolved it.'),
  },
  {
    title: 'Dispute',
    description: 'A claim that a record should have another tier.',
    examples: [{ claimed_tier: 'sourced' }],
  },
);
export type Dispute = {
  id: DisputeId;
  record_id: AttributionId;
  status: DisputeStatus;
  claimed_tier: Tier;
  tier_at_opening: Tier;
  justification: string;
  opened_by: Static<typeof By>;
  opened_at: Date;
  resolved_by: Static<typeof By> | null;
  resolved_at: Date | null;
  resolution_note: string | null;
};

function nullableTier(description: string, example: Tier | null) {
  return Type.Unsafe<Tier | null>({
    type: ['string', 'null'],
    enum: [...tiers, null],
    description,
    examples: [example],
  });
}

const EvidenceSchema = Type.Object(
  {
    id: id('evidence'),
    kind: Type.Unsafe<string>({
      type: 'string',
      enum: [...activityKinds, 'pre_intent', 'dispute'],
      description: 'The kind of activity, pre_intent, or dispute.',
      examples: ['joint_meeting'],
    }),
    tier_supported: nullableTier('The tier that it can prove; null: none.', 'co_sell'),
    occurred_at: moment('When it happened.', '2026-02-24T13:00:00.000Z'),
    recorded_at: moment('When the service learned of it.', '2026-02-25T06:13:20.000Z'),
    summary: text('What happened.', 'Sizing workshop with the plant managers'),
    activity_id: nullableId('activity', 'The activity, where it is one.'),
    signal_id: nullableId('signal', 'The signal, where it is one.'),
    counted: Type.Boolean({ description: 'Whether it counts.', examples: [true] }),
    reason: text(
      'Why it counts, or why not.',
      'Joint meeting while the deal was open, 3 days before the deal was closed.',
    ),
  },
  { title: 'Evidence', description: 'One line of the evidence for a record.' },
);

export const AttributionDetailSchema = Type.Object(
  {
    ...fields,
    evidence_log: Type.Array(EvidenceSchema, { description: 'Oldest first.' }),
    dispute_history: Type.Array(DisputeSchema, { description: 'Oldest first.', examples: [[]] }),
  },
  { title: 'AttributionRecordDetail', description: 'An attribution record in full.' },
);

const Day = (description: string, example: string) =>
  Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      anyOf: [
        { type: 'string', format: 'date' },
        { type: 'string', format: 'date-time' },
      ],
      description: `${description} YYYY-MM-DD, or a timestamp whose UTC date is used.`,
      examples: [example],
    }),
  );

const period = {
  closed_after: Day('Deals closed after this date, itself not included.', '2025-12-31'),
  closed_before: Day('Deals closed before this date, itself not included.', '2026-04-01'),
};

const filters = {
  partner_id: Type.Optional(reference('partner', 'Only records of this partner.')),
  tier: Type.Optional(TierSchema),
  ...period,
};

export const AttributionQuerySchema = Type.Object({ ...filters, ...PageQuery }, strict);

export const AttributionSummaryQuerySchema = Type.Object(filters, strict);

export const OpenDisputeSchema = Type.Object(
  {
    claimed_tier: TierSchema,
    justification: text('Why the other tier is right.', 'We registered this deal on 12 January.', {
      minLength: 1,
      maxLength: 5000,
      pattern: '\\S',
    }),
  },
  { ...strict, title: 'OpenDispute', examples: [{ claimed_tier: 'sourced' }] },
);
export type OpenDispute = Static<typeof OpenDisputeSchema>;

export const ResolveDisputeSchema = Type.Object(
  {
    status: Type.Enum(['accepted', 'rejected', 'withdrawn'], { description: 'How it ends.' }),
    note: Type.Optional(
      text('Why it ends so.', 'The registration is on file.', {
        minLength: 1,
        maxLength: 5000,
        pattern: '\\S',
      }),
    ),
  },
  { ...strict, title: 'ResolveDispute' },
);
export type ResolveDispute = Static<typeof ResolveDisputeSchema>;

const amounts = {
  currency: nullableText('ISO 4217; null where the CRM gave none.', 'EUR'),
  deals: integer('Deals, each counted once.', 4),
  credits: integer('Records: a deal credited to two partners has two.', 5),
  net_value: number('The value of the deals, each once.', 192_000),
  gross_value: number('The value as credited: once for each record.', 240_000),
};

export const AttributionSummarySchema = Type.Object(
  {
    totals: Type.Array(Type.Object(amounts), { description: 'By currency.' }),
    by_partner: Type.Array(Type.Object({ partner: PartnerSummary, ...amounts }), {
      description: 'By partner and currency.',
    }),
    by_tier: Type.Array(Type.Object({ tier: TierSchema, ...amounts }), {
      description: 'By tier and currency.',
    }),
    by_month: Type.Array(
      Type.Object({
        month: text('YYYY-MM', '2026-02', { pattern: '^\\d{4}-(0[1-9]|1[0-2])$' }),
        ...amounts,
      }),
      { description: 'By month of closing and currency.' },
    ),
  },
  { title: 'AttributionSummary', description: 'The credit of the active records.' },
);

/** The numbers that decide credit; the same shape as in the settings. */
const PolicySchema = Type.Object(
  {
    attribution: SettingsSchema.properties.attribution,
    pre_intent: SettingsSchema.properties.signals.properties.pre_intent,
  },
  { ...strict, title: 'AttributionPolicy', description: 'The settings that decide credit.' },
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
      currency: nullableText('ISO 4217; null where the CRM gave none.', 'EUR'),
      records: integer('Active records of the tier.', 4),
      value: number('Their value as credited.', 192_000),
    }),
    { description },
  );

export const SimulationSchema = Type.Object(
  {
    deals: integer('Won deals of the period that were looked at.', 12),
    before: tierCounts('By tier and currency, as it is.'),
    after: tierCounts('By tier and currency, as it would be.'),
    changed: integer('Records that would differ.', 1),
    changes: Type.Array(
      Type.Object({
        record_id: nullableId('attribution', 'null: the record would be new.'),
        partner: PartnerSummary,
        opportunity: OpportunitySummary,
        closed_date: closedDate,
        tier_before: nullableTier('null: no credit.', 'co_sell'),
        tier_after: nullableTier('null: no credit.', 'influenced'),
      }),
      { description: 'Newest deals first; at most 1,000 are listed.' },
    ),
  },
  { title: 'AttributionSimulation', description: 'What another policy would change.' },
);
