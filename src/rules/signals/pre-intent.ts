import type { Settings } from '../../contract/settings.ts';
import { type ActivityKind, activityKindTable } from '../../vocabulary.ts';
import { ageDays, dayNumber, dayStart, deadline, isoDay } from '../day.ts';
import { earliestDay } from './earliest-day.ts';
import { highestRank, idsOf, newestFirst } from './evidence.ts';
import type { Activity, Evaluate, PairFacts, SignalRule } from './facts.ts';
import { type Advice, actionText, inWords, names } from './recommended-action.ts';
import { possessive } from './wording.ts';

/** After ten half-lives an activity has a thousandth of its weight, which is no evidence. */
const forgottenAfterHalfLives = 10;

/** How many days back an activity can have weight. */
export function preIntentDays({ signals }: Settings): number {
  return Math.ceil(forgottenAfterHalfLives * signals.pre_intent.half_life_days);
}

/** There is no deal yet, but the partner's activities on the account reach the threshold together. */
export const preIntent: Evaluate = (facts, settings, settingsVersion, now, existing = []) => {
  if (facts.open_opportunities.length > 0) return [];
  const { half_life_days, threshold, life_days } = settings.signals.pre_intent;
  const since = earliestDay(existing, 'pre_intent', 'prospective', now);
  const evidence = newestFirst(
    facts.activities.filter((activity) => weightOf(activity, settings, since) > 0),
  );
  const [newest] = evidence;
  if (!newest) return [];
  const expires_at = deadline(newest.occurred_at, life_days);
  const peak = heaviestDay(evidence, settings, since, now);
  if (expires_at <= now || !reaches(peak.weight, threshold)) return [];
  return [
    {
      type: 'pre_intent',
      opportunity: 'prospective',
      expires_at,
      evidence_at: newest.occurred_at,
      rank: highestRank(evidence),
      reason: {
        rule: 'pre_intent',
        settings_version: settingsVersion,
        activity_ids: idsOf(evidence),
        detail:
          `The partner's activities reached a weight of ${Number(peak.weight.toFixed(2))} on ${isoDay(peak.at)} ` +
          `(activities: ${evidence.length}, threshold: ${threshold}, half-life: ${half_life_days} days). Active for ${life_days} days.`,
      },
      recommended_action: preIntentAction(facts, newest),
    },
  ];
};

export const preIntentRule: SignalRule = {
  evidenceDays: (settings) => Math.max(settings.signals.pre_intent.life_days, preIntentDays(settings)),
  evaluate: preIntent,
};

/** The decayed weight, on the day `asOf`, of the activities that had happened by then. */
export function preIntentWeight(activities: Activity[], settings: Settings, asOf: Date): number {
  return sumOfWeights(newestFirst(activities), settings, asOf);
}

/** Floating-point sums are rarely exact. Without the tolerance, the order of addition could decide. */
export function reaches(weight: number, threshold: number): boolean {
  return weight >= threshold - 1e-9;
}

function sumOfWeights(inOrder: Activity[], settings: Settings, asOf: Date): number {
  return inOrder.reduce((sum, activity) => sum + weightOf(activity, settings, asOf), 0);
}

function weightOf({ kind, occurred_at }: Activity, settings: Settings, asOf: Date): number {
  const { half_life_days, weights } = settings.signals.pre_intent;
  const halfLives = ageDays(occurred_at, asOf) / half_life_days;
  return halfLives > forgottenAfterHalfLives ? 0 : weights[activityKindTable[kind].tier] * 2 ** -halfLives;
}

/** Weight only decreases between activities, so its peak is on the first day or on the day of an activity. */
function heaviestDay(evidence: Activity[], settings: Settings, since: Date, now: Date) {
  const dayOf = ({ occurred_at }: Activity) => Math.min(dayNumber(occurred_at), dayNumber(now));
  const first = dayNumber(since);
  const days = new Set([first, ...evidence.map(dayOf).filter((day) => day > first)]);
  return [...days]
    .map((day) => {
      const at = dayStart(day);
      const byThen = evidence.filter((activity) => dayOf(activity) <= day);
      return { at, weight: sumOfWeights(byThen, settings, at) };
    })
    .reduce((peak, next) => (next.weight > peak.weight ? next : peak));
}

export function preIntentAction(facts: PairFacts, newest: Activity): string {
  const { partner, account } = names(facts);
  const why = `partner activity passed the threshold; latest: ${inWords(newest)}`;
  return actionText(facts, preIntentAdvice[newest.kind](partner, account), why, undefined);
}

const preIntentAdvice: Record<ActivityKind, Advice> = {
  deal_registration: (p, a) => `open a deal for ${a} and link ${possessive(p)} registration to it`,
  referral: (p, a) => `qualify ${a} through the contact that ${p} referred`,
  introduction: (p, a) => `accept the first call with ${a} that ${p} offers`,
  joint_meeting: (p, a) => `agree with ${p} which need at ${a} to qualify first`,
  exec_intro: (p, a) => `have an executive reply to ${possessive(p)} contact at ${a}`,
  proposal_support: (p, a) => `ask ${p} what ${a} wants a proposal for`,
  technical_validation: (p, a) => `ask ${p} which project ${a} is testing for`,
  co_sell_share: (p, a) => `accept or decline the ${a} lead that ${p} shared`,
  marketplace_offer: (p, a) => `ask ${p} who at ${a} wants the marketplace offer`,
  content_touch: (p, a) => `ask ${p} which topic interested ${a}, and offer a call`,
  event_attendance: (p, a) => `follow up with ${a} on the event, together with ${p}`,
  integration_usage: (p, a) => `ask ${p} how ${a} uses the integration`,
  marketplace_listing: (p, a) => `ask ${p} what ${a} looked for in the marketplace`,
};
