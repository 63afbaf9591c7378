import type { Static, TSchema } from 'typebox';
import type {
  AttributionDetailSchema,
  AttributionQuerySchema,
  AttributionSchema,
  AttributionSummaryQuerySchema,
  AttributionSummarySchema,
  DisputeSchema,
  SimulateSchema,
  SimulationSchema,
} from '../contract/attribution.ts';
import type { AuditEntrySchema } from '../contract/audit.ts';
import type { FactKind, FactRow, FactWithdrawal, IngestResultSchema } from '../contract/ingest.ts';
import type { ApiKeySchema, CreateApiKeySchema, NewApiKeySchema } from '../contract/key.ts';
import type {
  ChangeOrganizationSchema,
  CreateOrganizationSchema,
  OrganizationSchema,
} from '../contract/organization.ts';
import type { OverlapSchema } from '../contract/overlap.ts';
import type { PartnerDetailSchema, PartnerQuerySchema, PartnerSchema } from '../contract/partner.ts';
import type { SettingsVersionSchema } from '../contract/settings.ts';
import type {
  PartnerActivitySchema,
  SignalDetailSchema,
  SignalQuerySchema,
  SignalSchema,
  SignalSummarySchema,
} from '../contract/signal.ts';
import type {
  DeliverySchema,
  NewWebhookSchema,
  RotateSecretSchema,
  WebhookEvent,
  WebhookSchema,
} from '../contract/webhook.ts';

/** What a schema looks like once it has been through JSON: the service writes dates, a reader gets ISO 8601 text. */
type Read<S extends TSchema> = Text<Static<S>>;
type Text<T> = T extends Date ? string : T extends object ? { [K in keyof T]: Text<T[K]> } : T;
/** A field that is `undefined` is left out, so that filters can be passed on as they are. */
type Given<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };
type Query<S extends TSchema> = { [K in keyof Static<S>]?: Static<S>[K] | undefined };

export type Signal = Read<typeof SignalSchema>;
export type SignalDetail = Read<typeof SignalDetailSchema>;
export type SignalSummary = Read<typeof SignalSummarySchema>;
export type Activity = SignalDetail['activity_log'][number];
export type SignalQuery = Query<typeof SignalQuerySchema>;

export type Partner = Read<typeof PartnerSchema>;
export type PartnerDetail = Read<typeof PartnerDetailSchema>;
export type PartnerActivity = Read<typeof PartnerActivitySchema>;
export type Overlap = Read<typeof OverlapSchema>;
export type PartnerQuery = Query<typeof PartnerQuerySchema>;

export type Attribution = Read<typeof AttributionSchema>;
export type AttributionDetail = Read<typeof AttributionDetailSchema>;
export type AttributionSummary = Read<typeof AttributionSummarySchema>;
export type AttributionQuery = Query<typeof AttributionQuerySchema>;
export type AttributionSummaryQuery = Query<typeof AttributionSummaryQuerySchema>;
export type Dispute = Read<typeof DisputeSchema>;
export type Simulate = Given<Static<typeof SimulateSchema>>;
export type Simulation = Read<typeof SimulationSchema>;

export type Webhook = Read<typeof WebhookSchema>;
export type NewWebhook = Read<typeof NewWebhookSchema>;
export type RotateSecret = Given<Static<typeof RotateSecretSchema>>;
export type Delivery = Read<typeof DeliverySchema>;

/** What happened, with the resource as it was then; the feed also has `signal.updated`. */
export type Event = { id: string; timestamp: string } & (
  | { event: 'signal.created' | 'signal.updated'; data: Signal }
  | { event: 'attribution.created' | 'attribution.updated'; data: Attribution }
);
/** The body of a webhook. */
export type WebhookPayload = { timestamp: string; signature: string } & (
  | { event: Extract<WebhookEvent, `signal.${string}`>; data: Signal }
  | { event: Extract<WebhookEvent, `attribution.${string}`>; data: Attribution }
);

/** A row of a fact, or its withdrawal. */
export type FactInput<K extends FactKind> = FactRow<K> | FactWithdrawal<K>;
export type IngestResult = Read<typeof IngestResultSchema>;

export type Organization = Read<typeof OrganizationSchema>;
export type CreateOrganization = Static<typeof CreateOrganizationSchema>;
export type ChangeOrganization = Given<Static<typeof ChangeOrganizationSchema>>;
export type ApiKey = Read<typeof ApiKeySchema>;
export type NewApiKey = Read<typeof NewApiKeySchema>;
export type CreateApiKey = Given<Static<typeof CreateApiKeySchema>>;
export type SettingsVersion = Read<typeof SettingsVersionSchema>;
export type AuditEntry = Read<typeof AuditEntrySchema>;

export type PageQuery = { limit?: number | undefined; cursor?: string | undefined };
type Meta = { request_id: string; timestamp: string };
export type One<T> = { data: T; meta: Meta };
/** With the tag that makes a later change conditional on this state of the resource. */
export type Tagged<T> = One<T> & { etag: string };
export type List<T> = { data: T[]; meta: Meta; has_more: boolean; next_cursor?: string };
/** A page of the feed: `resume_cursor` can be kept and continued from at any later time. */
export type EventList = List<Event> & { resume_cursor: string };
