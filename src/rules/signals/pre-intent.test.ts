import { expect, test } from 'vitest';
import { activity, daysAgo, fired, midnightIn, now, opportunity, pair } from '../../../test/rules/pair.ts';
import { defaultSettings, type Settings } from '../../contract/settings.ts';
import type { ActivityKind } from '../../vocabulary.ts';
import type { Activity } from './facts.ts';
import { preIntent, preIntentWeight } from './pre-intent.ts';

function did(...days: [ActivityKind, number][]): Activity[] {
  return days.map(([kind, age], index) => activity(`x${index}`, kind, daysAgo(age)));
}

function tuned(over: Partial<Settings['signals']['pre_intent']>): Settings {
  const pre_intent = { ...defaultSettings.signals.pre_intent, ...over };
  return { ...defaultSettings, signals: { ...defaultSettings.signals, pre_intent } };
}

test.each<[string, Activity[], number]>([
  ['nothing', [], 0],
  ['3 + 1 of today are exactly 4', did(['deal_registration', 0], ['content_touch', 0]), 1],
  ['3 + 1 of yesterday are just under 4', did(['deal_registration', 1], ['content_touch', 1]), 0],
  ['2 + 2 of today are exactly 4', did(['joint_meeting', 0], ['exec_intro', 0]), 1],
  ['3 of today alone', did(['deal_registration', 0]), 0],
  ['3 + 3/2 after one half-life', did(['referral', 0], ['referral', 14]), 1],
  ['3 + 1/2 after one half-life', did(['referral', 0], ['content_touch', 14]), 0],
  ['3 + 2/2 after one half-life', did(['referral', 0], ['joint_meeting', 14]), 1],
  ['3 + 2/2 and a day', did(['referral', 0], ['joint_meeting', 15]), 0],
])('%s', (_, activities, candidates) => {
  expect(preIntent(pair({ activities }), defaultSettings, 1, now)).toHaveLength(candidates);
});

test('an open deal rules it out', () => {
  const activities = did(['deal_registration', 0], ['deal_registration', 0]);
  const facts = pair({ activities, open_opportunities: [opportunity('a', daysAgo(1))] });
  expect(preIntent(facts, defaultSettings, 1, now)).toEqual([]);
});

test.each([
  [14, midnightIn(1)],
  [15, undefined],
])('with the last activity %i days ago it lives until %s', (days, expires_at) => {
  const activities = did(['referral', days], ['referral', days], ['referral', days], ['referral', days + 1]);
  expect(preIntent(pair({ activities }), defaultSettings, 1, now)[0]?.expires_at).toEqual(expires_at);
});

test.each([
  ['half_life_days', { half_life_days: 7 }, did(['referral', 0], ['joint_meeting', 7]), 1],
  ['half_life_days', { half_life_days: 7 }, did(['referral', 0], ['joint_meeting', 8]), 0],
  ['threshold', { threshold: 3 }, did(['referral', 0]), 1],
  ['threshold', { threshold: 3.01 }, did(['referral', 0]), 0],
  ['weights', { weights: { sourced: 4, co_sell: 0, influenced: 0 } }, did(['referral', 0]), 1],
  ['life_days', { life_days: 20, threshold: 1 }, did(['referral', 20]), 1],
  ['life_days', { life_days: 19, threshold: 1 }, did(['referral', 20]), 0],
])('%s is a setting', (_, over, activities, candidates) => {
  expect(preIntent(pair({ activities }), tuned(over), 1, now)).toHaveLength(candidates);
});

test('a kind without weight neither counts nor prolongs', () => {
  const settings = tuned({ weights: { sourced: 3, co_sell: 2, influenced: 0 } });
  const activities = did(['content_touch', 0], ['referral', 2], ['referral', 2]);
  const [candidate] = preIntent(pair({ activities }), settings, 1, now);
  expect(candidate?.reason.activity_ids).toEqual(['act_x2', 'act_x1']);
  expect(candidate?.expires_at).toEqual(midnightIn(13));
});

test('weight halves with each half-life and ends after the tenth', () => {
  const weights = [0, 14, 28, 140, 141].map((age) =>
    preIntentWeight(did(['joint_meeting', age]), defaultSettings, now),
  );
  expect(weights).toEqual([2, 1, 0.5, 2 / 1024, 0]);
});

