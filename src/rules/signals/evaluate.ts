import type { Settings } from '../../contract/settings.ts';
import type { SignalType } from '../../vocabulary.ts';
import { dayNumber, dayStart } from '../day.ts';
import { coSellRule } from './co-sell.ts';
import type { Candidate, ExistingSignal, PairFacts, SignalRule } from './facts.ts';
import { overlapRule } from './overlap.ts';
import { preIntentRule } from './pre-intent.ts';

const rules: Record<SignalType, SignalRule> = {
  overlap: overlapRule,
  co_sell: coSellRule,
  pre_intent: preIntentRule,
};

/**
 * The signals that the facts support at `now`. An active signal stays for its full lifetime on evidence that is too old to
 * fire it now. Omit `existing` only if there are no signals, or `reconcile` ends them early.
 */
export function evaluate(
  facts: PairFacts,
  settings: Settings,
  settingsVersion: number,
  now: Date,
  existing: ExistingSignal[] = [],
): Candidate[] {
  return Object.values(rules).flatMap((rule) =>
    rule.evaluate(facts, settings, settingsVersion, now, existing),
  );
}

/** Facts that ended or happened earlier cannot matter to any rule at `at`. */
export function evidenceSince(settings: Settings, at: Date): Date {
  const days = Math.max(...Object.values(rules).map((rule) => rule.evidenceDays(settings)));
  return dayStart(dayNumber(at) - days - settings.signals.quiet_days - 1);
}
