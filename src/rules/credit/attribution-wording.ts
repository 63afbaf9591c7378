import { type ActivityKind, activityKindTable, type Tier, tierWords } from '../../vocabulary.ts';
import { isoDay } from '../day.ts';
import { capitalized } from '../signals/wording.ts';
import type { SourcingClaim } from './attribution-facts.ts';

/*
 * Reasons name no partner, because everyone who may see one partner's record may read them. Days count back from an opening
 * or a close, so a negative number is after it.
 */

export function sourcedReason(kind: ActivityKind, beforeOpening: number, lookbackDays: number): string {
  return `${sentenceStart(kind)} ${distance(beforeOpening, 'opened')} ${limit(lookbackDays)}.`;
}

export function coSellReason(kind: ActivityKind, beforeClosing: number): string {
  return `${sentenceStart(kind)} while the deal was open, ${distance(beforeClosing, 'closed')}.`;
}

/** `shortfall` says why the activity proves no more than influence. */
export function influenceReason(
  kind: ActivityKind,
  shortfall: string | null,
  beforeClosing: number,
  windowDays: number,
  weighsInPreIntent = false,
): string {
  const counts = beforeClosing <= windowDays;
  const verdict = counts ? 'counts as influence' : 'does not count as influence either';
  const start = shortfall ? `${shortfall}. This activity ${verdict}:` : sentenceStart(kind);
  const tooEarly = counts || shortfall ? '' : ', too early to count as influence';
  const weighs = weighsInPreIntent ? ' It counts toward pre-intent.' : '';
  return `${start} ${distance(beforeClosing, 'closed')}${tooEarly} ${limit(windowDays)}.${weighs}`;
}

export function lateReason(afterClosing: number): string {
  return `Recorded ${distance(-afterClosing, 'closed')}; counts only if a dispute is accepted.`;
}

export function preIntentReason(weight: number, openedAt: Date, threshold: number): string {
  return `The partner's activities had a weight of ${rounded(weight)} when the deal was opened on ${isoDay(openedAt)} (threshold: ${threshold}).`;
}

export function preIntentSummary(weight: number, count: number): string {
  return `Pre-intent weight ${rounded(weight)} (activities: ${count})`;
}

export function strongerOwnClaim(claim: SourcingClaim): string {
  return `The partner's own ${dated(claim)} is a stronger claim`;
}

export function pastLock(afterOpening: number, lockDays: number): string {
  return `Recorded ${distance(-afterOpening, 'opened')}, too late for sourcing ${limit(lockDays)}`;
}

/** Why the time of an activity does not allow the tier of its kind; null if that tier is influence. */
export function wrongTime(kind: ActivityKind, beforeOpening: number, lookbackDays: number): string | null {
  const tier = activityKindTable[kind].tier;
  if (tier === 'influenced') return null;
  const occurred = `${sentenceStart(kind)} ${distance(beforeOpening, 'opened')}`;
  if (tier === 'co_sell') return `${occurred}, too early for co-selling`;
  return beforeOpening < 0
    ? `${occurred}, too late for sourcing`
    : `${occurred}, too early for sourcing ${limit(lookbackDays)}`;
}

export function pinnedAt(tier: Tier): string {
  return `An accepted dispute set this partner's tier to ${tierWords[tier]}`;
}

export function pinnedElsewhere(): string {
  return 'An accepted dispute made another partner the source';
}

export function outranked(claim: SourcingClaim, winner: SourcingClaim): string {
  const theirs = `Another partner's ${dated(winner)}`;
  if (claim.kind !== winner.kind)
    return `${theirs} ranks higher than ${claim.kind === 'pre_intent' ? '' : 'any '}${inWords(claim.kind)}`;
  if (claim.occurred_at > winner.occurred_at) return `${theirs} came first`;
  return `${theirs} came at the same time, and the tie-break rule chose the other partner`;
}

function dated({ kind, occurred_at }: SourcingClaim): string {
  return `${inWords(kind)} ${kind === 'pre_intent' ? 'since' : 'of'} ${isoDay(occurred_at)}`;
}

function distance(daysBefore: number, event: 'opened' | 'closed'): string {
  const what = event === 'opened' ? 'the deal was opened' : 'the deal closed';
  if (daysBefore === 0) return `on the day ${what}`;
  return `${inDays(Math.abs(daysBefore))} ${daysBefore > 0 ? 'before' : 'after'} ${what}`;
}

function limit(days: number): string {
  return `(limit: ${inDays(days)})`;
}

function inDays(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}

function inWords(kind: SourcingClaim['kind']): string {
  return kind === 'pre_intent' ? 'pre-intent' : activityKindTable[kind].words;
}

function sentenceStart(kind: ActivityKind): string {
  return capitalized(activityKindTable[kind].words);
}

function rounded(weight: number): number {
  return Number(weight.toFixed(2));
}
