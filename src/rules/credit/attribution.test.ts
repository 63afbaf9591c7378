import { expect, test } from 'vitest';
import { checkStories, long, short } from '../../../test/rules/attribution-stories.ts';
import { on, partnerOf, wonOpportunity } from '../../../test/rules/won-opportunity.ts';
import { defaultSettings } from '../../contract/settings.ts';
import { creditOpportunity, type OpportunityActivity } from './attribution.ts';

checkStories([
  {
    name: 'a joint meeting on the day of the opening is co-selling',
    done: { a: [['joint_meeting', 0]] },
    tiers: { a: 'co_sell' },
    lines: { a: ['+ co_sell: Joint meeting while the deal was open, 100 days before the deal closed.'] },
  },
  {
    name: 'a joint meeting on the day of the closing is co-selling',
    done: { a: [['joint_meeting', long]] },
    tiers: { a: 'co_sell' },
    lines: { a: ['+ co_sell: Joint meeting while the deal was open, on the day the deal closed.'] },
  },
  {
    name: 'what occurred after the closing is not looked at',
    done: {
      a: [
        ['joint_meeting', long + 1],
        ['content_touch', long + 1],
      ],
    },
    tiers: { a: null },
    lines: { a: [] },
  },
  {
    name: 'a joint meeting on the day before the opening only influences',
    closed: short,
    done: { a: [['joint_meeting', -1]] },
    tiers: { a: 'influenced' },
  },
  {
    name: 'a content touch during the deal is no more than influence',
    closed: short,
    done: { a: [['content_touch', 3]] },
    tiers: { a: 'influenced' },
    lines: {
      a: ['+ influenced: Content touch 27 days before the deal closed (limit: 90 days).'],
    },
  },
  {
    name: 'an activity 90 days before the closing influences',
    done: { a: [['event_attendance', long - 90]] },
    tiers: { a: 'influenced' },
  },
  {
    name: 'an activity 91 days before the closing does not influence',
    done: { a: [['event_attendance', long - 91]] },
    tiers: { a: null },
    lines: {
      a: [
        '- null: Event attendance 91 days before the deal closed, too early to count as influence (limit: 90 days).',
      ],
    },
  },
  {
    name: 'what was recorded on the day of the closing counts',
    done: { a: [['joint_meeting', 50, long]] },
    tiers: { a: 'co_sell' },
  },
  {
    name: 'what was recorded on the day after the closing does not count',
    done: {
      a: [
        ['deal_registration', -3, long + 1],
        ['content_touch', 3, long + 3],
        ['event_attendance', long - 90, long + 1],
        ['joint_meeting', 50, long + 2],
      ],
    },
    tiers: { a: null },
    lines: {
      a: [
        '- sourced: Recorded 1 day after the deal closed; counts only if a dispute is accepted.',
        '- null: Recorded 3 days after the deal closed; counts only if a dispute is accepted.',
        '- influenced: Recorded 1 day after the deal closed; counts only if a dispute is accepted.',
        '- co_sell: Recorded 2 days after the deal closed; counts only if a dispute is accepted.',
      ],
    },
  },
  {
    name: 'on a deal that closes within the lock, the closing ends what may be recorded',
    closed: 5,
    done: {
      a: [['deal_registration', -1, 6]],
      b: Array(4).fill(['content_touch', 0, 6]),
      c: [['introduction', 0, 5]],
    },
    tiers: { a: null, b: null, c: 'sourced' },
  },
  {
    name: 'on a deal that was closed before the organization began, neither lock nor closing matters',
    created: long + 20,
    done: { a: [['deal_registration', -5, long + 20]], b: [['joint_meeting', 50, long + 20]] },
    tiers: { a: 'sourced', b: 'co_sell' },
  },
  {
    name: 'a deal closed on the day the organization began is history too',
    created: long,
    done: { a: [['deal_registration', -5, long + 400]] },
    tiers: { a: 'sourced' },
  },
  {
    name: 'a deal opened before the organization began and closed after knows the closing but no lock',
    created: 40,
    done: {
      a: [['deal_registration', -5, 40]],
      b: [['deal_registration', -10, long + 1]],
      c: [['joint_meeting', 50, long + 1]],
    },
    tiers: { a: 'sourced', b: null, c: null },
  },
  {
    name: 'a deal opened on the day the organization began has no lock',
    created: 0,
    done: { a: [['deal_registration', -5, 15]] },
    tiers: { a: 'sourced' },
  },
  {
    name: 'a deal opened on the day after the organization began has the lock',
    created: -1,
    done: { a: [['deal_registration', -5, 15]] },
    tiers: { a: null },
  },
  {
    name: 'pre-intent exactly at the threshold on the day of the opening sources the deal',
    done: {
      a: [
        ['content_touch', -28],
        ['content_touch', -28],
        ['joint_meeting', -14],
        ['joint_meeting', -14],
        ['content_touch', -14],
        ['content_touch', 0],
      ],
    },
    tiers: { a: 'sourced' },
    lines: {
      a: [
        '- null: Content touch 128 days before the deal closed, too early to count as influence (limit: 90 days). It counts toward pre-intent.',
        '- null: Content touch 128 days before the deal closed, too early to count as influence (limit: 90 days). It counts toward pre-intent.',
        '- null: Joint meeting 14 days before the deal was opened, too early for co-selling. This activity does not count as influence either: 114 days before the deal closed (limit: 90 days). It counts toward pre-intent.',
        '- null: Joint meeting 14 days before the deal was opened, too early for co-selling. This activity does not count as influence either: 114 days before the deal closed (limit: 90 days). It counts toward pre-intent.',
        '- null: Content touch 114 days before the deal closed, too early to count as influence (limit: 90 days). It counts toward pre-intent.',
        '- null: Content touch 100 days before the deal closed, too early to count as influence (limit: 90 days). It counts toward pre-intent.',
        "+ sourced: The partner's activities had a weight of 4 when the deal was opened on 2026-03-01 (threshold: 4).",
      ],
    },
  },
  {
    name: 'pre-intent just under the threshold sources nothing',
    done: {
      a: [
        ['content_touch', -28],
        ['content_touch', -29],
        ['joint_meeting', -14],
        ['joint_meeting', -14],
        ['content_touch', -14],
        ['content_touch', 0],
      ],
    },
    tiers: { a: null },
  },
  {
    name: 'what occurred after the opening does not weigh in pre-intent',
    done: { a: [...Array(3).fill(['content_touch', 0]), ['content_touch', 1]] },
    tiers: { a: null },
  },
  {
    name: 'what was recorded past the lock does not weigh in pre-intent',
    done: {
      a: [...Array(3).fill(['content_touch', 0, 14]), ['content_touch', 0, 15]],
      b: Array(4).fill(['content_touch', 0, 14]),
    },
    tiers: { a: null, b: 'sourced' },
  },
  {
    name: 'pre-intent reaches back beyond the lookback where the half-life does, and lists what it weighs',
    done: { a: Array(8).fill(['content_touch', -365]) },
    settings: {
      ...defaultSettings,
      signals: {
        ...defaultSettings.signals,
        pre_intent: { ...defaultSettings.signals.pre_intent, half_life_days: 365 },
      },
    },
    tiers: { a: 'sourced' },
    lines: {
      a: [
        ...Array(8).fill(
          '- null: Content touch 465 days before the deal closed, too early to count as influence (limit: 90 days). It counts toward pre-intent.',
        ),
        "+ sourced: The partner's activities had a weight of 4 when the deal was opened on 2026-03-01 (threshold: 4).",
      ],
    },
  },
  {
    name: 'pre-intent gives way to a stronger claim of the same partner',
    done: {
      a: [
        ['referral', -1],
        ['deal_registration', 0],
      ],
    },
    tiers: { a: 'sourced' },
    lines: {
      a: [
        '+ sourced: Referral 1 day before the deal was opened (limit: 180 days).',
        '+ sourced: Deal registration on the day the deal was opened (limit: 180 days).',
        "- sourced: The partner's own deal registration of 2026-03-01 is a stronger claim.",
      ],
    },
  },
  {
    name: 'a pinned tier stands without any evidence',
    pinned: { a: 'co_sell', b: 'sourced', c: 'influenced' },
    done: { a: [], b: [], c: [] },
    tiers: { a: 'co_sell', b: 'sourced', c: 'influenced' },
    lines: { a: [], b: [], c: [] },
  },
  {
    name: 'a partner pinned as the source keeps a better claim out',
    closed: short,
    pinned: { b: 'sourced' },
    done: { a: [['deal_registration', -20]], b: [['content_touch', 5]] },
    tiers: { a: 'influenced', b: 'sourced' },
    lines: {
      a: [
        '+ influenced: An accepted dispute made another partner the source. This activity counts as influence: 50 days before the deal closed (limit: 90 days).',
      ],
      b: ['+ influenced: Content touch 25 days before the deal closed (limit: 90 days).'],
    },
  },
  {
    name: 'a partner pinned as the source keeps its own sourcing evidence',
    pinned: { b: 'sourced' },
    done: { a: [['deal_registration', -20]], b: [['introduction', -2]] },
    tiers: { a: null, b: 'sourced' },
    lines: {
      a: [
        '- sourced: An accepted dispute made another partner the source. This activity does not count as influence either: 120 days before the deal closed (limit: 90 days).',
      ],
      b: ['+ sourced: Introduction 2 days before the deal was opened (limit: 180 days).'],
    },
  },
  {
    name: 'a partner pinned as influence leaves the source to others',
    closed: short,
    pinned: { a: 'influenced' },
    done: { a: [['deal_registration', -20]], b: [['introduction', 0]] },
    tiers: { a: 'influenced', b: 'sourced' },
    lines: {
      a: [
        "+ influenced: An accepted dispute set this partner's tier to influenced. This activity counts as influence: 50 days before the deal closed (limit: 90 days).",
      ],
    },
  },
  {
    name: 'a partner pinned as influence leaves the source vacant where nobody else claims it',
    pinned: { a: 'influenced' },
    done: { a: Array(4).fill(['content_touch', 0]), b: [['joint_meeting', 1]] },
    tiers: { a: 'influenced', b: 'co_sell' },
  },
  {
    name: 'a pinned tier outlives late and lost evidence',
    pinned: { a: 'co_sell' },
    done: { a: [['joint_meeting', 5, long + 30]] },
    tiers: { a: 'co_sell' },
    lines: {
      a: ['- co_sell: Recorded 30 days after the deal closed; counts only if a dispute is accepted.'],
    },
  },
  {
    name: 'a deal whose closing lies before its opening is credited from what occurred by the closing',
    closed: -10,
    done: {
      a: [['deal_registration', -11]],
      b: [['joint_meeting', -10]],
      c: [['deal_registration', -9]],
    },
    tiers: { a: 'sourced', b: 'influenced', c: null },
  },
  { name: 'a partner without activities gets nothing', done: { a: [] }, tiers: { a: null } },
]);

