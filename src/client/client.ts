import { caller, part } from './caller.ts';
import { type LoadOptions, load } from './load.ts';
import type { CallOptions, ClientOptions } from './send.ts';
import type * as api from './types.ts';

export type ChangeOptions = CallOptions & {
  /** The `etag` of the signal when it was read. If the signal has changed since, the change is refused. */
  ifMatch?: string | undefined;
};

export type Client = ReturnType<typeof createClient>;

/** Everything that an API key of an organization can do. */
export function createClient(options: ClientOptions) {
  const { one, tagged, list, none, csv } = caller(options);
  const partner = (id: string) => `/v1/partners/${part(id)}`;
  const record = (id: string) => `/v1/attribution/${part(id)}`;
  const decision = (id: string) => `/v1/match_decisions/${part(id)}`;
  const webhook = (id: string) => `/v1/webhooks/${part(id)}`;

  return {
    /** What this key can do, and which organization it belongs to. */
    me: (call?: CallOptions) => one<api.OwnKey>('GET', '/v1/me', {}, call),

    signals: {
      list: (query: api.SignalQuery = {}, call?: CallOptions) => list<api.Signal>('/v1/signals', query, call),
      get: (id: string, call?: CallOptions) =>
        tagged<api.SignalDetail>('GET', `/v1/signals/${part(id)}`, {}, call),
      change: (id: string, body: api.ChangeSignal, { ifMatch, ...call }: ChangeOptions = {}) =>
        tagged<api.SignalDetail>(
          'PATCH',
          `/v1/signals/${part(id)}`,
          { body, headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch } },
          call,
        ),
      /** Each change succeeds or fails separately. */
      batch: (items: api.SignalChange[], call?: CallOptions) =>
        one<api.SignalOutcomes>('POST', '/v1/signals/batch', { body: { items } }, call),
      summary: (call?: CallOptions) => one<api.SignalSummary>('GET', '/v1/signals/summary', {}, call),
      summaryCsv: (call?: CallOptions) => csv('/v1/signals/summary', {}, call),
      performance: (query: api.SignalPerformanceQuery = {}, call?: CallOptions) =>
        one<api.SignalPerformance>('GET', '/v1/signals/performance', { query }, call),
      performanceCsv: (query: api.SignalPerformanceQuery = {}, call?: CallOptions) =>
        csv('/v1/signals/performance', query, call),
    },

    partners: {
      list: (query: api.PartnerQuery = {}, call?: CallOptions) =>
        list<api.Partner>('/v1/partners', query, call),
      get: (id: string, call?: CallOptions) => one<api.PartnerDetail>('GET', partner(id), {}, call),
      scorecard: (query: api.ScorecardQuery = {}, call?: CallOptions) =>
        one<api.Scorecard>('GET', '/v1/partners/scorecard', { query }, call),
      scorecardCsv: (query: api.ScorecardQuery = {}, call?: CallOptions) =>
        csv('/v1/partners/scorecard', query, call),
      activities: (id: string, query: api.PageQuery = {}, call?: CallOptions) =>
        list<api.PartnerActivity>(`${partner(id)}/activities`, query, call),
      overlaps: (id: string, query: api.PageQuery = {}, call?: CallOptions) =>
        list<api.Overlap>(`${partner(id)}/overlaps`, query, call),
    },

    matches: {
      /** Pairs that may be the same company, best first. */
      suggestions: (query: api.MatchSuggestionQuery = {}, call?: CallOptions) =>
        list<api.MatchSuggestion>('/v1/match_suggestions', query, call),
      decide: (body: api.DecideMatch, call?: CallOptions) =>
        one<api.MatchDecisionDetail>('POST', '/v1/match_decisions', { body }, call),
      /** Each decision succeeds or fails separately. */
      decideBatch: (items: api.DecideMatch[], call?: CallOptions) =>
        one<api.MatchOutcomes>('POST', '/v1/match_decisions/batch', { body: { items } }, call),
      decisions: (query: api.MatchDecisionQuery = {}, call?: CallOptions) =>
        list<api.MatchDecision>('/v1/match_decisions', query, call),
      decision: (id: string, call?: CallOptions) =>
        one<api.MatchDecisionDetail>('GET', decision(id), {}, call),
      /** The decision no longer applies; it stays in the history. */
      revert: (id: string, call?: CallOptions) => none('DELETE', decision(id), call),
      quality: (call?: CallOptions) => one<api.MatchQuality>('GET', '/v1/matches/quality', {}, call),
      qualityCsv: (call?: CallOptions) => csv('/v1/matches/quality', {}, call),
    },

    accounts: {
      list: (query: api.AccountQuery = {}, call?: CallOptions) =>
        list<api.Account>('/v1/accounts', query, call),
      get: (id: string, call?: CallOptions) =>
        one<api.AccountDetail>('GET', `/v1/accounts/${part(id)}`, {}, call),
      activities: (id: string, query: api.PageQuery = {}, call?: CallOptions) =>
        list<api.AccountActivity>(`/v1/accounts/${part(id)}/activities`, query, call),
    },

    opportunities: {
      list: (query: api.OpportunityQuery = {}, call?: CallOptions) =>
        list<api.Opportunity>('/v1/opportunities', query, call),
      get: (id: string, call?: CallOptions) =>
        one<api.OpportunityDetail>('GET', `/v1/opportunities/${part(id)}`, {}, call),
    },

    attribution: {
      list: (query: api.AttributionQuery = {}, call?: CallOptions) =>
        list<api.AttributionRecord>('/v1/attribution', query, call),
      get: (id: string, call?: CallOptions) => one<api.AttributionRecordDetail>('GET', record(id), {}, call),
      summary: (query: api.AttributionSummaryQuery = {}, call?: CallOptions) =>
        one<api.AttributionSummary>('GET', '/v1/attribution/summary', { query }, call),
      summaryCsv: (query: api.AttributionSummaryQuery = {}, call?: CallOptions) =>
        csv('/v1/attribution/summary', query, call),
      simulate: (body: api.SimulateAttribution, call?: CallOptions) =>
        one<api.AttributionSimulation>('POST', '/v1/attribution/simulate', { body }, call),
      dispute: (id: string, body: api.OpenDispute, call?: CallOptions) =>
        one<api.Dispute>('POST', `${record(id)}/disputes`, { body }, call),
      resolveDispute: (id: string, disputeId: string, body: api.ResolveDispute, call?: CallOptions) =>
        one<api.Dispute>('PATCH', `${record(id)}/disputes/${part(disputeId)}`, { body }, call),
    },

    settings: {
      get: (call?: CallOptions) => tagged<api.SettingsVersion>('GET', '/v1/settings', {}, call),
      versions: (query: api.PageQuery = {}, call?: CallOptions) =>
        list<api.SettingsVersion>('/v1/settings/versions', query, call),
      /** `ifMatch` is the `etag` of the settings when they were read. If they have changed since, the call is refused. */
      replace: (body: api.Settings, { ifMatch, ...call }: CallOptions & { ifMatch: string }) =>
        tagged<api.SettingsVersion>('PUT', '/v1/settings', { body, headers: { 'If-Match': ifMatch } }, call),
    },

    webhooks: {
      list: (query: api.PageQuery = {}, call?: CallOptions) => list<api.Webhook>('/v1/webhooks', query, call),
      get: (id: string, call?: CallOptions) => one<api.Webhook>('GET', webhook(id), {}, call),
      register: (body: api.RegisterWebhook, call?: CallOptions) =>
        one<api.NewWebhook>('POST', '/v1/webhooks', { body }, call),
      change: (id: string, body: api.ChangeWebhook, call?: CallOptions) =>
        one<api.Webhook>('PATCH', webhook(id), { body }, call),
      delete: (id: string, call?: CallOptions) => none('DELETE', webhook(id), call),
      test: (id: string, call?: CallOptions) => one<api.Delivery>('POST', `${webhook(id)}/test`, {}, call),
      rotateSecret: (id: string, body: api.RotateWebhookSecret = {}, call?: CallOptions) =>
        one<api.NewWebhook>('POST', `${webhook(id)}/rotate_secret`, { body }, call),
      deliveries: (id: string, query: api.PageQuery = {}, call?: CallOptions) =>
        list<api.Delivery>(`${webhook(id)}/deliveries`, query, call),
      /** Sends one delivery again. */
      redeliver: (deliveryId: string, call?: CallOptions) =>
        one<api.Delivery>('POST', `/v1/deliveries/${part(deliveryId)}/redeliver`, {}, call),
      /** Queues deliveries that failed or were missed in a period. */
      redeliverSpan: (id: string, body: api.RedeliverEvents, call?: CallOptions) =>
        one<{ queued: number }>('POST', `${webhook(id)}/redeliver`, { body }, call),
    },

    events: {
      /** Oldest first. Store the `resume_cursor` of the last page, and pass it as `cursor` later to continue. */
      list: (query: api.PageQuery = {}, call?: CallOptions) =>
        list<api.Event, api.EventList>('/v1/events', query, call),
    },

    /** Loads any number of rows of a fact, in batches. */
    load: <K extends api.FactKind>(
      kind: K,
      rows: Iterable<api.FactInput<K>> | AsyncIterable<api.FactInput<K>>,
      loading?: LoadOptions,
    ) => load(options, kind, rows, loading),
    /** The same, but each row only contains the fields to change. */
    merge: <K extends api.FactKind>(
      kind: K,
      rows: Iterable<api.FactMerge<K>> | AsyncIterable<api.FactMerge<K>>,
      loading?: LoadOptions,
    ) => load(options, kind, rows, loading, true),
  };
}
