import { type Static, Type } from 'typebox';
import {
  activityKinds,
  batchLimit,
  type DismissReason,
  dismissReasons,
  type EndReason,
  endReasons,
  type PriorityPart,
  priorityParts,
  priorityPartTable,
  type SignalState,
  type SignalType,
  signalSorts,
  signalStates,
  signalTypeMeanings,
  signalTypes,
  textLimits,
} from '../vocabulary.ts';
import { errorResponse, PageQuery, searchField, strictObject } from './envelope.ts';
import { PartnerSummary } from './partner.ts';
import { nullablePerson, optionalAssignee } from './person.ts';
import {
  exampleId,
  filledText,
  id,
  integer,
  moment,
  nullable,
  nullableId,
  nullableInteger,
  nullableObject,
  nullableText,
  number,
  reference,
  text,
} from './values/field.ts';

const SignalTypeSchema = Type.Enum(signalTypes, {
  title: 'SignalType',
  description: signalTypes.map((type) => `${type}: ${signalTypeMeanings[type]}.`).join(' '),
});

const SignalStateSchema = Type.Enum(signalStates, {
  title: 'SignalState',
  description: 'State of the work on the signal. A dismissed signal is `expired`, too.',
});

export const AccountSummary = Type.Object(
  {
    id: id('account'),
    name: text('Name in the CRM.', 'Harbour Mills'),
    crm_id: text('Identifier in your CRM.', '0015e00001AbCdE'),
  },
  { title: 'AccountSummary' },
);
export const OpportunitySummary = Type.Object(
  {
    id: id('opportunity'),
    name: text('Name in the CRM.', 'Harbour Mills renewal'),
    value: number('Value of the deal, in its own currency.', 48_000),
    currency: nullableText('ISO 4217 code; null if the CRM gave none.', 'EUR'),
    stage: text('Stage in the CRM; `prospective` if there is no deal yet.', 'proposal'),
  },
  { title: 'OpportunitySummary' },
);

const endReasonDescription =
  'Why the signal ended. handled: somebody handled it. dismissed: somebody dismissed it. time: nobody started work on it in time. facts: the data no longer supports it.';

const fields = {
  id: id('signal'),
  type: SignalTypeSchema,
  state: SignalStateSchema,
  partner: PartnerSummary,
  account: AccountSummary,
  opportunity: OpportunitySummary,
  owner: nullablePerson('Owner of the deal in the CRM; if the deal has none, owner of the account.'),
  fired_at: moment('When the signal fired. Never changes.', '2026-02-25T06:13:20.000Z'),
  recommended_action: text(
    'What to do next, why, and who should do it by when.',
    'Agree on the next joint step at Harbour Mills with Zephyr Cloud. Latest activity: joint meeting on 24 Feb 2026; the deal is in stage "proposal". Suggested: account owner and partner manager, this week.',
  ),
  assignee: nullablePerson('Who works on the signal.'),
  priority: nullableInteger('From 0 to 100; work on the highest first. Null once the signal has ended.', 72),
  end_reason: nullable<EndReason>(
    'string',
    `${endReasonDescription} Null while the signal is active.`,
    null,
    {
      enum: [...endReasons, null],
    },
  ),
};
/** The list item; also the `data` of its events. */
export const SignalSchema = Type.Object(fields, {
  title: 'Signal',
  description: 'A sign that a partner can help on a deal.',
});
export type Signal = Static<typeof SignalSchema>;

export const ActivitySchema = Type.Object(
  {
    id: id('activity'),
    kind: Type.Enum(activityKinds, {
      type: 'string',
      description: 'What the partner did.',
      examples: ['joint_meeting'],
    }),
    occurred_at: moment('When it happened.', '2026-02-24T13:00:00.000Z'),
    recorded_at: moment('When the service received it.', '2026-02-25T06:13:20.000Z'),
    summary: text('What happened, as the source described it.', 'Sizing workshop with the plant managers'),
    actor: nullableText('The person involved.', 'Ines Marlow'),
    source: nullableText('The system it came from.', 'crm'),
    opportunity_id: nullableId('opportunity', 'The deal, if the source named one.'),
  },
  { title: 'Activity', description: 'Something a partner did on an account.' },
);
export type Activity = Static<typeof ActivitySchema>;

