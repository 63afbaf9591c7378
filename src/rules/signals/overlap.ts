import { dayInWords, deadline, isoDay } from '../day.ts';
import { matchInWords } from '../matching/matching.ts';
import type { Evaluate, Match, OpenOpportunity, PairFacts, SignalRule } from './facts.ts';
import { latestOpenedFirst } from './opportunity.ts';
import { actionText, names, wordLength } from './recommended-action.ts';
import { oneLine } from './wording.ts';

/** The account is also on the partner's list. */
export const overlap: Evaluate = (facts, settings, settingsVersion, now) => {
  const { match } = facts;
  if (!match) return [];
  const { life_days } = settings.signals.overlap;
  const expires_at = deadline(match.started_at, life_days);
  if (expires_at <= now) return [];
  const [opportunity] = latestOpenedFirst(facts.open_opportunities);
  return [
    {
      type: 'overlap',
      opportunity: opportunity?.id ?? 'prospective',
      expires_at,
      evidence_at: match.started_at,
      rank: 0,
      reason: {
        rule: 'overlap',
        settings_version: settingsVersion,
        activity_ids: [],
        detail:
          `Matched the partner's account "${oneLine(match.partner_account_name, 80)}" on ${isoDay(match.started_at)} ` +
          `(${matchInWords(match, 40)}; confidence: ${match.confidence}). Active for ${life_days} days.`,
      },
      recommended_action: overlapAction(facts, match, opportunity),
    },
  ];
};

export const overlapRule: SignalRule = {
  evidenceDays: ({ signals }) => signals.overlap.life_days,
  evaluate: overlap,
};

export function overlapAction(
  facts: PairFacts,
  match: Match,
  opportunity: OpenOpportunity | undefined,
): string {
  const { partner, account } = names(facts);
  const advice = opportunity
    ? `ask ${partner} for its best contact at ${account}`
    : `plan a first approach to ${account} with ${partner}`;
  const shared = `you share this account (${matchInWords(match, wordLength)}, since ${dayInWords(match.started_at)})`;
  return actionText(facts, advice, shared, opportunity);
}
