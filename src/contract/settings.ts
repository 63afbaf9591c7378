import { type Static, Type } from 'typebox';
import { strict } from './envelope.ts';
import { integer, moment, number, text } from './field.ts';

const days = (description: string, example: number) =>
  integer(description, example, { minimum: 1, maximum: 3650 });
const weight = (description: string, example: number) =>
  number(description, example, { minimum: 0, maximum: 1000 });

/** Every number that a rule or the attribution policy uses; versioned per organization. */
export const SettingsSchema = Type.Object(
  {
    signals: Type.Object(
      {
        overlap: Type.Object(
          {
            life_days: days('An overlap signal lives this long after it fires.', 90),
            return_days: days('A match that ends and comes back within this time is not new.', 90),
          },
          strict,
        ),
        co_sell: Type.Object(
          {
            window_days: days(
              'How old the newest co-sell or sourcing activity may be for a signal to fire.',
              30,
            ),
            life_days: days('A co-sell signal lives this long after the last such activity.', 30),
          },
          strict,
        ),
        pre_intent: Type.Object(
          {
            half_life_days: Type.Number({
              minimum: 0.1,
              maximum: 3650,
              description: 'After this many days an activity weighs half.',
              examples: [14],
            }),
            threshold: Type.Number({
              minimum: 0.01,
              maximum: 100_000,
              description: 'The decayed weight at which a pre-intent signal fires.',
              examples: [4],
            }),
            weights: Type.Object(
              {
                sourced: weight('Weight of a fresh activity of a sourcing kind.', 3),
                co_sell: weight('Weight of a fresh activity of a co-sell kind.', 2),
                influenced: weight('Weight of a fresh activity of an influencing kind.', 1),
              },
              strict,
            ),
            life_days: days('A pre-intent signal lives this long after the last activity.', 14),
          },
          { ...strict, title: 'PreIntentSettings' },
        ),
        quiet_days: days('After it is handled or has expired, the same signal stays quiet this long.', 14),
      },
      strict,
    ),
    attribution: Type.Object(
      {
        sourced: Type.Object(
          {
            lookback_days: days('How long before the opening of a deal a sourcing activity may lie.', 180),
            lock_days: days('How long after the opening a sourcing activity may still be recorded.', 14),
          },
          strict,
        ),
        influenced: Type.Object(
          { window_days: days('How long before the closing of a deal an activity counts as influence.', 90) },
          strict,
        ),
      },
      { ...strict, title: 'AttributionSettings' },
    ),
    density: Type.Object(
      { window_days: days('How far back co-sell activity counts for the co-sell density score.', 90) },
      strict,
    ),
    trust_source_recorded_at: Type.Boolean({
      description: 'Whether the time of recording that a source gives counts instead of the time of ingest.',
      examples: [false],
    }),
  },
  {
    ...strict,
    title: 'Settings',
    description:
      'Every number that the rules and the attribution policy use; the example holds the defaults.',
  },
);

export type Settings = Static<typeof SettingsSchema>;

export const SettingsVersionSchema = Type.Object(
  {
    version: integer('Counts up from 1; what a record or a reason names.', 1),
    settings: SettingsSchema,
    created_at: moment('When it came into force.', '2026-01-12T08:00:00.000Z'),
    created_by: text('The operator who made it.', 'operations'),
  },
  { title: 'SettingsVersion', description: 'The settings of an organization, at one version.' },
);

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
  },
  density: { window_days: 90 },
  trust_source_recorded_at: false,
};
