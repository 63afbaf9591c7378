import fc from 'fast-check';
import { expect, test } from 'vitest';
import { daysAgo, midnightIn, now } from '../../../test/rules/pair.ts';
import { defaultSettings, type Settings } from '../../contract/settings.ts';
import { type PriorityPart, priorityParts } from '../../vocabulary.ts';
import { type Scale, type Scored, scoreSignal, toScale } from './priority.ts';

/** The deals of the organization are worth 100, 200, … 2,000 EUR; there is no rate for dollars. */
const scale: Scale = {
  amounts: toScale(Array.from({ length: 20 }, (_, i) => 100 * (i + 1))),
  toReporting: (amount, currency) => (currency === 'EUR' ? amount : null),
};
const opportunity = { value: 1_000, currency: 'EUR', stage: 'Proposal', closed_date: '2026-05-15' };
const signal: Scored = {
  rank: 2,
  evidence_at: daysAgo(3),
  expires_at: midnightIn(15),
  opportunity,
  confidence: null,
  partner_tier: 2,
  credits: 1,
};

const scores = (over: Partial<Scored> = {}, by = scale) =>
  scoreSignal({ ...signal, ...over }, defaultSettings, by, now).priority_parts;
const opportunityScores = (over: Partial<typeof opportunity>) =>
  scores({ opportunity: { ...opportunity, ...over } });

test('a priority is the weighted mean of its parts, as a whole number', () => {
  expect(scoreSignal(signal, defaultSettings, scale, now)).toEqual({
    priority_parts: {
      value: 50,
      stage: 75,
      expected_close: 50,
      freshness: 90,
      strength: 67,
      certainty: 100,
      partner_tier: 67,
      partner_record: 20,
      time_left: 50,
    },
    // 30 × 50 + 10 × 75 + 15 × 50 + 10 × 90 + 15 × 67 + 5 × (100 + 67 + 20 + 50), of 100
    priority: 61,
  });
});

test.each<
  [string, PriorityPart, Partial<Scored> | { opportunity: Partial<typeof opportunity> | null }, number]
>([
  ['no deal', 'value', { opportunity: null }, 0],
  ['a deal without a value', 'value', { opportunity: { value: 0 } }, 0],
  ['less than any deal', 'value', { opportunity: { value: 99.99 } }, 0],
  ['as much as the smallest twentieth', 'value', { opportunity: { value: 100 } }, 5],
  ['just less than the next twentieth', 'value', { opportunity: { value: 199 } }, 5],
  ['as much as the largest deal', 'value', { opportunity: { value: 2_000 } }, 100],
  ['more than any deal', 'value', { opportunity: { value: 1e15 } }, 100],
  ['an amount without a rate', 'value', { opportunity: { value: 1e15, currency: 'USD' } }, 50],
  ['no deal', 'stage', { opportunity: null }, 0],
  ['Prospecting', 'stage', { opportunity: { stage: 'Prospecting' } }, 10],
  ['qualification', 'stage', { opportunity: { stage: 'qualification' } }, 30],
  ['Appointment scheduled', 'stage', { opportunity: { stage: 'Appointment scheduled' } }, 10],
  ['Value Proposition', 'stage', { opportunity: { stage: 'Value Proposition' } }, 75],
  ['Technical evaluation', 'stage', { opportunity: { stage: 'Technical evaluation' } }, 50],
  ['Pricing', 'stage', { opportunity: { stage: 'Pricing' } }, 75],
  ['Proposal/Price Quote', 'stage', { opportunity: { stage: 'Proposal/Price Quote' } }, 75],
  ['Negotiation/Review', 'stage', { opportunity: { stage: 'Negotiation/Review' } }, 90],
  ['a stage that says nothing', 'stage', { opportunity: { stage: 'Etappe 3' } }, 50],
  ['no deal', 'expected_close', { opportunity: null }, 0],
  ['no date', 'expected_close', { opportunity: { closed_date: null as never } }, 50],
  ['today', 'expected_close', { opportunity: { closed_date: '2026-03-31' } }, 100],
  ['30 days ago', 'expected_close', { opportunity: { closed_date: '2026-03-01' } }, 100],
  ['31 days ago', 'expected_close', { opportunity: { closed_date: '2026-02-28' } }, 50],
  ['in 9 days', 'expected_close', { opportunity: { closed_date: '2026-04-09' } }, 90],
  ['in 90 days', 'expected_close', { opportunity: { closed_date: '2026-06-29' } }, 0],
  ['in a year', 'expected_close', { opportunity: { closed_date: '2027-03-31' } }, 0],
  ['evidence of today', 'freshness', { evidence_at: daysAgo(0, '00:00:00Z') }, 100],
  ['evidence from a clock ahead of ours', 'freshness', { evidence_at: midnightIn(1) }, 100],
  ['evidence of late yesterday', 'freshness', { evidence_at: daysAgo(1, '23:59:59Z') }, 97],
  ['evidence of 29 days ago', 'freshness', { evidence_at: daysAgo(29) }, 3],
  ['evidence of 30 days ago', 'freshness', { evidence_at: daysAgo(30) }, 0],
  ['a match alone', 'strength', { rank: 0 }, 0],
  ['influence', 'strength', { rank: 1 }, 33],
  ['co-selling', 'strength', { rank: 2 }, 67],
  ['sourcing', 'strength', { rank: 3 }, 100],
  ['a match by name', 'certainty', { confidence: 0.7 }, 40],
  ['a match by registry number', 'certainty', { confidence: 0.98 }, 96],
  ['an account that activities name', 'certainty', { confidence: null }, 100],
  ['the highest tier', 'partner_tier', { partner_tier: 1 }, 100],
  ['the lowest tier', 'partner_tier', { partner_tier: 4 }, 0],
  ['no credited deal', 'partner_record', { credits: 0 }, 0],
  ['four credited deals', 'partner_record', { credits: 4 }, 80],
  ['five credited deals', 'partner_record', { credits: 5 }, 100],
  ['the last day', 'time_left', { expires_at: midnightIn(1) }, 97],
  ['an end that has passed', 'time_left', { expires_at: midnightIn(-9) }, 100],
  ['29 days', 'time_left', { expires_at: midnightIn(29) }, 3],
  ['30 days', 'time_left', { expires_at: midnightIn(30) }, 0],
  ['90 days', 'time_left', { expires_at: midnightIn(90) }, 0],
])('%s: %s', (_, part, over, score) => {
  const given =
    'opportunity' in over && over.opportunity
      ? { opportunity: { ...opportunity, ...over.opportunity } }
      : over;
  expect(scores(given as Partial<Scored>)[part]).toBe(score);
});

