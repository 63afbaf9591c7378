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
 * The signals that the facts call for at `now`. An active signal lives out its life on evidence that is by now too
 * old to fire it: leave `existing` out only where there is none, or `reconcile` will end those signals early.
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

/** What ended, or was done, before this moment cannot matter to a rule that looks at `at`. */
export function evidenceSince(settings: Settings, at: Date): Date {
  const days = Math.max(...Object.values(rules).map((rule) => rule.evidenceDays(settings)));
  return dayStart(dayNumber(at) - days - settings.signals.quiet_days - 1);
}
