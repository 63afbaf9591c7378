import type { ActivityId, PartnerId } from '../../contract/ids.ts';
import type { ActivityKind, Tier } from '../../vocabulary.ts';

export type Deal = {
  opened_at: Date;
  /** YYYY-MM-DD */
  closed_date: string;
  organization_created_at: Date;
};

export type DealActivity = {
  id: ActivityId;
  external_id: string;
  kind: ActivityKind;
  occurred_at: Date;
  /** The one that counts: the source's own only where the organization trusts it. */
  recorded_at: Date;
  summary: string;
};

export type DealPartner = {
  partner_id: PartnerId;
  external_id: string;
  /** Set by an accepted dispute; at most one partner of a deal is pinned at `sourced`. */
  pinned_tier: Tier | null;
  /** Those on the deal's account that name this deal or none, in any order; possibly more than count. */
  activities: DealActivity[];
};

export type EvidenceLine = {
  kind: ActivityKind | 'pre_intent';
  /** What it proves; where it is not counted, what it would prove by when it occurred alone. */
  tier_supported: Tier | null;
  occurred_at: Date;
  recorded_at: Date;
  summary: string;
  /** None for `pre_intent`, which sums up several activities and is dated by the latest. */
  activity_id: ActivityId | null;
  counted: boolean;
  reason: string;
};

/** What can make a partner the source of a deal. */
export type SourcingClaim = Pick<EvidenceLine, 'kind' | 'occurred_at'>;

/** A partner with the evidence that there is to look at, before anyone is made the source. */
export type Claimant = {
  partner: DealPartner;
  /** Oldest first. */
  activities: DealActivity[];
  /** Where the weight at the opening reaches the threshold; contributors are oldest first. */
  pre_intent: { weight: number; contributors: Set<DealActivity> } | null;
  /** The strongest one, whether or not the partner may compete with it. */
  claim: SourcingClaim | null;
};
