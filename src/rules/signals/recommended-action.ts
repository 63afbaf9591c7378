import { activityKindTable } from '../../vocabulary.ts';
import { dayInWords } from '../day.ts';
import type { Activity, ClosedOpportunity, OpenOpportunity, PairFacts } from './facts.ts';
import { oneLine, sentence } from './wording.ts';

/*
 * What to do, why, and who should do it by when. Names are shortened so that the longest text stays within 300 characters.
 * Dates are absolute, because the text must not change with time alone. The urgency and the full stop follow when it is shown.
 */
const nameLength = 32;
export const wordLength = 22;

/** What an action says to do with the partner at the account. */
export type Advice = (partner: string, account: string) => string;

/** For a signal in progress whose deal has closed: what happened, and what is left to do. */
export function closedOpportunityAction(
  facts: PairFacts,
  { status, closed_date }: ClosedOpportunity,
): string {
  const { partner, account } = names(facts);
  const on = closed_date ? ` on ${dayInWords(new Date(closed_date))}` : '';
  switch (status) {
    case 'won':
      return `The deal was won${on}. Check the credit for ${partner} under attribution, then mark this signal handled`;
    case 'lost':
      return `The deal was lost${on}. Agree with ${partner} on what comes next at ${account}, then mark this signal handled`;
    case 'deleted':
      return `The deal was deleted from the CRM. Tell ${partner}, then mark this signal handled or dismiss it`;
  }
}

/** The action of a rule: what to do, why, and where the deal stands. */
export function actionText(
  facts: PairFacts,
  advice: string,
  why: string,
  opportunity: OpenOpportunity | undefined,
): string {
  return `${sentence(advice)} ${sentence(`${why}; ${standing(opportunity)}`)} Suggested: ${byTier[facts.partner.tier]}`;
}

type Urgency = 'today' | 'this week' | 'within two weeks';

/** The last words of every action but those on deals that have closed. */
export function urgencyOf(priority: number): Urgency {
  return priority >= 65 ? 'today' : priority >= 40 ? 'this week' : 'within two weeks';
}

export function names({ partner, account }: PairFacts) {
  return {
    partner: oneLine(partner.name, nameLength) || 'the partner',
    account: oneLine(account.name, nameLength) || 'the account',
  };
}

export function inWords({ kind, occurred_at, actor }: Activity): string {
  const person = oneLine(actor ?? '', wordLength);
  return `${activityKindTable[kind].words} on ${dayInWords(occurred_at)}${person && ` (${person})`}`;
}

function standing(opportunity: OpenOpportunity | undefined): string {
  if (!opportunity) return 'there is no open deal yet';
  const stage = oneLine(opportunity.stage, wordLength);
  return stage ? `the deal is in stage "${stage}"` : 'the deal is open';
}

const byTier = {
  1: 'account owner and alliance lead',
  2: 'account owner and partner manager',
  3: 'account owner',
  4: 'inside sales',
} as const;
