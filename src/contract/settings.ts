import { type Static, Type } from 'typebox';
import {
  type PriorityPart,
  priorityParts,
  priorityPartTable,
  selfDecisions,
  settingRanges,
  splitMethods,
} from '../vocabulary.ts';
import { strictObject } from './envelope.ts';
import { currencyPattern, integer, moment, nullable, number, text } from './values/field.ts';

const days = (description: string, example: number) => integer(description, example, settingRanges.days);
const weight = (description: string, example: number) => number(description, example, settingRanges.weight);

const attribution = {
  sourced: strictObject({
    lookback_days: days('A sourcing activity counts up to this many days before the deal was opened.', 180),
    lock_days: days(
      'A sourcing activity must be recorded at most this many days after the deal was opened.',
      14,
    ),
  }),
  influenced: strictObject({
    window_days: days('An activity counts as influence up to this many days before the deal was closed.', 90),
  }),
};
const split = strictObject(
  {
    method: Type.Enum([...splitMethods], {
      description:
        'full: each partner is credited with the whole value. equal: all get the same share. tiers: shares in proportion to the weights of their tiers.',
    }),
    weights: strictObject({
      sourced: weight('Weight of the tier sourced.', 3),
      co_sell: weight('Weight of the tier co_sell.', 2),
      influenced: weight('Weight of the tier influenced.', 1),
    }),
  },
  {
    title: 'CreditSplit',
    description: 'How the value of a deal is shared among the partners credited for it.',
  },
);
export const SelfDecisionSchema = Type.Enum([...selfDecisions], {
  title: 'SelfDecision',
  description:
    'Whether the key that opened a dispute may also accept or reject it. `always` is for organizations with a single user.',
});

/** The request body. */
export const AttributionPolicyInput = strictObject(
  { ...attribution, split: Type.Optional(split) },
  { title: 'AttributionSettingsInput' },
);

/** Every number that a rule or the attribution policy uses; versioned per organization. */
export const SettingsSchema = strictObject(
  {
    signals: strictObject({
      overlap: strictObject({
        life_days: days('How many days an overlap signal stays active after it fires.', 90),
        return_days: days('A match that ends and returns within this many days does not count as new.', 90),
      }),
      co_sell: strictObject({
        window_days: days(
          'A signal fires only if the latest co-sell or sourcing activity is at most this many days old.',
          30,
        ),
        life_days: days('How many days a co-sell signal stays active after the latest such activity.', 30),
      }),
      pre_intent: strictObject(
        {
          half_life_days: Type.Number({
            ...settingRanges.halfLife,
            description: 'After this many days, an activity has half its weight.',
            examples: [14],
          }),
          threshold: Type.Number({
            ...settingRanges.threshold,
            description: 'Total weight at which a pre-intent signal fires.',
            examples: [4],
          }),
          weights: strictObject({
            sourced: weight('Weight of a new sourcing activity.', 3),
            co_sell: weight('Weight of a new co-sell activity.', 2),
            influenced: weight('Weight of a new influencing activity.', 1),
          }),
          life_days: days('How many days a pre-intent signal stays active after the latest activity.', 14),
        },
        { title: 'PreIntentSettings' },
      ),
      quiet_days: days(
        'Cooldown: after a signal is handled or expires, the same signal does not fire again for this many days.',
        14,
      ),
    }),
    attribution: strictObject({ ...attribution, split }, { title: 'AttributionSettings' }),
    disputes: strictObject({
      self_decision: SelfDecisionSchema,
    }),
    density: strictObject({
      window_days: days('How many days back activities count for the co-sell density score.', 90),
    }),
    reporting_currency: nullable<string>(
      'string',
      'Currency that totals are converted to, in addition to the totals by currency (ISO 4217); null for none.',
      null,
      { pattern: currencyPattern },
    ),
    priority: strictObject({
      weights: strictObject(
        byPart((part) =>
          weight(`Weight of the part “${priorityPartTable[part].words}”.`, priorityPartTable[part].weight),
        ),
        {
          title: 'PriorityWeights',
          description: 'How much each part counts for the priority of a signal, relative to the others.',
        },
      ),
    }),
    trust_source_recorded_at: Type.Boolean({
      description: 'Whether `recorded_at` from the source counts instead of the time of ingest.',
      examples: [false],
    }),
  },
  {
    title: 'Settings',
    description:
      'All settings of the signal rules and the attribution policy. The example shows the defaults.',
  },
);

export type Settings = Static<typeof SettingsSchema>;

/** The request body. Settings added after the first release are optional and have defaults. */
export const SettingsInputSchema = strictObject(
  {
    ...SettingsSchema.properties,
    attribution: AttributionPolicyInput,
    disputes: Type.Optional(SettingsSchema.properties.disputes),
    reporting_currency: Type.Optional(SettingsSchema.properties.reporting_currency),
    priority: Type.Optional(SettingsSchema.properties.priority),
  },
  { title: 'SettingsInput', description: 'All settings.' },
);
export type SettingsInput = Static<typeof SettingsInputSchema>;

export const SettingsVersionSchema = Type.Object(
  {
    version: integer('Version number, from 1. Records and reasons refer to it.', 1),
    settings: SettingsSchema,
    created_at: moment('When this version took effect.', '2026-01-12T08:00:00.000Z'),
    created_by: text('Who created it: an operator, or a person or key of the organization.', 'operations'),
  },
  { title: 'SettingsVersion', description: 'One version of the settings of an organization.' },
);
export type SettingsVersion = Static<typeof SettingsVersionSchema>;

export const defaultSettings: Settings = {
  signals: {
    overlap: { life_days: 90, return_days: 90 },
    co_sell: { window_days: 30, life_days: 30 },
    pre_intent: {
      half_life_days: 14,
      threshold: 4,
      weights: { sourced: 3, co_sell: 2, influenced: 1 },
      life_days: 14,
    },
    quiet_days: 14,
  },
  attribution: {
    sourced: { lookback_days: 180, lock_days: 14 },
    influenced: { window_days: 90 },
    split: { method: 'full', weights: { sourced: 3, co_sell: 2, influenced: 1 } },
  },
  disputes: { self_decision: 'never' },
  density: { window_days: 90 },
  reporting_currency: null,
  priority: { weights: byPart((part) => priorityPartTable[part].weight) },
  trust_source_recorded_at: false,
};

/** Adds the defaults of settings that did not exist when `stored` was saved. */
export function withDefaults(stored: object): Settings {
  return merge(defaultSettings, stored) as Settings;
}

function byPart<T>(of: (part: PriorityPart) => T): Record<PriorityPart, T> {
  return Object.fromEntries(priorityParts.map((part) => [part, of(part)])) as Record<PriorityPart, T>;
}

function merge(defaults: object, stored: object): object {
  return Object.fromEntries(
    Object.entries(defaults).map(([name, byDefault]) => {
      const value = (stored as Record<string, unknown>)[name] ?? byDefault;
      return [name, isObject(byDefault) && isObject(value) ? merge(byDefault, value) : value];
    }),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
