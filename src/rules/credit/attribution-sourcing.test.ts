import { attribution, checkStories, short } from '../../../test/rules/attribution-stories.ts';

checkStories([
  {
    name: 'a registration on the day before the opening sources the deal',
    done: { a: [['deal_registration', -1]] },
    tiers: { a: 'sourced' },
    lines: {
      a: ['+ sourced: Deal registration 1 day before the deal was opened (limit: 180 days).'],
    },
  },
  {
    name: 'a registration on the day of the opening sources the deal',
    done: { a: [['deal_registration', 0]] },
    tiers: { a: 'sourced' },
    lines: {
      a: ['+ sourced: Deal registration on the day the deal was opened (limit: 180 days).'],
    },
  },
  {
    name: 'a registration 180 days before the opening sources the deal',
    done: { a: [['deal_registration', -180]] },
    tiers: { a: 'sourced' },
  },
  {
    name: 'a registration 181 days before the opening is out of sight of a long deal',
    done: { a: [['deal_registration', -181]] },
    tiers: { a: null },
    lines: { a: [] },
  },
  {
    name: 'a registration past the lookback is told so where influence reaches back further',
    done: { a: [['deal_registration', -11]] },
    settings: attribution({ lookback_days: 10, window_days: 150 }),
    tiers: { a: 'influenced' },
    lines: {
      a: [
        '+ influenced: Deal registration 11 days before the deal was opened, too early for sourcing (limit: 10 days). This activity counts as influence: 111 days before the deal closed (limit: 150 days).',
      ],
    },
  },
  {
    name: 'a registration on the day after the opening only influences a short deal',
    closed: short,
    done: { a: [['deal_registration', 1]] },
    tiers: { a: 'influenced' },
    lines: {
      a: [
        '+ influenced: Deal registration 1 day after the deal was opened, too late for sourcing. This activity counts as influence: 29 days before the deal closed (limit: 90 days).',
      ],
    },
  },
  {
    name: 'a registration on the day after the opening is nothing to a long deal',
    done: { a: [['deal_registration', 1]] },
    tiers: { a: null },
    lines: {
      a: [
        '- null: Deal registration 1 day after the deal was opened, too late for sourcing. This activity does not count as influence either: 99 days before the deal closed (limit: 90 days).',
      ],
    },
  },
  {
    name: 'a registration recorded 14 days after the opening is within the lock',
    done: { a: [['deal_registration', -5, 14]] },
    tiers: { a: 'sourced' },
  },
  {
    name: 'a registration recorded 15 days after the opening is past the lock',
    done: { a: [['deal_registration', -5, 15]] },
    tiers: { a: null },
    lines: {
      a: [
        '- sourced: Recorded 15 days after the deal was opened, too late for sourcing (limit: 14 days). This activity does not count as influence either: 105 days before the deal closed (limit: 90 days).',
      ],
    },
  },
  {
    name: 'a registration past the lock still influences a short deal',
    closed: short,
    done: { a: [['deal_registration', -5, 15]] },
    tiers: { a: 'influenced' },
    lines: {
      a: [
        '+ influenced: Recorded 15 days after the deal was opened, too late for sourcing (limit: 14 days). This activity counts as influence: 35 days before the deal closed (limit: 90 days).',
      ],
    },
  },
  {
    name: 'one partner past the lock leaves the deal to a weaker claim within it',
    done: { a: [['deal_registration', -5, 15]], b: [['introduction', -1, 14]] },
    tiers: { a: null, b: 'sourced' },
  },
  {
    name: 'of two registrations the earlier wins, and the other partner gets nothing from a long deal',
    done: { a: [['deal_registration', -20]], b: [['deal_registration', -21]] },
    tiers: { a: null, b: 'sourced' },
    lines: {
      a: [
        "- sourced: Another partner's deal registration of 2026-02-08 came first. This activity does not count as influence either: 120 days before the deal closed (limit: 90 days).",
      ],
    },
  },
  {
    name: 'of two registrations of the same time the smaller external_id wins',
    closed: short,
    done: { b: [['deal_registration', -20]], a: [['deal_registration', -20]] },
    tiers: { b: 'influenced', a: 'sourced' },
    lines: {
      b: [
        "+ influenced: Another partner's deal registration of 2026-02-09 came at the same time, and the tie-break rule chose the other partner. This activity counts as influence: 50 days before the deal closed (limit: 90 days).",
      ],
    },
  },
  {
    name: 'it is when a registration occurred that decides, not when it was recorded',
    done: { a: [['deal_registration', -20, -19]], b: [['deal_registration', -21, 10]] },
    tiers: { a: null, b: 'sourced' },
  },
  {
    name: 'a late registration beats an early referral, introduction and pre-intent',
    closed: short,
    done: {
      intent: [
        ['joint_meeting', -7],
        ['joint_meeting', 0],
        ['exec_intro', 0],
      ],
      intro: [['introduction', -170]],
      referral: [['referral', -100]],
      registration: [['deal_registration', 0]],
    },
    tiers: { intent: 'co_sell', intro: null, referral: null, registration: 'sourced' },
    lines: {
      intro: [
        "- sourced: Another partner's deal registration of 2026-03-01 ranks higher than any introduction. This activity does not count as influence either: 200 days before the deal closed (limit: 90 days).",
      ],
      intent: [
        '+ influenced: Joint meeting 7 days before the deal was opened, too early for co-selling. This activity counts as influence: 37 days before the deal closed (limit: 90 days).',
        '+ co_sell: Joint meeting while the deal was open, 30 days before the deal closed.',
        '+ co_sell: Executive introduction while the deal was open, 30 days before the deal closed.',
        "- sourced: Another partner's deal registration of 2026-03-01 ranks higher than pre-intent.",
      ],
    },
  },
  {
    name: 'a referral beats an earlier introduction and pre-intent',
    done: {
      intent: Array(4).fill(['content_touch', 0]),
      intro: [['introduction', -170]],
      referral: [['referral', -1]],
    },
    tiers: { intent: null, intro: null, referral: 'sourced' },
  },
  {
    name: 'an introduction beats earlier pre-intent',
    done: {
      intent: [...Array(4).fill(['content_touch', 0]), ['event_attendance', -60]],
      intro: [['introduction', 0]],
    },
    tiers: { intent: null, intro: 'sourced' },
  },
  {
    name: 'of two pre-intents the one that began earlier wins',
    done: {
      a: [['content_touch', -1], ...Array(4).fill(['joint_meeting', 0])],
      b: [...Array(4).fill(['content_touch', 0]), ['event_attendance', -2]],
    },
    tiers: { a: 'co_sell', b: 'sourced' },
    lines: {
      a: [
        '- null: Content touch 101 days before the deal closed, too early to count as influence (limit: 90 days). It counts toward pre-intent.',
        ...Array(4).fill(
          '+ co_sell: Joint meeting while the deal was open, 100 days before the deal closed.',
        ),
        "- sourced: Another partner's pre-intent since 2026-02-27 came first.",
      ],
    },
  },
  {
    name: 'pre-intent begins no earlier than with the first activity that still weighs',
    done: {
      a: [...Array(4).fill(['content_touch', 0]), ['event_attendance', -141]],
      b: [...Array(4).fill(['content_touch', 0]), ['event_attendance', -140]],
    },
    tiers: { a: null, b: 'sourced' },
  },
  {
    name: 'of two pre-intents that began at the same time the smaller external_id wins',
    done: {
      b: [['joint_meeting', -1], ...Array(4).fill(['joint_meeting', 0])],
      a: [['content_touch', -1], ...Array(4).fill(['content_touch', 0])],
    },
    tiers: { b: 'co_sell', a: 'sourced' },
    lines: {
      b: [
        '- null: Joint meeting 1 day before the deal was opened, too early for co-selling. This activity does not count as influence either: 101 days before the deal closed (limit: 90 days). It counts toward pre-intent.',
        ...Array(4).fill(
          '+ co_sell: Joint meeting while the deal was open, 100 days before the deal closed.',
        ),
        "- sourced: Another partner's pre-intent since 2026-02-28 came at the same time, and the tie-break rule chose the other partner.",
      ],
    },
  },
  {
    name: 'who loses the source falls to co-selling where that is proven',
    done: {
      a: [['deal_registration', -20]],
      b: [
        ['deal_registration', -10],
        ['proposal_support', 5],
      ],
    },
    tiers: { a: 'sourced', b: 'co_sell' },
  },
  {
    name: 'who loses the source falls to influence by the very activity that lost',
    closed: 80,
    done: { a: [['referral', -20]], b: [['referral', -10]] },
    tiers: { a: 'sourced', b: 'influenced' },
    lines: {
      b: [
        "+ influenced: Another partner's referral of 2026-02-09 came first. This activity counts as influence: 90 days before the deal closed (limit: 90 days).",
      ],
    },
  },
  {
    name: 'a weaker sourcing activity of the source counts beside its strongest',
    done: {
      a: [
        ['introduction', -30],
        ['deal_registration', -20],
      ],
    },
    tiers: { a: 'sourced' },
    lines: {
      a: [
        '+ sourced: Introduction 30 days before the deal was opened (limit: 180 days).',
        '+ sourced: Deal registration 20 days before the deal was opened (limit: 180 days).',
      ],
    },
  },
]);
