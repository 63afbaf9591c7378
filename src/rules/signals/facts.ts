import type { AccountId, ActivityId, OpportunityId, PartnerId, SignalId } from '../../contract/ids.ts';
import type { Settings } from '../../contract/settings.ts';
import type {
  ActivityKind,
  EndReason,
  MatchKind,
  PartnerType,
  SignalState,
  SignalType,
} from '../../vocabulary.ts';

export type Activity = {
  id: ActivityId;
  external_id: string;
  kind: ActivityKind;
  occurred_at: Date;
  summary: string;
  actor: string | null;
  /** The CRM opportunity that the activity refers to, open or not. */
  opportunity_id: OpportunityId | null;
};

export type OpenOpportunity = {
  id: OpportunityId;
  crm_id: string;
  name: string;
  value: number;
  currency: string | null;
  stage: string;
  opened_at: Date;
  /** When it is expected to close, YYYY-MM-DD. */
  closed_date: string | null;
};

export type ClosedOpportunity = {
  id: OpportunityId;
  status: 'won' | 'lost' | 'deleted';
  /** YYYY-MM-DD */
  closed_date: string | null;
};

export type Match = {
  /** When the match began. A match that disappears and soon returns keeps this time. */
  started_at: Date;
  kind: MatchKind;
  key: string;
  confidence: number;
  partner_account_name: string;
};

/** All facts about one partner and one account. */
export type PairFacts = {
  partner: { id: PartnerId; name: string; type: PartnerType; tier: 1 | 2 | 3 | 4 };
  account: { id: AccountId; name: string };
  /** The current match. */
  match: Match | null;
  /** In any order; possibly more than a rule needs. */
  activities: Activity[];
  open_opportunities: OpenOpportunity[];
  /** Deals of active signals that are no longer open. */
  closed_opportunities: ClosedOpportunity[];
};

/** An opportunity of the account, or the prospective one that represents the account until it has one. */
export type OpportunityRef = OpportunityId | 'prospective';

/** The strongest kind of evidence: 0 none, 1 influenced, 2 co_sell, 3 sourced. */
export type Rank = 0 | 1 | 2 | 3;

type Reason = {
  rule: SignalType;
  settings_version: number;
  /** Newest first. */
  activity_ids: ActivityId[];
  detail: string;
};

/** A signal that the facts support. */
export type Candidate = {
  type: SignalType;
  opportunity: OpportunityRef;
  expires_at: Date;
  /** When the newest evidence happened. */
  evidence_at: Date;
  rank: Rank;
  reason: Reason;
  /** Without its urgency, which follows from the priority, and without the full stop. */
  recommended_action: string;
};

/**
 * The signals that the facts support at `now`. An active signal stays for its full lifetime on evidence that is too old to
 * fire it now. Omit `existing` only if there are no signals, or `reconcile` ends them early.
 */
export type Evaluate = (
  facts: PairFacts,
  settings: Settings,
  settingsVersion: number,
  now: Date,
  existing?: ExistingSignal[],
) => Candidate[];

export type SignalRule = {
  /** How many days back the rule looks at activities. */
  evidenceDays(settings: Settings): number;
  evaluate: Evaluate;
};

export type ExistingSignal = {
  id: SignalId;
  type: SignalType;
  state: SignalState;
  opportunity: OpportunityRef;
  fired_at: Date;
  expires_at: Date;
  ended_at: Date | null;
  end_reason: EndReason | null;
  evidence_at: Date;
  rank: Rank;
  activity_ids: ActivityId[];
  recommended_action: string;
};
