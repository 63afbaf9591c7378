import { Type } from 'typebox';
import { AttributionSummaryQuerySchema, type Policy, SimulationSchema } from '../../contract/attribution.ts';
import { strictObject } from '../../contract/envelope.ts';
import { SettingsSchema, type SettingsVersion } from '../../contract/settings.ts';
import { utcPeriod } from '../../contract/values/time.ts';
import { simulatePolicy as simulate } from '../../domain/simulate.ts';
import { findSettings } from '../../store/keys/settings.ts';
import { limit, Opportunity } from '../shapes.ts';
import { tool } from '../tool.ts';

const { attribution, signals } = SettingsSchema.properties;
const { sourced, influenced } = attribution.properties;
const preIntent = signals.properties.pre_intent.properties;
const { closed_after, closed_before } = AttributionSummaryQuerySchema.properties;

const numbers = {
  sourced_lookback_days: sourced.properties.lookback_days,
  sourced_lock_days: sourced.properties.lock_days,
  influenced_window_days: influenced.properties.window_days,
  pre_intent_threshold: preIntent.threshold,
  pre_intent_half_life_days: preIntent.half_life_days,
};
const { before, after, changes, ...counts } = SimulationSchema.properties;
const { currency } = Opportunity.properties;

export const simulatePolicyTool = tool({
  name: 'simulate_policy',
  title: 'Simulate an attribution policy',
  description:
    'Simulates other numbers in the attribution policy on the won deals of a period: records and value by tier before and after, and the records that would change. Numbers that you leave out stay as they are. Saves nothing.',
  scope: 'admin',
  input: strictObject({
    ...Type.Partial(Type.Object(numbers)).properties,
    closed_after,
    closed_before,
    limit: limit(5, 50),
  }),
  output: Type.Object({
    policy: Type.Object(numbers, { description: 'The numbers that were simulated.' }),
    ...counts,
    before: Type.Array(Type.Object({ ...before.items.properties, currency })),
    after: Type.Array(Type.Object({ ...after.items.properties, currency })),
    changes: Type.Array(Type.Object({ ...changes.items.properties, opportunity: Opportunity }), {
      description: 'Newest deals first.',
    }),
  }),
  run: async ({ db, orgId }, input) => {
    const { settings } = (await findSettings(db, orgId)) as SettingsVersion;
    const { sourced, influenced } = settings.attribution;
    const { pre_intent } = settings.signals;
    const numbers = {
      sourced_lookback_days: sourced.lookback_days,
      sourced_lock_days: sourced.lock_days,
      influenced_window_days: influenced.window_days,
      pre_intent_threshold: pre_intent.threshold,
      pre_intent_half_life_days: pre_intent.half_life_days,
      ...input,
    };
    const policy: Policy = {
      attribution: {
        sourced: { lookback_days: numbers.sourced_lookback_days, lock_days: numbers.sourced_lock_days },
        influenced: { window_days: numbers.influenced_window_days },
      },
      pre_intent: {
        ...pre_intent,
        threshold: numbers.pre_intent_threshold,
        half_life_days: numbers.pre_intent_half_life_days,
      },
    };
    const result = await simulate(db, orgId, policy, utcPeriod(input));
    return { ...result, policy: numbers, changes: result.changes.slice(0, input.limit) };
  },
});