/** An activity with its account. */
export const PartnerActivitySchema = Type.Object(
  { ...ActivitySchema.properties, account: AccountSummary },
  { title: 'PartnerActivity', description: 'Something a partner did, with the account.' },
);
export type PartnerActivity = Static<typeof PartnerActivitySchema>;

/** An activity with its partner. */
export const AccountActivitySchema = Type.Object(
  { ...ActivitySchema.properties, partner: PartnerSummary },
  { title: 'AccountActivity', description: 'Something a partner did on an account, with the partner.' },
);

export type PriorityParts = Record<PriorityPart, number>;

export const SignalDetailSchema = Type.Object(
  {
    ...fields,
    priority_parts: Type.Unsafe<PriorityParts | null>({
      type: ['object', 'null'],
      title: 'PriorityParts',
      required: priorityParts,
      properties: Object.fromEntries(
        priorityParts.map((part) => [
          part,
          integer(`Score of the ${priorityPartTable[part].words}.`, 60, { minimum: 0, maximum: 100 }),
        ]),
      ),
      description:
        'The scores behind the priority, each from 0 to 100. They count by their weights in the settings. Null once the signal has ended. A new day can change the priority and its parts without a new ETag or `updated_at`.',
    }),
    dismiss_reason: nullable<DismissReason>(
      'string',
      'Why it was dismissed, if somebody gave a reason.',
      null,
      {
        enum: [...dismissReasons, null],
      },
    ),
    expires_at: moment('When it expires if nobody starts work on it.', '2026-03-26T00:00:00.000Z'),
    updated_at: moment('When it last changed.', '2026-03-02T09:30:00.000Z'),
    reasons: Type.Array(
      Type.Object({
        rule: SignalTypeSchema,
        settings_version: integer('Version of the settings that applied.', 1),
        activity_ids: Type.Array(id('activity'), { description: 'Activities that counted.' }),
        detail: text(
          'The rule with its numbers.',
          'Latest co-sell or sourcing activity: joint meeting on 2026-02-24 (activities: 1, window: 30 days). Active for 30 days.',
        ),
      }),
      { description: 'Why it fired.' },
    ),
    activity_log: Type.Array(ActivitySchema, {
      description: 'Every activity of the partner on the account, newest first.',
    }),
    history: Type.Array(
      Type.Object({
        from: SignalStateSchema,
        to: SignalStateSchema,
        note: nullableText('Note added with the change.', 'Joint call on Thursday'),
        assignee: Type.Optional(
          nullablePerson(
            'The new assignee; null if the signal was unassigned, absent if the assignee did not change.',
          ),
        ),
        changed_by: Type.Object({
          key_id: nullableId('key', 'The API key that made the change.'),
          key_name: nullableText('Name of the key.', 'CRM integration'),
          actor: nullableText('The person behind the key, from the X-Actor header.', 'Noor Halvorsen'),
        }),
        changed_at: moment('When it changed.', '2026-03-02T09:30:00.000Z'),
      }),
      {
        description:
          'State changes, notes and assignments, oldest first. For a note or an assignment without a state change, `from` equals `to`. If the service itself made the change, the fields of `changed_by` are null.',
      },
    ),
  },
  { title: 'SignalDetail', description: 'A signal in full.' },
);
export type SignalDetail = Static<typeof SignalDetailSchema>;

const email = (description: string) =>
  text(description, 'noor.halvorsen@brightwater.example', { minLength: 1, maxLength: textLimits.email });

