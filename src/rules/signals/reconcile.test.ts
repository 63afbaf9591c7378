import { expect, test } from 'vitest';
import {
  activity,
  daysAgo,
  fired,
  match,
  midnightIn,
  now,
  opportunity,
  opportunityId,
  pair,
} from '../../../test/rules/pair.ts';
import { defaultSettings } from '../../contract/settings.ts';
import { evaluate } from './evaluate.ts';
import type { Candidate, ExistingSignal, PairFacts } from './facts.ts';
import { closedOpportunityAction } from './recommended-action.ts';
import { type Action, reconcile } from './reconcile.ts';

const a = opportunity('a', daysAgo(60));
const b = opportunity('b', daysAgo(3));
const meeting = activity('meeting', 'joint_meeting', daysAgo(5));
const coSelling = pair({ open_opportunities: [a], activities: [meeting] });
const overlapping = pair({ match: match(daysAgo(20)) });
const emerging = pair({
  activities: [activity('r1', 'referral', daysAgo(2)), activity('r2', 'referral', daysAgo(1))],
});

function act(existing: ExistingSignal[], facts: PairFacts, at = now): Action[] {
  return reconcile(existing, evaluate(facts, defaultSettings, 1, at, existing), facts, defaultSettings, at);
}

function only(facts: PairFacts): Candidate {
  const [candidate, ...more] = evaluate(facts, defaultSettings, 1, now);
  if (!candidate || more.length > 0) throw new Error('expected one candidate');
  return candidate;
}

function ended(facts: PairFacts, over: Partial<ExistingSignal>): ExistingSignal {
  return fired(only(facts), { state: 'expired', fired_at: daysAgo(20), ended_at: daysAgo(5), ...over });
}

const each = [
  ['co_sell', coSelling],
  ['overlap', overlapping],
  ['pre_intent', emerging],
] as const;

test.each(each)('%s fires where there is no signal yet', (type, facts) => {
  expect(act([], facts)).toEqual([{ do: 'fire', candidate: only(facts) }]);
  expect(only(facts).type).toBe(type);
});

test.each(each)('%s: an active signal that says the same is left alone', (_, facts) => {
  for (const state of ['new', 'in_progress'] as const) {
    expect(act([fired(only(facts), { state })], facts)).toEqual([]);
  }
});

test('signals of another type do not stand in for one', () => {
  const other = fired(only(coSelling), { type: 'overlap', state: 'in_progress' });
  expect(act([other], coSelling)).toEqual([{ do: 'fire', candidate: only(coSelling) }]);
});

test.each<[string, Partial<ExistingSignal>]>([
  ['a later expiry', { expires_at: midnightIn(1) }],
  ['an earlier expiry', { expires_at: midnightIn(99) }],
  ['another advice', { recommended_action: 'Call.' }],
  ['another activity', { activity_ids: ['act_other'] }],
  ['fewer activities', { activity_ids: ['act_meeting', 'act_other'] }],
  ['another rank', { rank: 3 }],
])('%s replaces what an active signal says, in both active states', (_, over) => {
  for (const state of ['new', 'in_progress'] as const) {
    expect(act([fired(only(coSelling), { ...over, state })], coSelling)).toEqual([
      { do: 'extend', signal_id: 'sig_1', candidate: only(coSelling) },
    ]);
  }
});

test('that its numbers have aged alone rewrites nothing', () => {
  const facts = pair({ activities: [...emerging.activities, activity('r3', 'referral', daysAgo(1))] });
  const yesterday = evaluate(facts, defaultSettings, 1, daysAgo(1))[0];
  if (!yesterday) throw new Error('did not fire');
  expect(yesterday.reason.detail).not.toBe(only(facts).reason.detail);
  expect(act([fired(yesterday)], facts)).toEqual([]);
});

test.each<[string, PairFacts, PairFacts]>([
  ['an activity follows the later deal', coSelling, { ...coSelling, open_opportunities: [a, b] }],
  ['a match follows the first deal', overlapping, { ...overlapping, open_opportunities: [a] }],
  [
    'a match follows the later deal',
    { ...overlapping, open_opportunities: [a] },
    { ...overlapping, open_opportunities: [a, b] },
  ],
])('a new signal moves with its facts: %s', (_, before, after) => {
  const signal = fired(only(before));
  expect(act([signal], after)).toEqual([{ do: 'move', signal_id: 'sig_1', candidate: only(after) }]);
});

test('of several deals a signal moves to the one that has its evidence', () => {
  const named = { ...meeting, opportunity_id: a.id };
  const other = activity('other', 'joint_meeting', daysAgo(1));
  const signal = fired(only(coSelling), { opportunity: opportunityId('c') });
  const facts = pair({
    open_opportunities: [a, b, opportunity('c', daysAgo(70))],
    activities: [named, other],
  });
  const [forB, forA] = evaluate(facts, defaultSettings, 1, now);
  expect(forB?.opportunity).toBe(b.id);
  expect(act([signal], facts)).toEqual([
    { do: 'move', signal_id: 'sig_1', candidate: forA },
    { do: 'fire', candidate: forB },
  ]);
});

