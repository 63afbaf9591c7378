import type {
  AccountMerge,
  AccountRow,
  AccountWithdrawal,
  ActivityMerge,
  ActivityRow,
  ActivityWithdrawal,
  AttributionCreatedPayload,
  AttributionUpdatedPayload,
  ChangeOrganization as ChangeOrganizationBody,
  CreateApiKey as CreateApiKeyBody,
  Event,
  ExchangeRateMerge,
  ExchangeRateRow,
  ExchangeRateWithdrawal,
  GetAttributionSummaryQuery,
  GetPartnerScorecardQuery,
  GetSignalPerformanceQuery,
  ListAccountsQuery,
  ListAttributionRecordsQuery,
  ListMatchDecisionsQuery,
  ListMatchSuggestionsQuery,
  ListOpportunitiesQuery,
  ListPartnersQuery,
  ListSignalsQuery,
  Meta,
  OpportunityMerge,
  OpportunityRow,
  OpportunityWithdrawal,
  PartnerAccountMerge,
  PartnerAccountRow,
  PartnerAccountWithdrawal,
  PartnerMerge,
  PartnerRow,
  PartnerWithdrawal,
  RotateWebhookSecret as RotateWebhookSecretBody,
  SignalCreatedPayload,
  SimulateAttribution as SimulateAttributionBody,
} from './schema.gen.ts';

export type * from './schema.gen.ts';

/** Fields that are `undefined` are left out, so that optional values can be passed on unchanged. */
type Given<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };

export type SignalQuery = Given<ListSignalsQuery>;
export type AccountQuery = Given<ListAccountsQuery>;
export type OpportunityQuery = Given<ListOpportunitiesQuery>;
export type PartnerQuery = Given<ListPartnersQuery>;
export type MatchDecisionQuery = Given<ListMatchDecisionsQuery>;
export type MatchSuggestionQuery = Given<ListMatchSuggestionsQuery>;
export type AttributionQuery = Given<ListAttributionRecordsQuery>;
export type AttributionSummaryQuery = Given<GetAttributionSummaryQuery>;
export type ScorecardQuery = Given<GetPartnerScorecardQuery>;
export type SignalPerformanceQuery = Given<GetSignalPerformanceQuery>;
export type PageQuery = { limit?: number | undefined; cursor?: string | undefined };
export type ChangeOrganization = Given<ChangeOrganizationBody>;
export type CreateApiKey = Given<CreateApiKeyBody>;
export type RotateWebhookSecret = Given<RotateWebhookSecretBody>;
export type SimulateAttribution = Given<SimulateAttributionBody>;

/** The body of a webhook. */
export type WebhookPayload = SignalCreatedPayload | AttributionCreatedPayload | AttributionUpdatedPayload;

/** A row of each kind of fact, or its withdrawal. */
type FactInputs = {
  partners: PartnerRow | PartnerWithdrawal;
  accounts: AccountRow | AccountWithdrawal;
  opportunities: OpportunityRow | OpportunityWithdrawal;
  partner_accounts: PartnerAccountRow | PartnerAccountWithdrawal;
  activities: ActivityRow | ActivityWithdrawal;
  exchange_rates: ExchangeRateRow | ExchangeRateWithdrawal;
};
export type FactKind = keyof FactInputs;
export type FactInput<K extends FactKind> = FactInputs[K];

/** The fields to change of each kind of fact, in addition to its key. */
type FactMerges = {
  partners: PartnerMerge;
  accounts: AccountMerge;
  opportunities: OpportunityMerge;
  partner_accounts: PartnerAccountMerge;
  activities: ActivityMerge;
  exchange_rates: ExchangeRateMerge;
};
export type FactMerge<K extends FactKind> = FactMerges[K];

export type One<T> = { data: T; meta: Meta };
/** With the ETag, which makes a later change conditional on this version. */
export type Tagged<T> = One<T> & { etag: string };
export type List<T> = { data: T[]; meta: Meta; has_more: boolean; next_cursor?: string };
/** A page of the feed. You can store `resume_cursor` and continue from it later. */
export type EventList = List<Event> & { resume_cursor: string };
