import { Type } from 'typebox';
import { PageQuery, strict } from './envelope.ts';
import { id, integer, moment, nullableText, number, text } from './field.ts';
import type { PartnerId } from './ids.ts';

export const partnerTypes = ['solution_provider', 'technology_partner', 'hyperscaler', 'gsi'] as const;
export type PartnerType = (typeof partnerTypes)[number];
export const PartnerTypeSchema = Type.Enum([...partnerTypes], {
  title: 'PartnerType',
  description: 'The type of partner; gsi is a global systems integrator.',
  examples: ['technology_partner'],
});

export type Partner = { id: PartnerId; name: string; type: PartnerType; tier: number };

export const PartnerTierSchema = integer('The tier in the partner programme, 1 is the highest.', 2, {
  title: 'PartnerTier',
  minimum: 1,
  maximum: 4,
});

const fields = {
  id: id('partner'),
  name: text('What people call it.', 'Zephyr Cloud'),
  type: PartnerTypeSchema,
  tier: PartnerTierSchema,
};

export const PartnerSchema = Type.Object(fields, {
  title: 'Partner',
  description: 'A partner organization.',
});

export type PartnerDetail = Partner & { domain: string | null; created_at: Date; updated_at: Date };

export const PartnerDetailSchema = Type.Object(
  {
    ...fields,
    co_sell_density_score: number(
      '100 × co_sold_opportunities / shared_open_opportunities, one decimal; 0 where none are shared.',
      37.5,
      { minimum: 0, maximum: 100 },
    ),
    co_sell_density: Type.Object(
      {
        co_sold_opportunities: integer('Of these, the ones on which it has such an activity.', 3),
        shared_open_opportunities: integer(
          'Open opportunities on accounts that match the partner, or on which it has a co-sell or sourcing activity in the window.',
          8,
        ),
        window_days: integer('How far back an activity counts.', 90),
      },
      { description: 'What the score is made of.' },
    ),
    active_signal_count: integer('Signals that are new or in_progress.', 5),
    domain: nullableText('The registrable domain.', 'zephyrcloud.example'),
    created_at: moment('When the partner was first loaded.', '2026-01-12T08:30:00.000Z'),
    updated_at: moment('When a fact about it last changed.', '2026-02-20T16:45:00.000Z'),
  },
  { title: 'PartnerDetail', description: 'A partner in full.' },
);

export const PartnerQuerySchema = Type.Object(
  { type: Type.Optional(PartnerTypeSchema), tier: Type.Optional(PartnerTierSchema), ...PageQuery },
  strict,
);
