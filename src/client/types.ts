import type { Static, TSchema } from 'typebox';
import type { OverlapSchema } from '../contract/overlap.ts';
import type { PartnerDetailSchema, PartnerQuerySchema, PartnerSchema } from '../contract/partner.ts';
import type {
  PartnerActivitySchema,
  SignalDetailSchema,
  SignalQuerySchema,
  SignalSchema,
  SignalSummarySchema,
} from '../contract/signal.ts';

/** What a schema looks like once it has been through JSON: the service writes dates, a reader gets ISO 8601 text. */
type Read<S extends TSchema> = Text<Static<S>>;
type Text<T> = T extends Date ? string : T extends object ? { [K in keyof T]: Text<T[K]> } : T;

export type Signal = Read<typeof SignalSchema>;
export type SignalDetail = Read<typeof SignalDetailSchema>;
export type SignalSummary = Read<typeof SignalSummarySchema>;
export type Activity = SignalDetail['activity_log'][number];
export type Partner = Read<typeof PartnerSchema>;
export type PartnerDetail = Read<typeof PartnerDetailSchema>;
export type PartnerActivity = Read<typeof PartnerActivitySchema>;
export type Overlap = Read<typeof OverlapSchema>;

export type Page = { limit?: number | undefined; cursor?: string | undefined };
export type SignalFilters = Filters<typeof SignalQuerySchema>;
export type PartnerFilters = Filters<typeof PartnerQuerySchema>;
type Filters<S extends TSchema> = {
  [K in Exclude<keyof Static<S>, keyof Page>]?: Static<S>[K] | undefined;
};

type Meta = { request_id: string; timestamp: string };
export type One<T> = { data: T; meta: Meta };
/** With the tag that makes a later change conditional on this state of the resource. */
export type Tagged<T> = One<T> & { etag: string };
export type List<T> = { data: T[]; meta: Meta; has_more: boolean; next_cursor?: string };
