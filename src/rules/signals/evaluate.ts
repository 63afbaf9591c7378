import type { Settings } from '../../contract/settings.ts';
import type { SignalType } from '../../vocabulary.ts';
import { dayNumber, dayStart } from '../day.ts';
import { coSellRule } from './co-sell.ts';
import type { Evaluate, SignalRule } from './facts.ts';
import { overlapRule } from './overlap.ts';
import { preIntentRule } from './pre-intent.ts';

const rules: Record<SignalType, SignalRule> = {
  overlap: overlapRule,
  co_sell: coSellRule,
  pre_intent: preIntentRule,
};

export const evaluate: Evaluate = (...given) =>
  Object.values(rules).flatMap((rule) => rule.evaluate(...given));

/** Facts that ended or happened earlier cannot matter to any rule at `at`. */
export function evidenceSince(settings: Settings, at: Date): Date {
  const days = Math.max(...Object.values(rules).map((rule) => rule.evidenceDays(settings)));
  return dayStart(dayNumber(at) - days - settings.signals.quiet_days - 1);
}
