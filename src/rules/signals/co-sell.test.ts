import { expect, test } from 'vitest';
import {
  activity,
  daysAgo,
  fired,
  midnightIn,
  now,
  opportunity,
  opportunityId,
  pair,
} from '../../../test/rules/pair.ts';
import { defaultSettings } from '../../contract/settings.ts';
import { activityKinds, activityKindTable } from '../../vocabulary.ts';
import { coSell } from './co-sell.ts';

const open = [opportunity('a', daysAgo(60))];

test.each(activityKinds)('%s makes a candidate exactly if it can prove co-selling', (kind) => {
  const facts = pair({ open_opportunities: open, activities: [activity('x', kind, now)] });
  const rank = { sourced: 3, co_sell: 2, influenced: undefined }[activityKindTable[kind].tier];
  expect(coSell(facts, defaultSettings, 1, now)[0]?.rank).toBe(rank);
});

test('without an open deal there is no candidate', () => {
  const facts = pair({
    activities: [activity('x', 'joint_meeting', now, { opportunity_id: opportunityId('a') })],
  });
  expect(coSell(facts, defaultSettings, 1, now)).toEqual([]);
});

test.each([
  [0, midnightIn(31)],
  [30, midnightIn(1)],
  [31, undefined],
])('an activity of %i days ago makes a candidate that lives until %s', (days, expires_at) => {
  for (const time of ['00:00:00Z', '23:59:59Z']) {
    const activities = [activity('x', 'joint_meeting', daysAgo(days, time))];
    const candidates = coSell(pair({ open_opportunities: open, activities }), defaultSettings, 1, now);
    expect(candidates[0]?.expires_at).toEqual(expires_at);
  }
});

test.each([
  { window_days: 10, life_days: 30, age: 10, candidates: 1 },
  { window_days: 10, life_days: 30, age: 11, candidates: 0 },
  { window_days: 30, life_days: 10, age: 10, candidates: 1 },
  { window_days: 30, life_days: 10, age: 11, candidates: 0 },
])('window $window_days, life $life_days: $candidates at age $age', ({ age, candidates, ...co_sell }) => {
  const settings = { ...defaultSettings, signals: { ...defaultSettings.signals, co_sell } };
  const activities = [activity('x', 'joint_meeting', daysAgo(age))];
  expect(coSell(pair({ open_opportunities: open, activities }), settings, 1, now)).toHaveLength(candidates);
});

test('a signal that fired stays for its full lifetime although its window is over', () => {
  const co_sell = { window_days: 10, life_days: 30 };
  const settings = { ...defaultSettings, signals: { ...defaultSettings.signals, co_sell } };
  const facts = pair({
    open_opportunities: open,
    activities: [activity('x', 'joint_meeting', daysAgo(35))],
  });
  const [first] = coSell(facts, settings, 1, daysAgo(30));
  if (!first) throw new Error('did not fire');
  const signal = fired(first, { fired_at: daysAgo(30) });
  expect(coSell(facts, settings, 1, daysAgo(5), [signal])).toEqual([first]);
  expect(coSell(facts, settings, 1, daysAgo(4), [signal])).toEqual([]);
  expect(coSell(facts, settings, 1, daysAgo(5), [{ ...signal, state: 'expired' }])).toEqual([]);
});

test('each activity counts for the deal it names, if that is open, else for the latest', () => {
  const facts = pair({
    open_opportunities: [
      opportunity('old', daysAgo(60)),
      opportunity('late', daysAgo(5)),
      opportunity('other', daysAgo(40)),
    ],
    activities: [
      activity('named', 'referral', daysAgo(3), { opportunity_id: opportunityId('old') }),
      activity('closed', 'joint_meeting', daysAgo(2), { opportunity_id: opportunityId('gone') }),
      activity('unnamed', 'exec_intro', daysAgo(1)),
      activity('weak', 'content_touch', daysAgo(0), { opportunity_id: opportunityId('other') }),
    ],
  });
  const found = coSell(facts, defaultSettings, 1, now).map((c) => [
    c.opportunity,
    c.reason.activity_ids,
    c.rank,
  ]);
  expect(found).toEqual([
    ['opp_late', ['act_unnamed', 'act_closed'], 2],
    ['opp_old', ['act_named'], 3],
  ]);
});

test('expiry follows the newest activity, and the reason names it', () => {
  const activities = [
    activity('x', 'deal_registration', daysAgo(20)),
    activity('y', 'technical_validation', daysAgo(4)),
    activity('z', 'content_touch', daysAgo(1)),
  ];
  const [candidate] = coSell(pair({ open_opportunities: open, activities }), defaultSettings, 3, now);
  expect(candidate).toMatchObject({ type: 'co_sell', rank: 3, expires_at: midnightIn(27) });
  expect(candidate?.reason).toEqual({
    rule: 'co_sell',
    settings_version: 3,
    activity_ids: ['act_y', 'act_x'],
    detail:
      'Latest co-sell or sourcing activity: technical validation on 2026-03-27 (activities: 2, window: 30 days). Active for 30 days.',
  });
});
