import { expect, test } from 'vitest';
import { daysAgo, match, midnightIn, now, opportunity, pair } from '../../../test/rules/pair.ts';
import { defaultSettings } from '../../contract/settings.ts';
import { overlap } from './overlap.ts';

test('no match, no candidate', () => {
  expect(overlap(pair(), defaultSettings, 1, now)).toEqual([]);
});

test.each([
  [0, midnightIn(91)],
  [90, midnightIn(1)],
  [91, undefined],
])('a match of %i days ago is news until %s', (days, expires_at) => {
  for (const time of ['00:00:00Z', '23:59:59Z']) {
    const facts = pair({ match: match(daysAgo(days, time)) });
    expect(overlap(facts, defaultSettings, 1, now)[0]?.expires_at).toEqual(expires_at);
  }
});

test('the life is the organization’s setting, and the reason names its version', () => {
  const settings = structuredClone(defaultSettings);
  settings.signals.overlap.life_days = 5;
  expect(overlap(pair({ match: match(daysAgo(6)) }), settings, 7, now)).toEqual([]);
  const [candidate] = overlap(pair({ match: match(daysAgo(5)) }), settings, 7, now);
  expect(candidate?.reason.settings_version).toBe(7);
});

test.each([
  ['none is open', [], 'prospective'],
  ['one is open', [opportunity('a', daysAgo(50))], 'opp_a'],
  ['the later was opened last', [opportunity('b', daysAgo(50)), opportunity('a', daysAgo(2))], 'opp_a'],
  ['they were opened together', [opportunity('a', daysAgo(2)), opportunity('b', daysAgo(2))], 'opp_b'],
])('points to the most recently opened deal: %s', (_, open_opportunities, opportunity) => {
  const facts = pair({ match: match(daysAgo(1)), open_opportunities });
  const reversed = { ...facts, open_opportunities: open_opportunities.toReversed() };
  expect(overlap(facts, defaultSettings, 1, now)[0]?.opportunity).toBe(opportunity);
  expect(overlap(reversed, defaultSettings, 1, now)[0]?.opportunity).toBe(opportunity);
});

test('the reason gives the key, the confidence and the day', () => {
  const [candidate] = overlap(pair({ match: match(daysAgo(1)) }), defaultSettings, 1, now);
  expect(candidate).toMatchObject({
    type: 'overlap',
    rank: 0,
    reason: { rule: 'overlap', activity_ids: [] },
  });
  expect(candidate?.reason.detail).toBe(
    'Matched the partner\'s account "Harbor Foods" on 2026-03-30 (same domain: harborfoods.example; confidence: 0.95). Active for 90 days.',
  );
});
