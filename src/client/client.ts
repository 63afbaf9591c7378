import { caller, part } from './caller.ts';
import { type LoadOptions, load } from './load.ts';
import type { CallOptions, ClientOptions } from './send.ts';
import type {
  Account,
  AccountActivity,
  AccountDetail,
  AccountQuery,
  AttributionQuery,
  AttributionRecord,
  AttributionRecordDetail,
  AttributionSimulation,
  AttributionSummary,
  AttributionSummaryQuery,
  ChangeSignal,
  ChangeWebhook,
  DecideMatch,
  Delivery,
  Dispute,
  EventList,
  FactInput,
  FactKind,
  FactMerge,
  List,
  MatchDecision,
  MatchDecisionDetail,
  MatchDecisionQuery,
  MatchOutcomes,
  MatchQuality,
  MatchSuggestion,
  MatchSuggestionQuery,
  NewWebhook,
  OpenDispute,
  Opportunity,
  OpportunityDetail,
  OpportunityQuery,
  Overlap,
  OwnKey,
  PageQuery,
  Partner,
  PartnerActivity,
  PartnerDetail,
  PartnerMatchSuggestionQuery,
  PartnerQuery,
  RedeliverEvents,
  RegisterWebhook,
  ResolveDispute,
  RotateWebhookSecret,
  Scorecard,
  ScorecardQuery,
  Settings,
  SettingsVersion,
  Signal,
  SignalChange,
  SignalDetail,
  SignalOutcomes,
  SignalPerformance,
  SignalPerformanceQuery,
  SignalQuery,
  SignalSummary,
  SimulateAttribution,
  Webhook,
} from './types.ts';

export type ChangeOptions = CallOptions & {
  /** The `etag` of the signal as it was read; the change is refused where it has changed since. */
  ifMatch?: string | undefined;
};

export type Client = ReturnType<typeof createClient>;

