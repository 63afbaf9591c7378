import { type Static, Type } from 'typebox';
import { strict, Timestamp } from './envelope.ts';

const days = (description: string) => Type.Integer({ minimum: 1, maximum: 3650, description });
const weight = (description: string) => Type.Number({ minimum: 0, maximum: 1000, description });

/** Every number that a rule or the attribution policy uses; versioned per organization. */
export const SettingsSchema = Type.Object(
  {
    signals: Type.Object(
      {
        overlap: Type.Object(
          {
            life_days: days('An overlap signal lives this long after it fires.'),
            return_days: days('A match that ends and comes back within this time is not new.'),
          },
          strict,
        ),
        co_sell: Type.Object(
          {
            window_days: days('How old the newest co-sell or sourcing activity may be for a signal to fire.'),
            life_days: days('A co-sell signal lives this long after the last such activity.'),
          },
          strict,
        ),
        pre_intent: Type.Object(
          {
            half_life_days: Type.Number({
              minimum: 0.1,
              maximum: 3650,
              description: 'After this many days an activity weighs half.',
            }),
            threshold: Type.Number({
              minimum: 0.01,
              maximum: 100_000,
              description: 'The decayed weight at which a pre-intent signal fires.',
            }),
            weights: Type.Object(
              {
                sourced: weight('Weight of a fresh activity of a sourcing kind.'),
                co_sell: weight('Weight of a fresh activity of a co-sell kind.'),
                influenced: weight('Weight of a fresh activity of an influencing kind.'),
              },
              strict,
            ),
            life_days: days('A pre-intent signal lives this long after the last activity.'),
          },
          strict,
        ),
        quiet_days: days('After it is handled or has expired, the same signal stays quiet this long.'),
      },
      strict,
    ),
    attribution: Type.Object(
      {
        sourced: Type.Object(
          {
            lookback_days: days('How long before the opening of a deal a sourcing activity may lie.'),
            lock_days: days('How long after the opening a sourcing activity may still be recorded.'),
          },
          strict,
        ),
        influenced: Type.Object(
          { window_days: days('How long before the closing of a deal an activity counts as influence.') },
          strict,
        ),
      },
      strict,
    ),
    density: Type.Object(
      { window_days: days('How far back co-sell activity counts for the co-sell density score.') },
      strict,
    ),
    trust_source_recorded_at: Type.Boolean({
      description: 'Whether the time of recording that a source gives counts instead of the time of ingest.',
    }),
  },
  strict,
);

export type Settings = Static<typeof SettingsSchema>;

export const SettingsVersionSchema = Type.Object({
  version: Type.Integer(),
  settings: SettingsSchema,
  created_at: Timestamp,
  created_by: Type.String(),
});

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
