import type { OpportunityId } from '../../src/contract/ids.ts';
import type {
  Activity,
  Candidate,
  ExistingSignal,
  Match,
  OpenOpportunity,
  PairFacts,
} from '../../src/rules/signals/facts.ts';
import type { ActivityKind } from '../../src/vocabulary.ts';

/** Midday, so that a rule that counts hours instead of UTC days fails at its boundary. */
export const now = new Date('2026-03-31T12:00:00Z');

export function daysAgo(days: number, time = '12:00:00Z'): Date {
  const day = new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
  return new Date(`${day}T${time}`);
}

export function midnightIn(days: number): Date {
  return daysAgo(-days, '00:00:00Z');
}

export function activity(
  name: string,
  kind: ActivityKind,
  occurred_at: Date,
  over: Partial<Activity> = {},
): Activity {
  return {
    id: `act_${name}`,
    external_id: name,
    kind,
    occurred_at,
    summary: name,
    actor: null,
    opportunity_id: null,
    ...over,
  };
}

export function opportunity(
  name: string,
  opened_at: Date,
  over: Partial<OpenOpportunity> = {},
): OpenOpportunity {
  return {
    ...{ id: opportunityId(name), crm_id: name, name, stage: 'Discovery', opened_at },
    ...{ value: 1_000, currency: 'EUR', closed_date: null, ...over },
  };
}

export function opportunityId(name: string): OpportunityId {
  return `opp_${name}`;
}

export function match(started_at: Date): Match {
  return {
    started_at,
    kind: 'domain',
    key: 'domain:harborfoods.example',
    confidence: 0.95,
    partner_account_name: 'Harbor Foods',
  };
}

export function pair(over: Partial<PairFacts> = {}): PairFacts {
  return {
    partner: { id: 'prt_1', name: 'Northpeak', type: 'gsi', tier: 2 },
    account: { id: 'acc_1', name: 'Harbor Foods' },
    match: null,
    activities: [],
    open_opportunities: [],
    closed_opportunities: [],
    ...over,
  };
}

/** The signal that a candidate becomes when it fires. */
export function fired(candidate: Candidate, over: Partial<ExistingSignal> = {}): ExistingSignal {
  return {
    id: 'sig_1',
    type: candidate.type,
    state: 'new',
    opportunity: candidate.opportunity,
    fired_at: now,
    expires_at: candidate.expires_at,
    ended_at: null,
    end_reason: null,
    evidence_at: candidate.evidence_at,
    rank: candidate.rank,
    activity_ids: candidate.reason.activity_ids,
    recommended_action: candidate.recommended_action,
    ...over,
  };
}
