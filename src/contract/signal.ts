import { type Static, Type } from 'typebox';
import { NullableText, PageQuery, strict, Timestamp } from './envelope.ts';
import type { AccountId, OpportunityId, PartnerId, SignalId } from './ids.ts';
import { type PartnerType, PartnerTypeSchema } from './partner.ts';

export const signalTypes = ['co_sell', 'overlap', 'pre_intent'] as const;
export type SignalType = (typeof signalTypes)[number];
const SignalTypeSchema = Type.Enum([...signalTypes]);

export const signalStates = ['new', 'in_progress', 'handled', 'expired'] as const;
export type SignalState = (typeof signalStates)[number];
const SignalStateSchema = Type.Enum([...signalStates]);

export const PartnerSummary = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: PartnerTypeSchema,
});
export const AccountSummary = Type.Object({
  id: Type.String(),
  name: Type.String(),
  crm_id: Type.String({ description: "The identifier in the organization's CRM." }),
});
export const OpportunitySummary = Type.Object({
  id: Type.String(),
  name: Type.String(),
  value: Type.Number(),
  stage: Type.String(),
});

/** The list item; also the `data` of its events. */
export type Signal = {
  id: SignalId;
  type: SignalType;
  state: SignalState;
  partner: { id: PartnerId; name: string; type: PartnerType };
  account: { id: AccountId; name: string; crm_id: string };
  opportunity: { id: OpportunityId; name: string; value: number; stage: string };
  fired_at: Date;
  recommended_action: string;
};

const fields = {
  id: Type.String(),
  type: SignalTypeSchema,
  state: SignalStateSchema,
  partner: PartnerSummary,
  account: AccountSummary,
  opportunity: OpportunitySummary,
  fired_at: Timestamp,
  recommended_action: Type.String(),
};
export const SignalSchema = Type.Object(fields);

const ActivitySchema = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  occurred_at: Timestamp,
  recorded_at: Timestamp,
  summary: Type.String(),
  actor: NullableText,
  source: NullableText,
  opportunity_id: NullableText,
});

/** An activity outside a signal, where the account does not go without saying. */
export const PartnerActivitySchema = Type.Object({ ...ActivitySchema.properties, account: AccountSummary });

export const SignalDetailSchema = Type.Object({
  ...fields,
  expires_at: Timestamp,
  updated_at: Timestamp,
  reasons: Type.Array(
    Type.Object({
      rule: SignalTypeSchema,
      rule_version: Type.Integer({ description: "The version of the organization's settings that applied." }),
      activity_ids: Type.Array(Type.String()),
      detail: Type.String(),
    }),
    { description: 'Why it fired.' },
  ),
  activity_log: Type.Array(ActivitySchema, {
    description: 'Every activity of this partner on this account, newest first.',
  }),
  history: Type.Array(
    Type.Object({
      from: SignalStateSchema,
      to: SignalStateSchema,
      note: NullableText,
      changed_by: Type.Object({ key_id: NullableText, key_name: NullableText, actor: NullableText }),
      changed_at: Timestamp,
    }),
    { description: 'Oldest first. changed_by holds nulls where the service itself made the change.' },
  ),
});
export type SignalDetail = Static<typeof SignalDetailSchema>;

export const SignalQuerySchema = Type.Object(
  {
    type: Type.Optional(SignalTypeSchema),
    state: Type.Optional(SignalStateSchema),
    partner_id: Type.Optional(Type.String({ description: 'Only signals for this partner.' })),
    account_id: Type.Optional(Type.String({ description: 'Only signals for this CRM account.' })),
    ...PageQuery,
  },
  strict,
);

export const ChangeSignalSchema = Type.Object(
  {
    state: Type.Optional(SignalStateSchema),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, pattern: '\\S' })),
  },
  { ...strict, minProperties: 1 },
);
export type ChangeSignal = Static<typeof ChangeSignalSchema>;

const counts = Type.Object(
  Object.fromEntries(signalStates.map((state) => [state, Type.Integer()])) as Record<
    SignalState,
    ReturnType<typeof Type.Integer>
  >,
);
export const SignalSummarySchema = Type.Object({
  total: Type.Integer(),
  by_type: Type.Object(
    Object.fromEntries(signalTypes.map((type) => [type, counts])) as Record<SignalType, typeof counts>,
  ),
});