test('the order of the activities changes nothing', () => {
  const activities = did(['referral', 0], ['joint_meeting', 3], ['content_touch', 9], ['content_touch', 22]);
  const threshold = preIntentWeight(activities, defaultSettings, now);
  const forward = preIntent(pair({ activities }), tuned({ threshold }), 1, now);
  expect(forward).toHaveLength(1);
  expect(preIntent(pair({ activities: activities.toReversed() }), tuned({ threshold }), 1, now)).toEqual(
    forward,
  );
});

test('an activity some minutes in the future counts in full, also past midnight', () => {
  const late = daysAgo(0, '23:58:00Z');
  const activities = [
    activity('x', 'deal_registration', late),
    activity('y', 'content_touch', daysAgo(-1, '00:02:00Z')),
  ];
  expect(preIntent(pair({ activities }), defaultSettings, 1, late)).toHaveLength(1);
});

test('a signal that fired stays for its full lifetime although the weight decays', () => {
  const activities = did(['deal_registration', 20], ['content_touch', 20]);
  const facts = pair({ activities });
  const [first] = preIntent(facts, defaultSettings, 1, daysAgo(20));
  if (!first) throw new Error('did not fire');
  const signal = fired(first, { fired_at: daysAgo(20) });
  for (let age = 20; age >= 6; age--) {
    expect(preIntent(facts, defaultSettings, 1, daysAgo(age), [signal])).toEqual([first]);
  }
  expect(preIntent(facts, defaultSettings, 1, daysAgo(5), [signal])).toEqual([]);
  expect(preIntent(facts, defaultSettings, 1, daysAgo(19), [{ ...signal, state: 'handled' }])).toEqual([]);
});

test('further activity prolongs a signal that fired, even where the weight no longer suffices', () => {
  const before = did(['deal_registration', 20], ['content_touch', 20]);
  const [first] = preIntent(pair({ activities: before }), defaultSettings, 1, daysAgo(20));
  if (!first) throw new Error('did not fire');
  const signal = fired(first, { fired_at: daysAgo(20) });
  const activities = [...before, activity('more', 'content_touch', daysAgo(8))];
  const facts = pair({ activities });
  expect(preIntent(facts, defaultSettings, 1, daysAgo(8))).toEqual([]);
  expect(preIntent(facts, defaultSettings, 1, daysAgo(8), [signal])[0]?.expires_at).toEqual(midnightIn(7));
});

test('what is withdrawn no longer keeps a signal', () => {
  const activities = did(['deal_registration', 5], ['content_touch', 5]);
  const [first] = preIntent(pair({ activities }), defaultSettings, 1, daysAgo(5));
  if (!first) throw new Error('did not fire');
  const signal = fired(first, { fired_at: daysAgo(5) });
  expect(preIntent(pair({ activities: activities.slice(1) }), defaultSettings, 1, now, [signal])).toEqual([]);
});

test('what came later does not make up for what is withdrawn of the day on which it fired', () => {
  const activities = did(['deal_registration', 5], ['content_touch', 5]);
  const [first] = preIntent(pair({ activities }), defaultSettings, 1, daysAgo(5));
  if (!first) throw new Error('did not fire');
  const signal = fired(first, { fired_at: daysAgo(5) });
  const facts = pair({ activities: did(['deal_registration', 5], ['content_touch', 1]) });
  expect(preIntent(facts, defaultSettings, 1, now, [signal])).toEqual([]);
});

test('the reason gives the weight reached and needed, the day and the half-life', () => {
  const activities = did(['referral', 0], ['joint_meeting', 7]);
  const [candidate] = preIntent(pair({ activities }), defaultSettings, 2, now);
  expect(candidate).toMatchObject({ type: 'pre_intent', opportunity: 'prospective', rank: 3 });
  expect(candidate?.reason).toEqual({
    rule: 'pre_intent',
    settings_version: 2,
    activity_ids: ['act_x0', 'act_x1'],
    detail:
      "The partner's activities reached a weight of 4.41 on 2026-03-31 (activities: 2, threshold: 4, half-life: 14 days). Active for 14 days.",
  });
});