test('a signal does not move to where another already is', () => {
  const facts = { ...coSelling, open_opportunities: [a, b] };
  const onA = fired(only(coSelling));
  const onB = fired(only(facts), { id: 'sig_2', state: 'in_progress' });
  expect(act([onA, onB], facts)).toEqual([{ do: 'expire', signal_id: 'sig_1', end_reason: 'facts' }]);
});

test('a closed deal expires its new signals, and the facts speak for the next deal', () => {
  const both = { ...coSelling, match: match(daysAgo(20)) };
  const [overlapOnA, coSellOnA] = evaluate(both, defaultSettings, 1, now);
  if (!overlapOnA || !coSellOnA) throw new Error('did not fire');
  const signals = [fired(overlapOnA), fired(coSellOnA, { id: 'sig_2' })];
  const after = { ...both, open_opportunities: [b] };
  const [overlapOnB, coSellOnB] = evaluate(after, defaultSettings, 1, now);
  expect(act(signals, after)).toEqual([
    { do: 'expire', signal_id: 'sig_2', end_reason: 'facts' },
    { do: 'fire', candidate: coSellOnB },
    { do: 'expire', signal_id: 'sig_1', end_reason: 'facts' },
    { do: 'fire', candidate: overlapOnB },
  ]);
});

test.each<[string, PairFacts, PairFacts]>([
  ['the match ended', overlapping, pair()],
  ['the activity was withdrawn', coSelling, { ...coSelling, activities: [] }],
  ['a deal opened', emerging, { ...emerging, open_opportunities: [{ ...a }], activities: [] }],
  ['the weight was withdrawn', emerging, { ...emerging, activities: emerging.activities.slice(1) }],
])('a new signal expires by facts where %s; work in progress stays', (_, before, after) => {
  const signal = fired(only(before));
  expect(act([signal], after)).toEqual([{ do: 'expire', signal_id: 'sig_1', end_reason: 'facts' }]);
  expect(act([{ ...signal, state: 'in_progress' }], after)).toEqual([]);
});

test('work in progress on a deal does not move to another', () => {
  const facts = { ...coSelling, open_opportunities: [a, b] };
  expect(act([fired(only(coSelling), { state: 'in_progress' })], facts)).toEqual([
    { do: 'fire', candidate: only(facts) },
  ]);
});

test.each(each)('%s: a new signal whose time is up expires by time, not by facts', (_, facts) => {
  const signal = fired(only(facts), { fired_at: daysAgo(1) });
  const justBefore = new Date(signal.expires_at.getTime() - 1);
  expect(act([signal], facts, justBefore)).toEqual([]);
  expect(act([signal], facts, signal.expires_at)).toEqual([
    { do: 'expire', signal_id: 'sig_1', end_reason: 'time' },
  ]);
});

test.each(each)('%s: a signal that ended by facts comes back when they are corrected', (_, facts) => {
  expect(act([ended(facts, { end_reason: 'facts', ended_at: daysAgo(0) })], facts)).toEqual([
    { do: 'revive', signal_id: 'sig_1', candidate: only(facts) },
  ]);
});

test('an overlap that ended by facts comes back on whichever deal is now the latest', () => {
  const facts = { ...overlapping, open_opportunities: [b] };
  expect(act([ended(overlapping, { end_reason: 'facts' })], facts)).toEqual([
    { do: 'revive', signal_id: 'sig_1', candidate: only(facts) },
  ]);
});

test('entirely other evidence fires a signal of its own instead of reviving an old one', () => {
  const old = ended(coSelling, { end_reason: 'facts', activity_ids: ['act_long_ago'] });
  expect(act([old], coSelling)).toEqual([{ do: 'fire', candidate: only(coSelling) }]);
});

test.each(['handled', 'dismissed', 'time'] as const)(
  'an overlap that was %s stays silent for its episode, on any deal',
  (end_reason) => {
    const signal = ended(overlapping, {
      end_reason,
      ended_at: daysAgo(19),
      fired_at: daysAgo(20, '00:00:01Z'),
    });
    expect(act([signal], overlapping)).toEqual([]);
    expect(act([signal], { ...overlapping, open_opportunities: [b] })).toEqual([]);
    const later = ended(overlapping, { id: 'sig_2', end_reason: 'facts', ended_at: daysAgo(1) });
    expect(act([signal, later], overlapping)).toEqual([]);
    expect(act([{ ...signal, fired_at: daysAgo(21) }], overlapping)).toEqual([
      { do: 'fire', candidate: only(overlapping) },
    ]);
  },
);

