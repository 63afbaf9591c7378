import type { ActivityId, PartnerId } from '../../contract/ids.ts';
import type { ActivityKind, Tier } from '../../vocabulary.ts';

export type WonOpportunity = {
  opened_at: Date;
  /** YYYY-MM-DD */
  closed_date: string;
  organization_created_at: Date;
};

export type OpportunityActivity = {
  id: ActivityId;
  external_id: string;
  kind: ActivityKind;
  occurred_at: Date;
  /** The source's own time counts only if the organization trusts that source. */
  recorded_at: Date;
  summary: string;
};

export type OpportunityPartner = {
  partner_id: PartnerId;
  external_id: string;
  /** Set by an accepted dispute; at most one partner of a deal is pinned at `sourced`. */
  pinned_tier: Tier | null;
  /** Activities on the deal's account that name this deal or none, in any order; possibly more than count. */
  activities: OpportunityActivity[];
};

export type EvidenceLine = {
  kind: ActivityKind | 'pre_intent';
  /** The tier that the line proves. If it is not counted: the tier that its time alone would prove. */
  tier_supported: Tier | null;
  occurred_at: Date;
  recorded_at: Date;
  summary: string;
  /** Null for `pre_intent`, which combines several activities and has the date of the latest. */
  activity_id: ActivityId | null;
  counted: boolean;
  reason: string;
};

/** Evidence that can make a partner the source of a deal. */
export type SourcingClaim = Pick<EvidenceLine, 'kind' | 'occurred_at'>;

/** A partner with its evidence, before the source is known. */
export type Claimant = {
  partner: OpportunityPartner;
  /** Oldest first. */
  activities: OpportunityActivity[];
  /** Null if the weight on the opening day is below the threshold. Contributors are oldest first. */
  pre_intent: { weight: number; contributors: Set<OpportunityActivity> } | null;
  /** The strongest claim, even if the partner may not compete with it. */
  claim: SourcingClaim | null;
};
