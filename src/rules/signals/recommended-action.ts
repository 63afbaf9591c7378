import { type ActivityKind, activityKindTable, type CoSellKind } from '../../vocabulary.ts';
import { dayInWords } from '../day.ts';
import { matchInWords } from '../matching/matching.ts';
import type { Activity, ClosedOpportunity, Match, OpenOpportunity, PairFacts } from './facts.ts';
import { oneLine, possessive, sentence } from './wording.ts';

/*
 * What to do, why, and who should do it by when. Names are shortened so that the longest text stays within 300 characters.
 * Dates are absolute, because the text must not change with time alone. The urgency and the full stop follow when it is shown.
 */
const nameLength = 32;
const wordLength = 22;

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
  return text(facts, advice, shared, opportunity);
}

export function coSellAction(
  facts: PairFacts,
  newest: Activity & { kind: CoSellKind },
  opportunity: OpenOpportunity,
): string {
  const { partner, account } = names(facts);
  return text(
    facts,
    coSellAdvice[newest.kind](partner, account),
    `latest activity: ${inWords(newest)}`,
    opportunity,
  );
}

export function preIntentAction(facts: PairFacts, newest: Activity): string {
  const { partner, account } = names(facts);
  const why = `partner activity passed the threshold; latest: ${inWords(newest)}`;
  return text(facts, preIntentAdvice[newest.kind](partner, account), why, undefined);
}

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

function text(
  facts: PairFacts,
  advice: string,
  why: string,
  opportunity: OpenOpportunity | undefined,
): string {
  return `${sentence(advice)} ${sentence(`${why}; ${standing(opportunity)}`)} Suggested: ${byTier[facts.partner.tier]}`;
}

export type Urgency = 'today' | 'this week' | 'within two weeks';

/** The last words of every action but those on deals that have closed. */
export function urgencyOf(priority: number): Urgency {
  return priority >= 65 ? 'today' : priority >= 40 ? 'this week' : 'within two weeks';
}

function names({ partner, account }: PairFacts) {
  return {
    partner: oneLine(partner.name, nameLength) || 'the partner',
    account: oneLine(account.name, nameLength) || 'the account',
  };
}

function inWords({ kind, occurred_at, actor }: Activity): string {
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

type Advice = (partner: string, account: string) => string;

const coSellAdvice: Record<CoSellKind, Advice> = {
  deal_registration: (p, a) => `confirm and protect ${possessive(p)} registration of ${a}`,
  referral: (p, a) => `call the contact at ${a} that ${p} referred`,
  introduction: (p, a) => `take the call with ${a} that ${p} set up`,
  joint_meeting: (p, a) => `agree on the next joint step at ${a} with ${p}`,
  exec_intro: (p, a) => `call the executive at ${a} whom ${p} introduced`,
  proposal_support: (p, a) => `include ${possessive(p)} part in the proposal for ${a}`,
  technical_validation: (p, a) => `ask ${p} for the results of its validation at ${a}`,
  co_sell_share: (p, a) => `accept the deal at ${a} that ${p} shared`,
  marketplace_offer: (p, a) => `route ${possessive(a)} order through ${possessive(p)} marketplace offer`,
};

const preIntentAdvice: Record<ActivityKind, Advice> = {
  deal_registration: (p, a) => `open a deal for ${a} and link ${possessive(p)} registration to it`,
  referral: (p, a) => `qualify ${a} through the contact that ${p} referred`,
  introduction: (p, a) => `take the first call with ${a} that ${p} offers`,
  joint_meeting: (p, a) => `agree with ${p} on which need at ${a} to qualify`,
  exec_intro: (p, a) => `have an executive reply to ${possessive(p)} contact at ${a}`,
  proposal_support: (p, a) => `ask ${p} what ${a} wants a proposal for`,
  technical_validation: (p, a) => `ask ${p} which project ${a} is testing for`,
  co_sell_share: (p, a) => `accept or decline the lead ${a} that ${p} shared`,
  marketplace_offer: (p, a) => `ask ${p} who at ${a} wants the marketplace offer`,
  content_touch: (p, a) => `ask ${p} which topic interested ${a}, and offer a call`,
  event_attendance: (p, a) => `follow up with ${a} on the event, together with ${p}`,
  integration_usage: (p, a) => `ask ${p} how ${a} uses the integration`,
  marketplace_listing: (p, a) => `ask ${p} what ${a} looked for in the marketplace`,
};
