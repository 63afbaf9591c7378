import { type ActivityKind, activityKindTable, type Tier, tierWords } from '../../vocabulary.ts';
import { isoDay } from '../day.ts';
import { capitalized } from '../signals/wording.ts';
import type { SourcingClaim } from './attribution-facts.ts';

/*
 * Reasons name no partner, because everyone who may see one partner's record may read them. Days count back from an opening
 * or a close, so a negative number is after it.
 */

export function sourcedReason(kind: ActivityKind, beforeOpening: number, lookbackDays: number): string {
  return `${sentenceStart(kind)} ${distance(beforeOpening, 'opened')}; sourcing counts up to ${inDays(lookbackDays)} before.`;
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
  const verdict = beforeClosing <= windowDays ? 'counts as influence' : 'does not count as influence either';
  const start = shortfall ? `${shortfall}; ${verdict}:` : sentenceStart(kind);
  const weighs = weighsInPreIntent ? '; it counts toward pre-intent' : '';
  return `${start} ${distance(beforeClosing, 'closed')}; influence counts up to ${inDays(windowDays)} before${weighs}.`;
}

export function lateReason(afterClosing: number): string {
  return `Recorded ${distance(-afterClosing, 'closed')}; counts only if a dispute is accepted.`;
}

export function preIntentReason(weight: number, openedAt: Date, threshold: number): string {
  return `The weight of the partner's activities was ${rounded(weight)} when the deal was opened on ${isoDay(openedAt)}; the threshold is ${threshold}.`;
}

export function preIntentSummary(weight: number, count: number): string {
  return `Pre-intent weight ${rounded(weight)} (activities: ${count})`;
}

export function strongerOwnClaim(claim: SourcingClaim): string {
  return `The partner's own ${dated(claim)} is the stronger claim`;
}

export function pastLock(afterOpening: number, lockDays: number): string {
  return `Recorded ${distance(-afterOpening, 'opened')}, later than the ${inDays(lockDays)} allowed`;
}

/** Why the time of an activity does not allow the tier of its kind; null if that tier is influence. */
export function wrongTime(kind: ActivityKind, beforeOpening: number, lookbackDays: number): string | null {
  const tier = activityKindTable[kind].tier;
  if (tier === 'influenced') return null;
  const occurred = `${sentenceStart(kind)} ${distance(beforeOpening, 'opened')}`;
  if (tier === 'co_sell') return `${occurred}, too early for co-selling`;
  return beforeOpening < 0
    ? `${occurred}, too late for sourcing`
    : `${occurred}; sourcing counts up to ${inDays(lookbackDays)} before`;
}

export function pinnedAt(tier: Tier): string {
  return `An accepted dispute set this partner's tier to ${tierWords[tier]}`;
}

export function pinnedElsewhere(): string {
  return 'An accepted dispute made another partner the source';
}

export function outranked(claim: SourcingClaim, winner: SourcingClaim): string {
  const theirs = `Another partner's ${dated(winner)}`;
  if (claim.kind !== winner.kind) return `${theirs} ranks higher than any ${inWords(claim.kind)}`;
  if (claim.occurred_at > winner.occurred_at) return `${theirs} came first`;
  return `${theirs} came at the same time; the partner's external_id breaks the tie`;
}

function dated({ kind, occurred_at }: SourcingClaim): string {
  return `${inWords(kind)} ${kind === 'pre_intent' ? 'since' : 'of'} ${isoDay(occurred_at)}`;
}

function distance(daysBefore: number, event: 'opened' | 'closed'): string {
  if (daysBefore === 0) return `on the day the deal was ${event}`;
  return `${inDays(Math.abs(daysBefore))} ${daysBefore > 0 ? 'before' : 'after'} the deal was ${event}`;
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
