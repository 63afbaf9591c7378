import type { Scorecard } from '../../src/client/types.ts';
import type { PartnerType } from '../../src/vocabulary.ts';
import type { Period } from '../credit/period.ts';

export type PartnerScore = Scorecard['partners'][number];

type Column = {
  name: string;
  of: (score: PartnerScore) => number | string | null;
};

/** The columns that can be sorted, in their order. */
export const scoreColumns = {
  name: { name: 'Partner', of: ({ partner }) => partner.name.toLowerCase() },
  credited: { name: 'Credited', of: (score) => score.credited_value },
  sourced: { name: 'Sourced', of: (score) => score.sourced_value },
  co_sell: { name: 'Co-sell', of: (score) => score.co_sell_value },
  influenced: { name: 'Influenced', of: (score) => score.influenced_value },
  win_rate: { name: 'Win rate', of: (score) => score.win_rate },
  open_deals: { name: 'Open deals', of: (score) => score.open_deals },
  density: { name: 'Density', of: (score) => score.co_sell_density_score },
  signals: { name: 'Active signals', of: (score) => score.active_signal_count },
} satisfies Record<string, Column>;
export type PartnerSort = keyof typeof scoreColumns;
export const partnerSorts = Object.keys(scoreColumns) as PartnerSort[];

/** In the URL. By default, the partner with the most credit comes first. */
export type PartnerSearch = Period & {
  type?: PartnerType | undefined;
  tier?: number | undefined;
  sort?: PartnerSort | undefined;
  order?: 'ascending' | undefined;
};

/** Missing values come last in either order. */
export function sortScores(scores: PartnerScore[], sort: PartnerSort, ascending: boolean): PartnerScore[] {
  const { of } = scoreColumns[sort] as Column;
  return scores.toSorted((a, b) => {
    const [x, y] = [of(a), of(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return x === y ? 0 : x < y === ascending ? -1 : 1;
  });
}

/** Without a deal there is no currency either, which is no reason to speak of several. */
export function hasDeals({ pipeline, partners }: Scorecard): boolean {
  return pipeline.open.deals > 0 || partners.some(({ won_deals, lost_deals }) => won_deals + lost_deals > 0);
}

/** Names sort from A to Z by default, numbers from the largest. */
export function isAscending(sort: PartnerSort, order: PartnerSearch['order']): boolean {
  return (sort === 'name') !== (order === 'ascending');
}
