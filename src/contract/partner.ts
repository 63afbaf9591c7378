import { Type } from 'typebox';
import { NullableText, PageQuery, strict, Timestamp } from './envelope.ts';
import type { PartnerId } from './ids.ts';

export const partnerTypes = ['solution_provider', 'technology_partner', 'hyperscaler', 'gsi'] as const;
export type PartnerType = (typeof partnerTypes)[number];
export const PartnerTypeSchema = Type.Enum([...partnerTypes]);

export type Partner = { id: PartnerId; name: string; type: PartnerType; tier: number };

const fields = {
  id: Type.String(),
  name: Type.String(),
  type: PartnerTypeSchema,
  tier: Type.Integer({ minimum: 1, maximum: 4 }),
};

export const PartnerSchema = Type.Object(fields);

export type PartnerDetail = Partner & { domain: string | null; created_at: Date; updated_at: Date };

export const PartnerDetailSchema = Type.Object({
  ...fields,
  co_sell_density_score: Type.Number({
    minimum: 0,
    maximum: 100,
    description:
      '100 × co_sold_opportunities / shared_open_opportunities, one decimal; 0 where none are shared.',
  }),
  co_sell_density: Type.Object({
    co_sold_opportunities: Type.Integer(),
    shared_open_opportunities: Type.Integer(),
    window_days: Type.Integer(),
  }),
  active_signal_count: Type.Integer({ description: 'Signals that are new or in_progress.' }),
  domain: NullableText,
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const PartnerQuerySchema = Type.Object(
  {
    type: Type.Optional(PartnerTypeSchema),
    tier: Type.Optional(Type.Integer({ minimum: 1, maximum: 4 })),
    ...PageQuery,
  },
  strict,
);
