import type { ActivityKind } from '../contract/activity.ts';
import { isoDay } from './day.ts';
import type { CoSellKind } from './evidence.ts';
import type { Activity, Match, OpenOpportunity, PairFacts } from './facts.ts';
import { kindInWords, oneLine } from './wording.ts';

/*
 * One sentence each: who should do what, by when, and why. Names are cut so that the longest stays within 300
 * characters. Dates are absolute: the text must not change by the mere passing of time.
 */
const nameLength = 32;
const wordLength = 20;

export function overlapAction(facts: PairFacts, match: Match, deal: OpenOpportunity | undefined): string {
  const { partner, account } = names(facts);
  const advice = deal
    ? `ask ${partner} for its best contact at ${account}`
    : `plan with ${partner} a first approach to ${account}`;
  const found = `both know this account (same ${oneLine(match.key.replaceAll('_', ' '), wordLength)}, ${isoDay(match.started_at)})`;
  return sentence(facts, advice, `${found} and ${standing(deal)}`);
}

export function coSellAction(
  facts: PairFacts,
  newest: Activity & { kind: CoSellKind },
  deal: OpenOpportunity,
): string {
  const { partner, account } = names(facts);
  const why = `the newest evidence is the ${inWords(newest)} and ${standing(deal)}`;
  return sentence(facts, coSellAdvice[newest.kind](partner, account), why);
}

export function preIntentAction(facts: PairFacts, newest: Activity): string {
  const { partner, account } = names(facts);
  const why = `its activities add up, last the ${inWords(newest)}, and ${standing(undefined)}`;
  return sentence(facts, preIntentAdvice[newest.kind](partner, account), why);
}

function sentence(facts: PairFacts, advice: string, why: string): string {
  return `${byTier[facts.partner.tier]} should ${advice}: ${why}.`;
}

function names({ partner, account }: PairFacts) {
  return {
    partner: oneLine(partner.name, nameLength) || 'the partner',
    account: oneLine(account.name, nameLength) || 'the account',
  };
}

function inWords({ kind, occurred_at, actor }: Activity): string {
  const person = oneLine(actor ?? '', wordLength);
  return `${kindInWords[kind]} of ${isoDay(occurred_at)}${person && ` (${person})`}`;
}

function standing(deal: OpenOpportunity | undefined): string {
  if (!deal) return 'there is no open deal yet';
  const stage = oneLine(deal.stage, wordLength);
  return stage ? `the deal is in stage “${stage}”` : 'the deal is open';
}

const byTier = {
  1: 'Today the account owner and the alliance lead',
  2: 'This week the account owner and the partner manager',
  3: 'This week the account owner',
  4: 'Within two weeks inside sales',
} as const;

type Advice = (partner: string, account: string) => string;

const coSellAdvice: Record<CoSellKind, Advice> = {
  deal_registration: (p, a) => `confirm and protect ${p}'s registration of ${a}`,
  referral: (p, a) => `call the contact at ${a} that ${p} referred`,
  introduction: (p, a) => `take the call with ${a} that ${p} set up`,
  joint_meeting: (p, a) => `agree the next joint step at ${a} with ${p}`,
  exec_intro: (p, a) => `call the executive at ${a} whom ${p} introduced`,
  proposal_support: (p, a) => `put ${p}'s part into the proposal for ${a}`,
  technical_validation: (p, a) => `ask ${p} for the result of its validation at ${a}`,
  co_sell_share: (p, a) => `accept the deal at ${a} that ${p} shared`,
  marketplace_offer: (p, a) => `route ${a}'s order through ${p}'s marketplace offer`,
};

const preIntentAdvice: Record<ActivityKind, Advice> = {
  deal_registration: (p, a) => `open a deal for ${a} and tie ${p}'s registration to it`,
  referral: (p, a) => `qualify ${a} through the contact that ${p} referred`,
  introduction: (p, a) => `take the first call with ${a} that ${p} offers`,
  joint_meeting: (p, a) => `settle with ${p} which need at ${a} to qualify`,
  exec_intro: (p, a) => `have an executive answer ${p}'s contact at ${a}`,
  proposal_support: (p, a) => `ask ${p} what ${a} wants a proposal for`,
  technical_validation: (p, a) => `ask ${p} which project ${a} is testing for`,
  co_sell_share: (p, a) => `accept or decline the lead ${a} that ${p} shared`,
  marketplace_offer: (p, a) => `ask ${p} who at ${a} wants the marketplace offer`,
  content_touch: (p, a) => `ask ${p} which topic drew ${a} and offer a call`,
  event_attendance: (p, a) => `follow up with ${a} on the event, jointly with ${p}`,
  integration_usage: (p, a) => `ask ${p} how ${a} uses the integration`,
  marketplace_listing: (p, a) => `ask ${p} what ${a} sought in the marketplace`,
};
