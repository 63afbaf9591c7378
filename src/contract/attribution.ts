import { type Static, Type } from 'typebox';
import { type Tier, tiers } from './activity.ts';
import { NullableText, NullableTimestamp, PageQuery, strict, Timestamp } from './envelope.ts';
import type { AccountId, AttributionId, DisputeId, OpportunityId, PartnerId } from './ids.ts';
import type { PartnerType } from './partner.ts';
import { SettingsSchema } from './settings.ts';
import { AccountSummary, OpportunitySummary, PartnerSummary } from './signal.ts';

const TierSchema = Type.Enum([...tiers]);
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

const fields = {
  id: Type.String(),
  tier: TierSchema,
  status: Type.Enum(['active', 'reversed']),
  partner: PartnerSummary,
  account: AccountSummary,
  opportunity: OpportunitySummary,
  closed_date: Type.String({ format: 'date' }),
  dispute_status: Type.Enum(['none', ...disputeStatuses]),
  policy_version: Type.Integer({ description: "The version of the organization's settings that made it." }),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const AttributionSchema = Type.Object(fields);

const By = Type.Object({ key_id: Type.String(), key_name: Type.String(), actor: NullableText });

export const DisputeSchema = Type.Object({
  id: Type.String(),
  record_id: Type.String(),
  status: Type.Enum([...disputeStatuses]),
  claimed_tier: TierSchema,
  tier_at_opening: TierSchema,
  justification: Type.String(),
  opened_by: By,
  opened_at: Timestamp,
  resolved_by: Type.Unsafe<Static<typeof By> | null>({ ...By, type: ['object', 'null'] }),
  resolved_at: NullableTimestamp,
  resolution_note: NullableText,
});
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

const EvidenceSchema = Type.Object({
  id: Type.String(),
  kind: Type.String({ description: 'The kind of activity, pre_intent, or dispute.' }),
  tier_supported: Type.Unsafe<Tier | null>({ type: ['string', 'null'] }),
  occurred_at: Timestamp,
  recorded_at: Timestamp,
  summary: Type.String(),
  activity_id: NullableText,
  signal_id: NullableText,
  counted: Type.Boolean(),
  reason: Type.String({ description: 'Why it counts, or why not.' }),
});

export const AttributionDetailSchema = Type.Object({
  ...fields,
  evidence_log: Type.Array(EvidenceSchema, { description: 'Oldest first.' }),
  dispute_history: Type.Array(DisputeSchema, { description: 'Oldest first.' }),
});

const Day = (description: string) =>
  Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      anyOf: [{ format: 'date' }, { format: 'date-time' }],
      description: `${description} YYYY-MM-DD, or a timestamp whose UTC date is used.`,
    }),
  );

const period = {
  closed_after: Day('Deals closed after this date, itself not included.'),
  closed_before: Day('Deals closed before this date, itself not included.'),
};

export const AttributionQuerySchema = Type.Object(
  { partner_id: Type.Optional(Type.String()), tier: Type.Optional(TierSchema), ...period, ...PageQuery },
  strict,
);

export const AttributionSummaryQuerySchema = Type.Object(
  { partner_id: Type.Optional(Type.String()), tier: Type.Optional(TierSchema), ...period },
  strict,
);

export const OpenDisputeSchema = Type.Object(
  { claimed_tier: TierSchema, justification: Type.String({ minLength: 1, maxLength: 5000, pattern: '\\S' }) },
  strict,
);
export type OpenDispute = Static<typeof OpenDisputeSchema>;

export const ResolveDisputeSchema = Type.Object(
  {
    status: Type.Enum(['accepted', 'rejected', 'withdrawn']),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 5000, pattern: '\\S' })),
  },
  strict,
);
export type ResolveDispute = Static<typeof ResolveDisputeSchema>;

const amounts = {
  currency: NullableText,
  deals: Type.Integer({ description: 'Deals, each counted once.' }),
  credits: Type.Integer({ description: 'Records: a deal credited to two partners has two.' }),
  net_value: Type.Number({ description: 'The value of the deals, each once.' }),
  gross_value: Type.Number({ description: 'The value as credited: once for each record.' }),
};

export const AttributionSummarySchema = Type.Object({
  totals: Type.Array(Type.Object(amounts)),
  by_partner: Type.Array(Type.Object({ partner: PartnerSummary, ...amounts })),
  by_tier: Type.Array(Type.Object({ tier: TierSchema, ...amounts })),
  by_month: Type.Array(Type.Object({ month: Type.String({ description: 'YYYY-MM' }), ...amounts })),
});

/** The numbers that decide credit; the same shape as in the settings. */
const PolicySchema = Type.Object(
  {
    attribution: SettingsSchema.properties.attribution,
    pre_intent: SettingsSchema.properties.signals.properties.pre_intent,
  },
  strict,
);
export type Policy = Static<typeof PolicySchema>;

export const SimulateSchema = Type.Object({ policy: PolicySchema, ...period }, strict);

const tierCounts = Type.Array(
  Type.Object({ tier: TierSchema, currency: NullableText, records: Type.Integer(), value: Type.Number() }),
);

export const SimulationSchema = Type.Object({
  deals: Type.Integer({ description: 'Won deals of the period that were looked at.' }),
  before: tierCounts,
  after: tierCounts,
  changed: Type.Integer({ description: 'Records that would differ.' }),
  changes: Type.Array(
    Type.Object({
      record_id: NullableText,
      partner: PartnerSummary,
      opportunity: OpportunitySummary,
      closed_date: Type.String({ format: 'date' }),
      tier_before: Type.Unsafe<Tier | null>({ type: ['string', 'null'] }),
      tier_after: Type.Unsafe<Tier | null>({ type: ['string', 'null'] }),
    }),
    { description: 'Newest deals first; at most 1,000 are listed.' },
  ),
});
