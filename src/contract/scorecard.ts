import { type Static, Type } from 'typebox';
import { month, period } from './attribution.ts';
import { strictObject } from './envelope.ts';
import { PartnerSchema, PartnerTierSchema, PartnerTypeSchema } from './partner.ts';
import { AccountSummary, OpportunitySummary } from './signal.ts';
import { integer, nullable, nullableText, number, text } from './values/field.ts';

const value = (description: string, example: number) => nullable<number>('number', description, example);

const measures = {
  credited_value: value('Value credited to the partner for deals closed in the period.', 248_000),
  sourced_value: value('Credited value at tier `sourced`.', 120_000),
  co_sell_value: value('Credited value at tier `co_sell`.', 96_000),
  influenced_value: value('Credited value at tier `influenced`.', 32_000),
  won_deals: integer(
    'Deals won in the period that the partner worked on: a co-sell or sourcing activity names the deal, or took place on its account while it was open.',
    6,
  ),
  lost_deals: integer('Deals lost, counted the same way.', 2),
  win_rate: value('100 × won_deals / (won_deals + lost_deals), to one decimal; null if both are 0.', 75),
  open_deals: integer(
    'Open opportunities on accounts you share with the partner, or on accounts where it has a co-sell or sourcing activity in the window.',
    8,
  ),
  co_sell_density_score: number(
    'Percentage of the open deals that have a co-sell or sourcing activity in the window.',
    37.5,
  ),
  active_signal_count: integer('Signals in state new or in_progress.', 5),
};

const PartnerScore = Type.Object(
  {
    partner: PartnerSchema,
    ...measures,
    trend: Type.Unsafe<number[] | null>({
      type: ['array', 'null'],
      items: { type: 'number' },
      description: 'Credited value in each month of `months`.',
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
      'Currency of all values: the reporting currency of the settings. If none is set, the currency of your deals, if there is only one. Otherwise null, and all values are null.',
      'EUR',
    ),
    unconverted_deals: integer(
      'Won deals whose value is not included, because there is no exchange rate for their closing date or the 7 days before.',
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
