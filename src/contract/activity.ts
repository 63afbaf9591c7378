import { Type } from 'typebox';

/** What a piece of evidence can prove, the strongest first. */
export const tiers = ['sourced', 'co_sell', 'influenced'] as const;
export type Tier = (typeof tiers)[number];
export const TierSchema = Type.Enum([...tiers], {
  title: 'AttributionTier',
  description: 'What the partner did for the deal: sourced is the strongest, influenced the weakest.',
  examples: ['co_sell'],
});

export const tierByKind = {
  deal_registration: 'sourced',
  referral: 'sourced',
  introduction: 'sourced',
  joint_meeting: 'co_sell',
  exec_intro: 'co_sell',
  proposal_support: 'co_sell',
  technical_validation: 'co_sell',
  co_sell_share: 'co_sell',
  marketplace_offer: 'co_sell',
  content_touch: 'influenced',
  event_attendance: 'influenced',
  integration_usage: 'influenced',
  marketplace_listing: 'influenced',
} as const satisfies Record<string, Tier>;

export type ActivityKind = keyof typeof tierByKind;

export const activityKinds = Object.keys(tierByKind) as ActivityKind[];
export const ActivityKindSchema = Type.Enum(activityKinds, {
  title: 'ActivityKind',
  description: 'What a partner did; the kind says which tier of credit it can support.',
  examples: ['joint_meeting'],
});