/** Everything that a key of an organization can do. */
export function createClient(options: ClientOptions) {
  const { one, tagged, list, none, csv } = caller(options);
  const partner = (id: string) => `/v1/partners/${part(id)}`;
  const record = (id: string) => `/v1/attribution/${part(id)}`;
  const decision = (id: string) => `/v1/match_decisions/${part(id)}`;
  const webhook = (id: string) => `/v1/webhooks/${part(id)}`;

  return {
    /** What this key can do, and which organization it belongs to. */
    key: (call?: CallOptions) => one<OwnKey>('GET', '/v1/key', {}, call),

    signals: {
      list: (query: SignalQuery = {}, call?: CallOptions) => list<List<Signal>>('/v1/signals', query, call),
      get: (id: string, call?: CallOptions) =>
        tagged<SignalDetail>('GET', `/v1/signals/${part(id)}`, {}, call),
      change: (id: string, body: ChangeSignal, { ifMatch, ...call }: ChangeOptions = {}) =>
        tagged<SignalDetail>(
          'PATCH',
          `/v1/signals/${part(id)}`,
          { body, headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch } },
          call,
        ),
      /** Each change is applied or refused alone. */
      batch: (items: SignalChange[], call?: CallOptions) =>
        one<SignalOutcomes>('POST', '/v1/signals/batch', { body: { items } }, call),
      summary: (call?: CallOptions) => one<SignalSummary>('GET', '/v1/signals/summary', {}, call),
      summaryCsv: (call?: CallOptions) => csv('/v1/signals/summary', {}, call),
      performance: (query: SignalPerformanceQuery = {}, call?: CallOptions) =>
        one<SignalPerformance>('GET', '/v1/signals/performance', { query }, call),
      performanceCsv: (query: SignalPerformanceQuery = {}, call?: CallOptions) =>
        csv('/v1/signals/performance', query, call),
    },

    partners: {
      list: (query: PartnerQuery = {}, call?: CallOptions) =>
        list<List<Partner>>('/v1/partners', query, call),
      get: (id: string, call?: CallOptions) => one<PartnerDetail>('GET', partner(id), {}, call),
      scorecard: (query: ScorecardQuery = {}, call?: CallOptions) =>
        one<Scorecard>('GET', '/v1/partners/scorecard', { query }, call),
      scorecardCsv: (query: ScorecardQuery = {}, call?: CallOptions) =>
        csv('/v1/partners/scorecard', query, call),
      activities: (id: string, query: PageQuery = {}, call?: CallOptions) =>
        list<List<PartnerActivity>>(`${partner(id)}/activities`, query, call),
      overlaps: (id: string, query: PageQuery = {}, call?: CallOptions) =>
        list<List<Overlap>>(`${partner(id)}/overlaps`, query, call),
      matchSuggestions: (id: string, query: PartnerMatchSuggestionQuery = {}, call?: CallOptions) =>
        list<List<MatchSuggestion>>(`${partner(id)}/match_suggestions`, query, call),
    },

    matches: {
      /** Pairs that may be the same company, best first. */
      suggestions: (query: MatchSuggestionQuery = {}, call?: CallOptions) =>
        list<List<MatchSuggestion>>('/v1/match_suggestions', query, call),
      decide: (body: DecideMatch, call?: CallOptions) =>
        one<MatchDecisionDetail>('POST', '/v1/match_decisions', { body }, call),
      /** Each decision is recorded or refused alone. */
      decideBatch: (items: DecideMatch[], call?: CallOptions) =>
        one<MatchOutcomes>('POST', '/v1/match_decisions/batch', { body: { items } }, call),
      decisions: (query: MatchDecisionQuery = {}, call?: CallOptions) =>
        list<List<MatchDecision>>('/v1/match_decisions', query, call),
      decision: (id: string, call?: CallOptions) => one<MatchDecisionDetail>('GET', decision(id), {}, call),
      /** The decision no longer applies; it stays in the history. */
      takeBack: (id: string, call?: CallOptions) => none('DELETE', decision(id), call),
      quality: (call?: CallOptions) => one<MatchQuality>('GET', '/v1/matches/quality', {}, call),
      qualityCsv: (call?: CallOptions) => csv('/v1/matches/quality', {}, call),
    },

    accounts: {
      list: (query: AccountQuery = {}, call?: CallOptions) =>
        list<List<Account>>('/v1/accounts', query, call),
      get: (id: string, call?: CallOptions) =>
        one<AccountDetail>('GET', `/v1/accounts/${part(id)}`, {}, call),
      activities: (id: string, query: PageQuery = {}, call?: CallOptions) =>
        list<List<AccountActivity>>(`/v1/accounts/${part(id)}/activities`, query, call),
    },

    opportunities: {
      list: (query: OpportunityQuery = {}, call?: CallOptions) =>
        list<List<Opportunity>>('/v1/opportunities', query, call),
      get: (id: string, call?: CallOptions) =>
        one<OpportunityDetail>('GET', `/v1/opportunities/${part(id)}`, {}, call),
    },

    attribution: {
      list: (query: AttributionQuery = {}, call?: CallOptions) =>
        list<List<AttributionRecord>>('/v1/attribution', query, call),
      get: (id: string, call?: CallOptions) => one<AttributionRecordDetail>('GET', record(id), {}, call),
      summary: (query: AttributionSummaryQuery = {}, call?: CallOptions) =>
        one<AttributionSummary>('GET', '/v1/attribution/summary', { query }, call),
      summaryCsv: (query: AttributionSummaryQuery = {}, call?: CallOptions) =>
        csv('/v1/attribution/summary', query, call),
      simulate: (body: SimulateAttribution, call?: CallOptions) =>
        one<AttributionSimulation>('POST', '/v1/attribution/simulate', { body }, call),
      dispute: (id: string, body: OpenDispute, call?: CallOptions) =>
        one<Dispute>('POST', `${record(id)}/disputes`, { body }, call),
      resolveDispute: (id: string, disputeId: string, body: ResolveDispute, call?: CallOptions) =>
        one<Dispute>('PATCH', `${record(id)}/disputes/${part(disputeId)}`, { body }, call),
    },

    settings: {
      get: (call?: CallOptions) => tagged<SettingsVersion>('GET', '/v1/settings', {}, call),
      versions: (query: PageQuery = {}, call?: CallOptions) =>
        list<List<SettingsVersion>>('/v1/settings/versions', query, call),
      /** `ifMatch` is the `etag` of the settings as they were read; it is refused where they have changed since. */
      replace: (body: Settings, { ifMatch, ...call }: CallOptions & { ifMatch: string }) =>
        tagged<SettingsVersion>('PUT', '/v1/settings', { body, headers: { 'If-Match': ifMatch } }, call),
    },

    webhooks: {
      list: (query: PageQuery = {}, call?: CallOptions) => list<List<Webhook>>('/v1/webhooks', query, call),
      get: (id: string, call?: CallOptions) => one<Webhook>('GET', webhook(id), {}, call),
      register: (body: RegisterWebhook, call?: CallOptions) =>
        one<NewWebhook>('POST', '/v1/webhooks', { body }, call),
      change: (id: string, body: ChangeWebhook, call?: CallOptions) =>
        one<Webhook>('PATCH', webhook(id), { body }, call),
      delete: (id: string, call?: CallOptions) => none('DELETE', webhook(id), call),
      test: (id: string, call?: CallOptions) => one<Delivery>('POST', `${webhook(id)}/test`, {}, call),
      rotateSecret: (id: string, body: RotateWebhookSecret = {}, call?: CallOptions) =>
        one<NewWebhook>('POST', `${webhook(id)}/rotate_secret`, { body }, call),
      deliveries: (id: string, query: PageQuery = {}, call?: CallOptions) =>
        list<List<Delivery>>(`${webhook(id)}/deliveries`, query, call),
      /** Sends one delivery again. */
      redeliver: (deliveryId: string, call?: CallOptions) =>
        one<Delivery>('POST', `/v1/deliveries/${part(deliveryId)}/redeliver`, {}, call),
      /** Queues what failed or was missed in a span of time. */
      redeliverSpan: (id: string, body: RedeliverEvents, call?: CallOptions) =>
        one<{ queued: number }>('POST', `${webhook(id)}/redeliver`, { body }, call),
    },

    events: {
      /** Oldest first. Keep the `resume_cursor` of the last page, and pass it as `cursor` to read on at any later time. */
      list: (query: PageQuery = {}, call?: CallOptions) => list<EventList>('/v1/events', query, call),
    },

    /** Loads rows of a fact: any number, in batches. */
    load: <K extends FactKind>(
      kind: K,
      rows: Iterable<FactInput<K>> | AsyncIterable<FactInput<K>>,
      loading?: LoadOptions,
    ) => load(options, kind, rows, loading),
    /** The same, but each row only says what to change of its record. */
    merge: <K extends FactKind>(
      kind: K,
      rows: Iterable<FactMerge<K>> | AsyncIterable<FactMerge<K>>,
      loading?: LoadOptions,
    ) => load(options, kind, rows, loading, true),
  };
}
