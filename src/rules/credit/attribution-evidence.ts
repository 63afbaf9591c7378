import { activityKindTable } from '../../vocabulary.ts';
import { dayNumber } from '../day.ts';
import type { Claimant, EvidenceLine, OpportunityActivity, SourcingClaim } from './attribution-facts.ts';
import { recordedInTimeToSource, type Terms, tierByTime } from './attribution-terms.ts';
import {
  coSellReason,
  influenceReason,
  lateReason,
  outranked,
  pastLock,
  pinnedAt,
  pinnedElsewhere,
  preIntentReason,
  preIntentSummary,
  sourcedReason,
  strongerOwnClaim,
  wrongTime,
} from './attribution-wording.ts';

/** All evidence of one partner, oldest first, once the source is known. */
export function evidenceOf(claimant: Claimant, source: Claimant | null, terms: Terms): EvidenceLine[] {
  const lines = claimant.activities.map((activity): EvidenceLine => {
    const { id, kind, occurred_at, recorded_at, summary } = activity;
    const verdict = judge(activity, claimant, source, terms);
    return { kind, ...verdict, occurred_at, recorded_at, summary, activity_id: id };
  });
  return [...lines, ...preIntentLine(claimant, source, terms)].toSorted(
    (a, b) => a.occurred_at.getTime() - b.occurred_at.getTime(),
  );
}

type Verdict = Pick<EvidenceLine, 'tier_supported' | 'counted' | 'reason'>;

function judge(
  activity: OpportunityActivity,
  claimant: Claimant,
  source: Claimant | null,
  terms: Terms,
): Verdict {
  const { kind } = activity;
  const { lookback_days } = terms.settings.attribution.sourced;
  const { window_days } = terms.settings.attribution.influenced;
  const beforeOpening = terms.openedDay - dayNumber(activity.occurred_at);
  const beforeClosing = terms.closedDay - dayNumber(activity.occurred_at);
  const recordedDay = dayNumber(activity.recorded_at);
  const byTime = tierByTime(activity, terms);
  const counted = (tier_supported: Verdict['tier_supported'], reason: string): Verdict => {
    return { tier_supported, counted: true, reason };
  };
  const uncounted = (reason: string): Verdict => ({ tier_supported: byTime, counted: false, reason });

  if (recordedDay > terms.lastDayToRecord) return uncounted(lateReason(recordedDay - terms.closedDay));
  const shortfall = shortfallOf(activity, claimant, source, terms);
  if (byTime === 'sourced' && !shortfall)
    return counted(byTime, sourcedReason(kind, beforeOpening, lookback_days));
  if (byTime === 'co_sell') return counted(byTime, coSellReason(kind, beforeClosing));
  if (beforeClosing <= window_days)
    return counted('influenced', influenceReason(kind, shortfall, beforeClosing, window_days));
  const weighs = claimant.pre_intent?.contributors.has(activity) ?? false;
  return uncounted(influenceReason(kind, shortfall, beforeClosing, window_days, weighs));
}

/** Why an activity proves a lower tier than its kind can. */
function shortfallOf(
  activity: OpportunityActivity,
  claimant: Claimant,
  source: Claimant | null,
  terms: Terms,
): string | null {
  const { lookback_days, lock_days } = terms.settings.attribution.sourced;
  const byTime = tierByTime(activity, terms);
  if (byTime !== activityKindTable[activity.kind].tier) {
    return wrongTime(activity.kind, terms.openedDay - dayNumber(activity.occurred_at), lookback_days);
  }
  if (byTime !== 'sourced') return null;
  return recordedInTimeToSource(activity, terms)
    ? barredFromSourcing(activity, claimant, source)
    : pastLock(dayNumber(activity.recorded_at) - terms.openedDay, lock_days);
}

function preIntentLine(claimant: Claimant, source: Claimant | null, terms: Terms): EvidenceLine[] {
  const { pre_intent, claim } = claimant;
  const contributors = [...(pre_intent?.contributors ?? [])];
  const [earliest] = contributors;
  const latest = contributors.at(-1);
  if (!pre_intent || !earliest || !latest) return [];
  const barred =
    barredFromSourcing({ kind: 'pre_intent', occurred_at: earliest.occurred_at }, claimant, source) ??
    (claim && claim.kind !== 'pre_intent' ? strongerOwnClaim(claim) : null);
  return [
    {
      kind: 'pre_intent',
      tier_supported: 'sourced',
      occurred_at: latest.occurred_at,
      recorded_at: latest.recorded_at,
      summary: preIntentSummary(pre_intent.weight, contributors.length),
      activity_id: null,
      counted: barred === null,
      reason: barred
        ? `${barred}.`
        : preIntentReason(pre_intent.weight, terms.opened_at, terms.settings.signals.pre_intent.threshold),
    },
  ];
}

/** Why a valid claim does not make its partner the source. */
function barredFromSourcing(
  claim: SourcingClaim,
  claimant: Claimant,
  source: Claimant | null,
): string | null {
  const { pinned_tier } = claimant.partner;
  if (claimant === source) return null;
  if (pinned_tier) return pinnedAt(pinned_tier);
  return source?.claim && !source.partner.pinned_tier ? outranked(claim, source.claim) : pinnedElsewhere();
}
