import { Type } from 'typebox';
import { activityKinds, tiers } from '../vocabulary.ts';

export const TierSchema = Type.Enum(tiers, {
  title: 'AttributionTier',
  description: 'What the partner did for the deal. sourced is the strongest tier, influenced the weakest.',
  examples: ['co_sell'],
});

export const ActivityKindSchema = Type.Enum(activityKinds, {
  title: 'ActivityKind',
  description: 'What the partner did. The kind decides which attribution tier it can prove.',
  examples: ['joint_meeting'],
});

// To be removed with its last user.
export { type ActivityKind, activityKinds, type Tier, tiers } from '../vocabulary.ts';
