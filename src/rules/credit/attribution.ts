import type { PartnerId } from '../../contract/ids.ts';
import type { Settings } from '../../contract/settings.ts';
import { type Tier, tiers } from '../../vocabulary.ts';
import { dayNumber, dayStart } from '../day.ts';
import { newestFirst } from '../signals/evidence.ts';
import type { Activity } from '../signals/facts.ts';
import { preIntentDays, preIntentWeight, reaches } from '../signals/pre-intent.ts';
import { evidenceOf } from './attribution-evidence.ts';
import type {
  Claimant,
  EvidenceLine,
  OpportunityActivity,
  OpportunityPartner,
  SourcingClaim,
  WonOpportunity,
} from './attribution-facts.ts';
import { recordedInTimeToSource, type Terms, termsOf, tierByTime } from './attribution-terms.ts';

export type { EvidenceLine, OpportunityActivity, OpportunityPartner, WonOpportunity };

export type Credit = {
  partner_id: PartnerId;
  /** Null if nothing proves a tier: no credit. */
  tier: Tier | null;
  /** Oldest first. */
  evidence: EvidenceLine[];
};

/**
 * Decides who is credited for a won deal, at which tier and on what evidence. Returns one credit per partner, in the given
 * order.
 */
export function creditOpportunity(
  opportunity: WonOpportunity,
  partners: OpportunityPartner[],
  settings: Settings,
): Credit[] {
  const terms = termsOf(opportunity, settings);
  const claimants = partners.map((partner) => claimantOf(partner, terms));
  const source = sourceOf(claimants);
  return claimants.map((claimant) => {
    const { partner_id, pinned_tier } = claimant.partner;
    const evidence = evidenceOf(claimant, source, terms);
    const proven = tiers.find((tier) =>
      evidence.some((line) => line.counted && line.tier_supported === tier),
    );
    return { partner_id, tier: pinned_tier ?? proven ?? null, evidence };
  });
}

/** No activity outside this period can be evidence for the deal. */
export function evidenceSpan(
  { opened_at, closed_date }: Pick<WonOpportunity, 'opened_at' | 'closed_date'>,
  settings: Settings,
): { since: Date; until: Date } {
  const opened = dayNumber(opened_at);
  const closed = dayNumber(new Date(closed_date));
  const since = Math.min(
    opened - settings.attribution.sourced.lookback_days,
    opened - preIntentDays(settings),
    closed - settings.attribution.influenced.window_days,
  );
  return { since: dayStart(since), until: dayStart(closed + 1) };
}

function claimantOf(partner: OpportunityPartner, terms: Terms): Claimant {
  const byClosing = newestFirst(partner.activities.map(asActivity))
    .toReversed()
    .filter((activity) => dayNumber(activity.occurred_at) <= terms.closedDay);
  const pre_intent = preIntentOf(byClosing, terms);
  const { sourced, influenced } = terms.settings.attribution;
  const firstDay = Math.min(
    terms.openedDay - sourced.lookback_days,
    terms.closedDay - influenced.window_days,
  );
  const activities = byClosing.filter(
    (activity) => dayNumber(activity.occurred_at) >= firstDay || pre_intent?.contributors.has(activity),
  );
  const claims: SourcingClaim[] = activities.filter(
    (activity) => tierByTime(activity, terms) === 'sourced' && recordedInTimeToSource(activity, terms),
  );
  const [earliest] = pre_intent?.contributors ?? [];
  if (earliest) claims.push({ kind: 'pre_intent', occurred_at: earliest.occurred_at });
  return { partner, activities, pre_intent, claim: claims.toSorted(byStrength)[0] ?? null };
}

/** Adds the fields that the signal rules require and that do not matter here. */
function asActivity(activity: OpportunityActivity): OpportunityActivity & Activity {
  return { ...activity, actor: null, opportunity_id: null };
}

/** The weight on the opening day of the activities before it, if it reaches the threshold. */
function preIntentOf(activities: (OpportunityActivity & Activity)[], terms: Terms): Claimant['pre_intent'] {
  const weigh = (some: Activity[]) => preIntentWeight(some, terms.settings, terms.opened_at);
  const contributors = activities.filter(
    (activity) =>
      dayNumber(activity.occurred_at) <= terms.openedDay &&
      recordedInTimeToSource(activity, terms) &&
      weigh([activity]) > 0,
  );
  const weight = weigh(contributors);
  return reaches(weight, terms.settings.signals.pre_intent.threshold)
    ? { weight, contributors: new Set(contributors) }
    : null;
}

/** The only claimant, if any, whose sourcing evidence counts. */
function sourceOf(claimants: Claimant[]): Claimant | null {
  const pinned = claimants.find(({ partner }) => partner.pinned_tier === 'sourced');
  const [strongest] = claimants
    .filter(competes)
    .toSorted(
      (a, b) => byStrength(a.claim, b.claim) || (a.partner.external_id < b.partner.external_id ? -1 : 1),
    );
  return pinned ?? strongest ?? null;
}

function competes(claimant: Claimant): claimant is Claimant & { claim: SourcingClaim } {
  return claimant.claim !== null && claimant.partner.pinned_tier === null;
}

function byStrength(a: SourcingClaim, b: SourcingClaim): number {
  return (
    strongestFirst.indexOf(a.kind) - strongestFirst.indexOf(b.kind) ||
    a.occurred_at.getTime() - b.occurred_at.getTime()
  );
}

const strongestFirst: SourcingClaim['kind'][] = [
  'deal_registration',
  'referral',
  'introduction',
  'pre_intent',
];
