import type * as api from './schema.gen.ts';

export type * from './schema.gen.ts';

/** Fields that are `undefined` are left out, so that optional values can be passed on unchanged. */
type Given<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };

export type SignalQuery = Given<api.ListSignalsQuery>;
export type AccountQuery = Given<api.ListAccountsQuery>;
export type OpportunityQuery = Given<api.ListOpportunitiesQuery>;
export type PartnerQuery = Given<api.ListPartnersQuery>;
export type MatchDecisionQuery = Given<api.ListMatchDecisionsQuery>;
export type MatchSuggestionQuery = Given<api.ListMatchSuggestionsQuery>;
export type AttributionQuery = Given<api.ListAttributionRecordsQuery>;
export type AttributionSummaryQuery = Given<api.GetAttributionSummaryQuery>;
export type ScorecardQuery = Given<api.GetPartnerScorecardQuery>;
export type SignalPerformanceQuery = Given<api.GetSignalPerformanceQuery>;
export type PageQuery = { limit?: number | undefined; cursor?: string | undefined };
export type ChangeOrganization = Given<api.ChangeOrganization>;
export type CreateApiKey = Given<api.CreateApiKey>;
export type RotateWebhookSecret = Given<api.RotateWebhookSecret>;
export type SimulateAttribution = Given<api.SimulateAttribution>;

/** The body of a webhook. */
export type WebhookPayload =
  | api.SignalCreatedPayload
  | api.AttributionCreatedPayload
  | api.AttributionUpdatedPayload;

type Facts = {
  partners: { input: api.PartnerRow | api.PartnerWithdrawal; merge: api.PartnerMerge };
  accounts: { input: api.AccountRow | api.AccountWithdrawal; merge: api.AccountMerge };
  opportunities: { input: api.OpportunityRow | api.OpportunityWithdrawal; merge: api.OpportunityMerge };
  partner_accounts: {
    input: api.PartnerAccountRow | api.PartnerAccountWithdrawal;
    merge: api.PartnerAccountMerge;
  };
  activities: { input: api.ActivityRow | api.ActivityWithdrawal; merge: api.ActivityMerge };
  exchange_rates: { input: api.ExchangeRateRow | api.ExchangeRateWithdrawal; merge: api.ExchangeRateMerge };
};
export type FactKind = keyof Facts;
/** A row of a kind of fact, or its withdrawal. */
export type FactInput<K extends FactKind> = Facts[K]['input'];
/** The fields to change of a fact, in addition to its key. */
export type FactMerge<K extends FactKind> = Facts[K]['merge'];

export type One<T> = { data: T; meta: api.Meta };
/** With the ETag, which makes a later change conditional on this version. */
export type Tagged<T> = One<T> & { etag: string };
export type List<T> = { data: T[]; meta: api.Meta; has_more: boolean; next_cursor?: string };
/** A page of the feed. You can store `resume_cursor` and continue from it later. */
export type EventList = List<api.Event> & { resume_cursor: string };