test('a line carries its activity; that of pre-intent is dated by the latest and tells the weight', () => {
  const touches: OpportunityActivity[] = [0, -14, 0, -14, 0].map((day, index) => ({
    id: `act_${index}`,
    external_id: `touch-${index}`,
    kind: 'content_touch',
    occurred_at: on(day, `0${index}:00:00Z`),
    recorded_at: on(day + 2),
    summary: `Read page ${index}`,
  }));
  const [credit] = creditOpportunity(
    wonOpportunity(long, -500),
    [partnerOf('a', null, touches)],
    defaultSettings,
  );
  expect(credit?.evidence.map(({ activity_id, summary }) => [activity_id, summary])).toEqual([
    ['act_1', 'Read page 1'],
    ['act_3', 'Read page 3'],
    ['act_0', 'Read page 0'],
    ['act_2', 'Read page 2'],
    ['act_4', 'Read page 4'],
    [null, 'Pre-intent weight 4 (activities: 5)'],
  ]);
  expect(credit?.evidence.at(0)).toMatchObject({ occurred_at: on(-14, '01:00:00Z'), recorded_at: on(-12) });
  expect(credit?.evidence.at(-1)).toMatchObject({
    kind: 'pre_intent',
    occurred_at: on(0, '04:00:00Z'),
    recorded_at: on(2),
  });
});
