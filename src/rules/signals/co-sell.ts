import { activityKindTable, type CoSellKind } from '../../vocabulary.ts';
import { ageDays, deadline, isoDay } from '../day.ts';
import { earliestDay } from './earliest-day.ts';
import { highestRank, idsOf, newestFirst, provesCoSell } from './evidence.ts';
import type { Activity, Candidate, Evaluate, OpenOpportunity, PairFacts, SignalRule } from './facts.ts';
import { latestOpenedFirst, opportunityOf } from './opportunity.ts';
import { type Advice, actionText, inWords, names } from './recommended-action.ts';
import { possessive } from './wording.ts';

/** The partner is working on an open deal: one candidate per deal. */
export const coSell: Evaluate = (facts, settings, settingsVersion, now, existing = []) => {
  const { window_days, life_days } = settings.signals.co_sell;
  const open = latestOpenedFirst(facts.open_opportunities);
  const activities = newestFirst(facts.activities.filter(provesCoSell));
  return open.flatMap((opportunity): Candidate[] => {
    const since = earliestDay(existing, 'co_sell', opportunity.id, now);
    const evidence = activities.filter(
      (activity) =>
        ageDays(activity.occurred_at, since) <= window_days && opportunityOf(activity, open) === opportunity,
    );
    const [newest] = evidence;
    if (!newest) return [];
    const expires_at = deadline(newest.occurred_at, life_days);
    if (expires_at <= now) return [];
    return [
      {
        type: 'co_sell',
        opportunity: opportunity.id,
        expires_at,
        evidence_at: newest.occurred_at,
        rank: highestRank(evidence),
        reason: {
          rule: 'co_sell',
          settings_version: settingsVersion,
          activity_ids: idsOf(evidence),
          detail:
            `Latest co-sell or sourcing activity: ${activityKindTable[newest.kind].words} on ${isoDay(newest.occurred_at)} ` +
            `(activities: ${evidence.length}, window: ${window_days} days). Active for ${life_days} days.`,
        },
        recommended_action: coSellAction(facts, newest, opportunity),
      },
    ];
  });
};

export const coSellRule: SignalRule = {
  evidenceDays: ({ signals }) => Math.max(signals.co_sell.window_days, signals.co_sell.life_days),
  evaluate: coSell,
};

export function coSellAction(
  facts: PairFacts,
  newest: Activity & { kind: CoSellKind },
  opportunity: OpenOpportunity,
): string {
  const { partner, account } = names(facts);
  return actionText(
    facts,
    coSellAdvice[newest.kind](partner, account),
    `latest activity: ${inWords(newest)}`,
    opportunity,
  );
}

const coSellAdvice: Record<CoSellKind, Advice> = {
  deal_registration: (p, a) => `confirm ${possessive(p)} deal registration for ${a}`,
  referral: (p, a) => `call the contact at ${a} that ${p} referred`,
  introduction: (p, a) => `join the call with ${a} that ${p} set up`,
  joint_meeting: (p, a) => `agree on the next joint step at ${a} with ${p}`,
  exec_intro: (p, a) => `call the executive at ${a} whom ${p} introduced`,
  proposal_support: (p, a) => `include ${possessive(p)} part in the proposal for ${a}`,
  technical_validation: (p, a) => `ask ${p} for the results of its validation at ${a}`,
  co_sell_share: (p, a) => `accept the deal at ${a} that ${p} shared`,
  marketplace_offer: (p, a) => `route ${possessive(a)} order through ${possessive(p)} marketplace offer`,
};