export const SignalQuerySchema = strictObject({
  q: searchField(
    'Only signals for CRM accounts whose name, domain or CRM ID begins with this text. Case matters in CRM IDs only. Names, domains and CRM IDs each find at most 100 accounts.',
    'harbour',
  ),
  type: Type.Optional(SignalTypeSchema),
  state: Type.Optional(SignalStateSchema),
  end_reason: Type.Optional(Type.Enum(endReasons, { title: 'EndReason', description: endReasonDescription })),
  partner_id: Type.Optional(reference('partner', 'Only signals for this partner.')),
  account_id: Type.Optional(reference('account', 'Only signals for this CRM account.')),
  owner: Type.Optional(email('Only signals with this owner, by e-mail address. Case does not matter.')),
  assignee: Type.Optional(email('Only signals with this assignee, by e-mail address. Case does not matter.')),
  sort: Type.Optional(
    Type.Enum([...signalSorts], {
      default: signalSorts[0],
      description:
        'fired_at: newest first. priority: highest priority first, then newest; lists only active signals, because others have no priority.',
    }),
  ),
  min_priority: Type.Optional(
    integer('Only active signals with at least this priority.', 60, { minimum: 0, maximum: 100 }),
  ),
  ...PageQuery,
});

const changes = {
  state: Type.Optional(SignalStateSchema),
  note: Type.Optional(
    filledText(
      'Added to the history, with or without a state change.',
      'Joint call on Thursday',
      textLimits.note,
    ),
  ),
  assignee: optionalAssignee('Who works on the signal from now on; null for nobody.'),
  dismiss_reason: Type.Optional(
    Type.Enum(dismissReasons, {
      title: 'DismissReason',
      description: 'Why the signal is dismissed. Allowed only with the state `expired`.',
    }),
  ),
};
export const ChangeSignalSchema = strictObject(changes, {
  minProperties: 1,
  title: 'ChangeSignal',
  examples: [{ state: 'in_progress', note: 'Joint call on Thursday' }],
});
export type ChangeSignal = Static<typeof ChangeSignalSchema>;

export const ChangeSignalsSchema = strictObject(
  {
    items: Type.Array(
      strictObject(
        { id: reference('signal', 'The signal.'), ...changes },
        {
          minProperties: 2,
          title: 'SignalChange',
          examples: [{ state: 'in_progress', note: 'Joint call on Thursday' }],
        },
      ),
      {
        minItems: 1,
        maxItems: batchLimit,
        description: 'The changes, at most one state change for each signal.',
      },
    ),
  },
  { title: 'ChangeSignals' },
);
export type ChangeSignals = Static<typeof ChangeSignalsSchema>;

export const SignalOutcomesSchema = Type.Object(
  {
    changed: integer('Items that were accepted, including those that changed nothing.', 1),
    refused: integer('Items with an error.', 0),
    outcomes: Type.Array(
      Type.Object(
        {
          id: text('The signal.', exampleId('signal')),
          signal: nullableObject(
            SignalSchema,
            'The signal after the change; null if the change was refused.',
            { title: undefined },
          ),
          error: errorResponse(
            'Why the change was refused; null if it was applied.',
            `There is no signal with the ID ${exampleId('signal')}.`,
          ),
        },
        { title: 'SignalOutcome' },
      ),
      { description: 'One for each item, in the same order.' },
    ),
  },
  { title: 'SignalOutcomes' },
);

const counts = Type.Object(
  Object.fromEntries(signalStates.map((state) => [state, Type.Integer({ examples: [3] })])) as Record<
    SignalState,
    ReturnType<typeof Type.Integer>
  >,
  { title: 'SignalCounts', description: 'Number of signals in each state.' },
);
export const SignalSummarySchema = Type.Object(
  {
    total: integer('Number of signals of all types and states.', 36),
    by_type: Type.Object(
      Object.fromEntries(signalTypes.map((type) => [type, counts])) as Record<SignalType, typeof counts>,
    ),
  },
  { title: 'SignalSummary' },
);