test('an organization without deals to compare with knows no large one', () => {
  expect(scores({}, { ...scale, amounts: [] }).value).toBe(50);
});

test('a scale holds the twentieths of the amounts, and nothing of deals without a value', () => {
  expect(toScale([])).toEqual([]);
  expect(toScale([0, 0])).toEqual([]);
  expect(new Set(toScale([0, 7]))).toEqual(new Set([7]));
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
  expect(toScale(hundred)).toEqual(Array.from({ length: 20 }, (_, i) => 5 * (i + 1)));
});

test('weights decide: a part without one does not count, and one alone is all', () => {
  const weighing = (weights: Partial<Record<PriorityPart, number>>): Settings => ({
    ...defaultSettings,
    priority: {
      weights: {
        ...(Object.fromEntries(priorityParts.map((part) => [part, 0])) as Record<PriorityPart, number>),
        ...weights,
      },
    },
  });
  expect(scoreSignal(signal, weighing({ stage: 3 }), scale, now).priority).toBe(75);
  expect(scoreSignal(signal, weighing({ stage: 1, partner_record: 3 }), scale, now).priority).toBe(34);
  expect(scoreSignal(signal, weighing({}), scale, now).priority).toBe(0);
});

const scored: fc.Arbitrary<Scored & { opportunity: typeof opportunity }> = fc.record({
  rank: fc.constantFrom(0, 1, 2, 3),
  evidence_at: fc.integer({ min: 0, max: 60 }).map((days) => daysAgo(days)),
  expires_at: fc.integer({ min: -5, max: 90 }).map((days) => midnightIn(days)),
  opportunity: fc.record({
    value: fc.integer({ min: 0, max: 3_000 }),
    currency: fc.constant('EUR'),
    stage: fc.constantFrom('Prospecting', 'Discovery', 'Demo', 'Proposal', 'Negotiation'),
    closed_date: fc.integer({ min: 0, max: 120 }).map((days) => midnightIn(days).toISOString().slice(0, 10)),
  }),
  confidence: fc.constantFrom(0.7, 0.9, 0.95, 0.98, null),
  partner_tier: fc.integer({ min: 1, max: 4 }),
  credits: fc.integer({ min: 0, max: 5 }),
});

/** Each change makes a signal more urgent, or leaves it as it is. */
const better: Record<string, (one: Scored & { opportunity: typeof opportunity }, by: number) => Scored> = {
  value: (one, by) => ({ ...one, opportunity: { ...one.opportunity, value: one.opportunity.value + by } }),
  close: (one, by) => ({
    ...one,
    opportunity: { ...one.opportunity, closed_date: laterOf(one.opportunity.closed_date, -by) },
  }),
  evidence: (one, by) => ({ ...one, evidence_at: new Date(one.evidence_at.getTime() + by * 86_400_000) }),
  expiry: (one, by) => ({ ...one, expires_at: new Date(one.expires_at.getTime() - by * 86_400_000) }),
  strength: (one) => ({ ...one, rank: 3 }),
  certainty: (one) => ({ ...one, confidence: null }),
  tier: (one) => ({ ...one, partner_tier: 1 }),
  record: (one, by) => ({ ...one, credits: one.credits + by }),
  stage: (one) => ({ ...one, opportunity: { ...one.opportunity, stage: 'Negotiation' } }),
};

function laterOf(date: string, days: number): string {
  const at = new Date(date).getTime() + days * 86_400_000;
  return new Date(Math.max(at, now.getTime())).toISOString().slice(0, 10);
}

test.each(Object.entries(better))(
  'more of %s never lowers a priority, which stays in 0 to 100',
  (_, more) => {
    fc.assert(
      fc.property(scored, fc.integer({ min: 0, max: 40 }), (one, by) => {
        const { priority } = scoreSignal(one, defaultSettings, scale, now);
        expect(priority).toBeGreaterThanOrEqual(0);
        expect(priority).toBeLessThanOrEqual(100);
        expect(Number.isInteger(priority)).toBe(true);
        expect(scoreSignal(more(one, by), defaultSettings, scale, now).priority).toBeGreaterThanOrEqual(
          priority,
        );
      }),
    );
  },
);

test('the hour of the day changes nothing', () => {
  for (const time of ['00:00:00Z', '23:59:59Z'])
    expect(scoreSignal(signal, defaultSettings, scale, daysAgo(0, time))).toEqual(
      scoreSignal(signal, defaultSettings, scale, now),
    );
  expect(opportunityScores({}).value).toBe(50);
});
