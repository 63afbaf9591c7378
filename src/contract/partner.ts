import { type Static, Type } from 'typebox';
import { partnerTypes } from '../vocabulary.ts';
import { PageQuery, searchField, strictObject } from './envelope.ts';
import { id, integer, moment, nullableText, number, text } from './values/field.ts';

export const PartnerTypeSchema = Type.Enum(partnerTypes, {
  title: 'PartnerType',
  description: 'Type of partner. gsi: global systems integrator.',
  examples: ['technology_partner'],
});

export const PartnerTierSchema = integer('Tier in your partner program. 1 is the highest.', 2, {
  title: 'PartnerTier',
  minimum: 1,
  maximum: 4,
});

/** The part of a partner that other resources include. */
export const PartnerSummary = Type.Object(
  { id: id('partner'), name: text('Display name.', 'Zephyr Cloud'), type: PartnerTypeSchema },
  { title: 'PartnerSummary' },
);

const fields = { ...PartnerSummary.properties, tier: PartnerTierSchema };

export const PartnerSchema = Type.Object(fields, {
  title: 'Partner',
  description: 'A partner organization.',
});
export type Partner = Static<typeof PartnerSchema>;

const stored = {
  domain: nullableText('Registrable domain.', 'zephyrcloud.example'),
  created_at: moment('When the partner was first loaded.', '2026-01-12T08:30:00.000Z'),
  updated_at: moment('When the partner’s data last changed.', '2026-02-20T16:45:00.000Z'),
};
/** The stored part of a partner; the rest is counted. */
export const StoredPartnerSchema = Type.Object({ ...fields, ...stored });
export type StoredPartner = Static<typeof StoredPartnerSchema>;

export const PartnerDetailSchema = Type.Object(
  {
    ...fields,
    co_sell_density_score: number(
      '100 × co_sold_opportunities / shared_open_opportunities, to one decimal; 0 if none are shared.',
      37.5,
      { minimum: 0, maximum: 100 },
    ),
    co_sell_density: Type.Object(
      {
        co_sold_opportunities: integer(
          'Shared open opportunities with a co-sell or sourcing activity in the window.',
          3,
        ),
        shared_open_opportunities: integer(
          'Open opportunities on accounts you share with the partner, or on accounts where it has a co-sell or sourcing activity in the window.',
          8,
        ),
        window_days: integer('How far back activities count.', 90),
      },
      { description: 'The numbers behind the score.' },
    ),
    active_signal_count: integer('Signals in state new or in_progress.', 5),
    ...stored,
  },
  { title: 'PartnerDetail', description: 'A partner in full.' },
);
export type PartnerDetail = Static<typeof PartnerDetailSchema>;

export const PartnerQuerySchema = strictObject({
  q: searchField('Only partners whose name begins with this text. Case and accents do not matter.', 'zephyr'),
  type: Type.Optional(PartnerTypeSchema),
  tier: Type.Optional(PartnerTierSchema),
  ...PageQuery,
});
