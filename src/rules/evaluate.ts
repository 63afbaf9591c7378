import type { Settings } from '../contract/settings.ts';
import { coSell } from './co-sell.ts';
import type { Candidate, ExistingSignal, PairFacts } from './facts.ts';
import { overlap } from './overlap.ts';
import { preIntent } from './pre-intent.ts';

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
  return [
    ...overlap(facts, settings, settingsVersion, now),
    ...coSell(facts, settings, settingsVersion, now, existing),
    ...preIntent(facts, settings, settingsVersion, now, existing),
  ];
}
