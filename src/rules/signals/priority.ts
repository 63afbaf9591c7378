import type { Settings } from '../../contract/settings.ts';
import type { PriorityParts } from '../../contract/signal.ts';
import { creditsForFullScore, type PriorityPart, priorityParts } from '../../vocabulary.ts';
import { ageDays, dayNumber } from '../day.ts';
import type { Rank } from './facts.ts';

/** Converts an amount to the organization's reporting currency; null without a rate. */
export type ToReporting = (amount: number, currency: string | null) => number | null;

/** The percentiles of open deals: 5%, 10%, … 100% of them do not exceed these amounts. */
export type Scale = { amounts: number[]; toReporting: ToReporting };

/** Everything that the priority of a signal depends on. */
export type Scored = {
  rank: Rank;
  /** When the newest evidence happened. */
  evidence_at: Date;
  expires_at: Date;
  /** Null without an open deal. */
  opportunity: { value: number; currency: string | null; stage: string; closed_date: string | null } | null;
  /** The confidence of the match; null if activities name the account. */
  confidence: number | null;
  partner_tier: number;
  /** How many deals of the last year the partner was credited for; counting stops at the number for a full score. */
  credits: number;
};

export type Score = { priority: number; priority_parts: PriorityParts };

/** The score of unknown values. */
const neutral = 50;
/** Evidence this old, and an expiry this far away, score 0. */
const horizonDays = 30;
const closeDays = 90;
/** An open deal that should have closed longer ago has a date that nobody maintains. */
const overdueDays = 30;
export const recordDays = 365;

/** From 0 to 100. Each part scores from 0 to 100, by whole UTC days, and counts by its weight. */
export function scoreSignal(
  signal: Scored,
  { priority: { weights } }: Settings,
  scale: Scale,
  now: Date,
): Score {
  const { opportunity, rank, confidence, evidence_at, expires_at } = signal;
  const scores: PriorityParts = {
    value: opportunity ? valueScore(opportunity, scale) : 0,
    stage: opportunity ? stageScore(opportunity.stage) : 0,
    expected_close: opportunity ? closeScore(opportunity.closed_date, now) : 0,
    freshness: falling(ageDays(evidence_at, now), horizonDays),
    strength: share(rank / 3),
    certainty: confidence === null ? 100 : share(2 * confidence - 1),
    partner_tier: share((4 - signal.partner_tier) / 3),
    partner_record: share(signal.credits / creditsForFullScore),
    time_left: falling(dayNumber(expires_at) - dayNumber(now), horizonDays),
  };
  const sum = (of: (part: PriorityPart) => number) =>
    priorityParts.reduce((total, part) => total + of(part), 0);
  const weight = sum((part) => weights[part]);
  const priority = weight > 0 ? Math.round(sum((part) => weights[part] * scores[part]) / weight) : 0;
  return { priority, priority_parts: scores };
}

export function toScale(amounts: number[]): number[] {
  const sorted = amounts.filter((amount) => amount > 0).sort((a, b) => a - b);
  if (sorted.length === 0) return [];
  return Array.from(
    { length: 20 },
    (_, i) => sorted[Math.ceil(((i + 1) * sorted.length) / 20) - 1] as number,
  );
}

/** The percentage of open deals that are not larger. */
function valueScore({ value, currency }: { value: number; currency: string | null }, scale: Scale): number {
  if (value === 0) return 0;
  const amount = scale.toReporting(value, currency);
  if (amount === null || scale.amounts.length === 0) return neutral;
  return share(scale.amounts.filter((known) => known <= amount).length / scale.amounts.length);
}

/** Progress by common stage names in CRMs, with the default probabilities of Salesforce and HubSpot. */
function stageScore(stage: string): number {
  return stages.find(({ words }) => words.test(stage))?.score ?? neutral;
}

/** The latest stage first: "contract negotiation after the demo" is a negotiation. */
const stages = [
  { score: 90, words: /negotiat|contract|legal|procure|commit|verbal|clos|sign/i },
  { score: 75, words: /propos|quote|pricing|decision|decid|shortlist/i },
  {
    score: 50,
    words: /present|demo|evaluat|validat|trial|pilot|proof|poc|technical|solution|value|percept/i,
  },
  { score: 30, words: /qualif|discover|need|analy|develop|scop/i },
  { score: 10, words: /prospect|lead|appointment|identif|initial|new|contact|open/i },
];

function closeScore(closed_date: string | null, now: Date): number {
  if (!closed_date) return neutral;
  const days = dayNumber(new Date(closed_date)) - dayNumber(now);
  return days < -overdueDays ? neutral : falling(days, closeDays);
}

function falling(days: number, horizon: number): number {
  return share(1 - days / horizon);
}

function share(part: number): number {
  return Math.round(100 * Math.min(1, Math.max(0, part)));
}