test('an overlap in progress on one deal does not fire again on the next', () => {
  const signal = fired(only(overlapping), { state: 'in_progress', fired_at: daysAgo(20) });
  expect(act([signal], { ...overlapping, open_opportunities: [b] })).toEqual([]);
});

const restless = [
  ['co_sell', coSelling, activity('fresh', 'exec_intro', daysAgo(1)), 2],
  ['pre_intent', emerging, activity('fresh', 'content_touch', daysAgo(0)), 3],
] as const;

test.each(restless)(
  '%s: the cooldown lasts 14 whole days and then gives way to fresh evidence',
  (_, facts, fresh) => {
    const more = { ...facts, activities: [...facts.activities, fresh] };
    for (const end_reason of ['handled', 'dismissed', 'time'] as const) {
      const signal = (days: number, time: string) => [
        ended(facts, { end_reason, ended_at: daysAgo(days, time) }),
      ];
      expect(act(signal(14, '00:00:00Z'), more)).toEqual([{ do: 'recheck', at: midnightIn(1) }]);
      expect(act(signal(15, '23:59:59Z'), more)).toEqual([{ do: 'fire', candidate: only(more) }]);
      expect(act(signal(15, '23:59:59Z'), facts), 'no fresh evidence').toEqual([]);
      expect(act(signal(14, '00:00:00Z'), facts), 'no fresh evidence').toEqual([]);
    }
  },
);

test('a candidate held back by the quiet period fires when it is evaluated again', () => {
  const more = { ...coSelling, activities: [meeting, activity('fresh', 'exec_intro', daysAgo(1))] };
  const signal = ended(coSelling, { end_reason: 'handled', ended_at: daysAgo(14) });
  expect(act([signal], more, new Date(midnightIn(1).getTime() - 1))).toMatchObject([{ do: 'recheck' }]);
  expect(act([signal], more, midnightIn(1))).toMatchObject([{ do: 'fire' }]);
});

test('a candidate that expires before the quiet period ends is not evaluated again', () => {
  const more = { ...coSelling, activities: [meeting, activity('fresh', 'exec_intro', daysAgo(1))] };
  const settings = structuredClone(defaultSettings);
  const lifeDays = 30 - 1;
  const heldBack = (quiet_days: number) => {
    settings.signals.quiet_days = quiet_days;
    const existing = [ended(coSelling, { end_reason: 'handled', ended_at: now })];
    return reconcile(existing, evaluate(more, settings, 1, now, existing), more, settings, now);
  };
  expect(heldBack(lifeDays - 1)).toEqual([{ do: 'recheck', at: midnightIn(lifeDays) }]);
  expect(heldBack(lifeDays)).toEqual([]);
});

test.each(['handled', 'dismissed', 'time'] as const)(
  'evidence of a higher kind breaks the cooldown after %s; of the same kind it does not',
  (end_reason) => {
    const signal = ended(coSelling, { end_reason, ended_at: daysAgo(0) });
    const higher = { ...coSelling, activities: [meeting, activity('fresh', 'referral', daysAgo(1))] };
    const same = { ...coSelling, activities: [meeting, activity('fresh', 'exec_intro', daysAgo(1))] };
    expect(act([signal], higher)).toEqual([{ do: 'fire', candidate: only(higher) }]);
    expect(act([{ ...signal, rank: 3 }], higher)).toEqual([{ do: 'recheck', at: midnightIn(15) }]);
    expect(act([signal], same)).toEqual([{ do: 'recheck', at: midnightIn(15) }]);
  },
);

test('the cooldown belongs to the deal and to the signal that ended last on it', () => {
  const more = { ...coSelling, activities: [meeting, activity('fresh', 'exec_intro', daysAgo(1))] };
  const early = ended(coSelling, { id: 'sig_3', end_reason: 'handled', ended_at: daysAgo(40) });
  const late = ended(coSelling, { id: 'sig_2', end_reason: 'handled', ended_at: daysAgo(3) });
  const elsewhere = { ...late, opportunity: opportunityId('b') };
  expect(act([early, late], more)).toEqual([{ do: 'recheck', at: midnightIn(12) }]);
  expect(act([late, early], more)).toEqual([{ do: 'recheck', at: midnightIn(12) }]);
  expect(act([early, elsewhere], more)).toEqual([{ do: 'fire', candidate: only(more) }]);
});

test.each(each)('%s: one that somebody works on learns that its deal was won, once', (_, facts) => {
  const signal = fired(only(facts), { state: 'in_progress', opportunity: opportunityId('a') });
  const closed = { id: opportunityId('a'), status: 'won', closed_date: '2026-03-30' } as const;
  const after = pair({ closed_opportunities: [closed] });
  const recommended_action = closedOpportunityAction(after, closed);
  const advise = { do: 'advise', signal_id: signal.id, recommended_action };
  expect(act([signal], after)).toEqual([advise]);
  expect(act([{ ...signal, recommended_action }], after)).toEqual([]);
});
