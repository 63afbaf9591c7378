import { type Static, Type } from 'typebox';
import { month, period } from './attribution.ts';
import { strictObject } from './envelope.ts';
import { PartnerSchema, PartnerTierSchema, PartnerTypeSchema } from './partner.ts';
import { AccountSummary, OpportunitySummary } from './signal.ts';
import { integer, nullable, nullableText, number, text } from './values/field.ts';

const value = (description: string, example: number) => nullable<number>('number', description, example);

const measures = {
  credited_value: value('What the partner is credited with, of deals closed in the period.', 248_000),
  sourced_value: value('Of it, at the tier sourced.', 120_000),
  co_sell_value: value('Of it, at the tier co_sell.', 96_000),
  influenced_value: value('Of it, at the tier influenced.', 32_000),
  won_deals: integer(
    'Deals won in the period that a co-sell or sourcing activity of the partner names, or on whose account it had one while they were open.',
    6,
  ),
  lost_deals: integer('Deals lost, counted the same way.', 2),
  win_rate: value('100 × won_deals / (won_deals + lost_deals), to one decimal; null if there are none.', 75),
  open_deals: integer(
    'Open opportunities on accounts you share with the partner, or on accounts where it has a co-sell or sourcing activity in the window.',
    8,
  ),
  co_sell_density_score: number('Percentage of the open deals with such an activity in the window.', 37.5),
  active_signal_count: integer('Signals in state new or in_progress.', 5),
};

const PartnerScore = Type.Object(
  {
    partner: PartnerSchema,
    ...measures,
    trend: Type.Unsafe<number[] | null>({
      type: ['array', 'null'],
      items: { type: 'number' },
      description: 'Credited value in each of the months.',
      examples: [[0, 12_000, 48_000]],
    }),
  },
  { title: 'PartnerScore' },
);

const Pipeline = Type.Object(
  {
    deals: integer('Number of deals.', 24),
    value: value('Their value, at the newest exchange rates.', 1_250_000),
    unconverted_deals: integer('Deals whose value is not included, because there is no exchange rate.', 0),
  },
  { title: 'Pipeline' },
);

export const LargestDealSchema = Type.Object(
  {
    opportunity: OpportunitySummary,
    account: AccountSummary,
    closed_date: text('Day on which the deal was won, in UTC.', '2026-02-27', { format: 'date' }),
    value: number('Its value in the currency of the scorecard.', 48_000),
    partners: integer('Partners credited for it.', 2),
  },
  { title: 'LargestDeal' },
);
export type LargestDeal = Static<typeof LargestDealSchema>;

export const ScorecardSchema = Type.Object(
  {
    currency: nullableText(
      'Currency of all values: the reporting currency of the settings, or else the only one of your deals. Null if there are several; all values are null then.',
      'EUR',
    ),
    unconverted_deals: integer(
      'Won deals whose value is not included, because there is no exchange rate of their closing date or of the 7 days before.',
      0,
    ),
    window_days: integer('How far back activities on open deals count.', 90),
    months: Type.Array(month, { description: 'The months of each trend, oldest first.' }),
    pipeline: Type.Object(
      { open: Pipeline, touched: Pipeline },
      {
        description:
          'All open deals, and those with a co-sell or sourcing activity of any partner in the window.',
      },
    ),
    largest_deals: Type.Array(LargestDealSchema, {
      description: 'The largest credited deals closed in the period, up to 5; none if `currency` is null.',
    }),
    partners: Type.Array(PartnerScore, { description: 'By name, up to 5,000.' }),
  },
  { title: 'Scorecard', description: 'What each partner contributes.' },
);
export type Scorecard = Static<typeof ScorecardSchema>;

export const scorecardColumns = [
  ...Object.keys(PartnerSchema.properties).map((name) => `partner.${name}`),
  'currency',
  ...Object.keys(measures),
];

export const ScorecardQuerySchema = strictObject({
  type: Type.Optional(PartnerTypeSchema),
  tier: Type.Optional(PartnerTierSchema),
  ...period,
});
