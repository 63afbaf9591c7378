import { type Static, Type } from 'typebox';
import { activityKinds } from './activity.ts';
import { PageQuery, strict } from './envelope.ts';
import { id, integer, moment, nullableId, nullableText, number, reference, text } from './field.ts';
import type { AccountId, OpportunityId, PartnerId, SignalId } from './ids.ts';
import { type PartnerType, PartnerTypeSchema } from './partner.ts';

export const signalTypes = ['co_sell', 'overlap', 'pre_intent'] as const;
export type SignalType = (typeof signalTypes)[number];
const SignalTypeSchema = Type.Enum([...signalTypes], {
  title: 'SignalType',
  description:
    'co_sell: the partner works on an open deal. overlap: the account is one of the partner’s, too. pre_intent: the partner is active where there is no deal yet.',
});

export const signalStates = ['new', 'in_progress', 'handled', 'expired'] as const;
export type SignalState = (typeof signalStates)[number];
const SignalStateSchema = Type.Enum([...signalStates], {
  title: 'SignalState',
  description: 'Where the work on it stands; expired also is what has been dismissed.',
});

export const PartnerSummary = Type.Object(
  { id: id('partner'), name: text('What people call it.', 'Zephyr Cloud'), type: PartnerTypeSchema },
  { title: 'PartnerSummary' },
);
export const AccountSummary = Type.Object(
  {
    id: id('account'),
    name: text('The name in the CRM.', 'Harbour Mills'),
    crm_id: text("The identifier in the organization's CRM.", '0015e00001AbCdE'),
  },
  { title: 'AccountSummary' },
);
export const OpportunitySummary = Type.Object(
  {
    id: id('opportunity'),
    name: text('The name in the CRM.', 'Harbour Mills renewal'),
    value: number('The value of the deal, in its own currency.', 48_000),
    stage: text('The stage in the CRM; prospective where there is no deal yet.', 'proposal'),
  },
  { title: 'OpportunitySummary' },
);

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
  id: id('signal'),
  type: SignalTypeSchema,
  state: SignalStateSchema,
  partner: PartnerSummary,
  account: AccountSummary,
  opportunity: OpportunitySummary,
  fired_at: moment('When it fired; never changes.', '2026-02-25T06:13:20.000Z'),
  recommended_action: text(
    'Who should do what next and why, in one sentence.',
    'This week the account owner and the partner manager should plan the next call with Zephyr Cloud: the newest evidence is the joint meeting of 2026-02-24 and the deal is in the stage proposal.',
  ),
};
export const SignalSchema = Type.Object(fields, {
  title: 'Signal',
  description: 'Tells that a partner can help on a deal.',
});

const ActivitySchema = Type.Object(
  {
    id: id('activity'),
    kind: Type.Unsafe<string>({
      type: 'string',
      enum: activityKinds,
      description: 'What the partner did.',
      examples: ['joint_meeting'],
    }),
    occurred_at: moment('When it happened.', '2026-02-24T13:00:00.000Z'),
    recorded_at: moment('When the service learned of it.', '2026-02-25T06:13:20.000Z'),
    summary: text('What happened, in the words of the source.', 'Sizing workshop with the plant managers'),
    actor: nullableText('The person who did it.', 'Ines Marlow'),
    source: nullableText('The system that it came from.', 'crm'),
    opportunity_id: nullableId('opportunity', 'The deal that the source named.'),
  },
  { title: 'Activity', description: 'Something that a partner did on an account.' },
);

/** An activity outside a signal, where the account does not go without saying. */
export const PartnerActivitySchema = Type.Object(
  { ...ActivitySchema.properties, account: AccountSummary },
  { title: 'PartnerActivity', description: 'Something that a partner did, with the account.' },
);

export const SignalDetailSchema = Type.Object(
  {
    ...fields,
    expires_at: moment('When it expires unless somebody takes it up.', '2026-03-26T00:00:00.000Z'),
    updated_at: moment('When it last changed.', '2026-03-02T09:30:00.000Z'),
    reasons: Type.Array(
      Type.Object({
        rule: SignalTypeSchema,
        rule_version: integer("The version of the organization's settings that applied.", 1),
        activity_ids: Type.Array(id('activity'), { description: 'The activities that counted.' }),
        detail: text(
          'The rule and its numbers, in one sentence.',
          'The newest co-sell or sourcing activity is a joint meeting on 2026-02-24 (1 counted, window 30 days, life 30 days).',
        ),
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
        note: nullableText('The note of the change.', 'Joint call on Thursday'),
        changed_by: Type.Object({
          key_id: nullableId('key', 'The key of the request.'),
          key_name: nullableText('Its name.', 'CRM integration'),
          actor: nullableText('The person behind the key: the header X-Actor.', 'Noor Halvorsen'),
        }),
        changed_at: moment('When.', '2026-03-02T09:30:00.000Z'),
      }),
      {
        description:
          'Changes of state and notes, oldest first; a note alone has from equal to to. changed_by holds nulls where the service itself made the change.',
      },
    ),
  },
  { title: 'SignalDetail', description: 'A signal in full.' },
);
export type SignalDetail = Static<typeof SignalDetailSchema>;

export const SignalQuerySchema = Type.Object(
  {
    type: Type.Optional(SignalTypeSchema),
    state: Type.Optional(SignalStateSchema),
    partner_id: Type.Optional(reference('partner', 'Only signals for this partner.')),
    account_id: Type.Optional(reference('account', 'Only signals for this CRM account.')),
    ...PageQuery,
  },
  strict,
);

export const ChangeSignalSchema = Type.Object(
  {
    state: Type.Optional(SignalStateSchema),
    note: Type.Optional(
      text('Kept in the history, with or without a change of state.', 'Joint call on Thursday', {
        minLength: 1,
        maxLength: 2000,
        pattern: '\\S',
      }),
    ),
  },
  {
    ...strict,
    minProperties: 1,
    title: 'ChangeSignal',
    examples: [{ state: 'in_progress', note: 'Joint call on Thursday' }],
  },
);
export type ChangeSignal = Static<typeof ChangeSignalSchema>;

const counts = Type.Object(
  Object.fromEntries(signalStates.map((state) => [state, Type.Integer({ examples: [3] })])) as Record<
    SignalState,
    ReturnType<typeof Type.Integer>
  >,
  { title: 'SignalCounts', description: 'How many signals are in each state.' },
);
export const SignalSummarySchema = Type.Object(
  {
    total: integer('All signals, of all types and states.', 36),
    by_type: Type.Object(
      Object.fromEntries(signalTypes.map((type) => [type, counts])) as Record<SignalType, typeof counts>,
    ),
  },
  { title: 'SignalSummary' },
);
