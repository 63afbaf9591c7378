/*
 * Every closed list and every number of the API, declared once. This file imports nothing, so the service, the client, the
 * command line and the console can all import it. The words next to a value are what people read instead of it, written for
 * use inside a sentence.
 */

export const signalTypeWords = { co_sell: 'co-sell', overlap: 'overlap', pre_intent: 'pre-intent' } as const;
export type SignalType = keyof typeof signalTypeWords;
export const signalTypes = keysOf(signalTypeWords);
export const signalTypeMeanings: Record<SignalType, string> = {
  co_sell: 'the partner is working on an open deal',
  overlap: 'you and the partner share the account',
  pre_intent: 'the partner is active on an account that has no deal yet',
};

export const signalStateWords = {
  new: 'new',
  in_progress: 'in progress',
  handled: 'handled',
  expired: 'expired',
} as const;
export type SignalState = keyof typeof signalStateWords;
export const signalStates = keysOf(signalStateWords);

/** Why a signal ended: a person, or the service. */
export const endReasonWords = {
  handled: 'handled',
  dismissed: 'dismissed',
  time: 'time is up',
  facts: 'the data no longer supports it',
} as const;
export type EndReason = keyof typeof endReasonWords;
export const endReasons = keysOf(endReasonWords);

/** Why a person dismisses a signal. */
export const dismissReasonWords = {
  not_relevant: 'not relevant',
  wrong_match: 'wrong match',
  too_late: 'too late',
  already_known: 'already known',
} as const;
export type DismissReason = keyof typeof dismissReasonWords;
export const dismissReasons = keysOf(dismissReasonWords);

/** The state to which a dismissed signal can be restored. A signal that the service itself ended is final. */
export const restoredState = 'new';

/** How many signals one request can change, or matches it can decide. */
export const batchLimit = 100;

/** The states that a client can set from each state, the most common first, with their labels. */
export const signalTransitions: Record<SignalState, { to: SignalState; label: string }[]> = {
  new: [
    { to: 'in_progress', label: 'Start' },
    { to: 'handled', label: 'Mark handled' },
    { to: 'expired', label: 'Dismiss' },
  ],
  in_progress: [
    { to: 'handled', label: 'Mark handled' },
    { to: 'new', label: 'Release' },
    { to: 'expired', label: 'Dismiss' },
  ],
  handled: [{ to: 'in_progress', label: 'Reopen' }],
  expired: [],
};

/** Sort orders of signals; the first is the default. */
export const signalSorts = ['fired_at', 'priority'] as const;

/** The parts of a signal's priority with their default weights. */
export const priorityPartTable = {
  value: { weight: 30, words: 'value of the deal' },
  stage: { weight: 10, words: 'stage of the deal' },
  expected_close: { weight: 15, words: 'expected close' },
  freshness: { weight: 10, words: 'freshness of the evidence' },
  strength: { weight: 15, words: 'strength of the evidence' },
  certainty: { weight: 5, words: 'certainty of the match' },
  partner_tier: { weight: 5, words: "partner's tier" },
  partner_record: { weight: 5, words: "partner's record" },
  time_left: { weight: 5, words: 'time left' },
} as const;
export type PriorityPart = keyof typeof priorityPartTable;
export const priorityParts = keysOf(priorityPartTable);
/** How many deals of the last year a partner must be credited for to score 100 for its record. */
export const creditsForFullScore = 5;

export const partnerTypeWords = {
  solution_provider: 'solution provider',
  technology_partner: 'technology partner',
  hyperscaler: 'hyperscaler',
  gsi: 'global systems integrator',
} as const;
export type PartnerType = keyof typeof partnerTypeWords;
export const partnerTypes = keysOf(partnerTypeWords);
/** Levels of a partner program, highest first. They are unrelated to the tiers of credit. */
export const partnerTiers = [1, 2, 3, 4] as const;

/** What evidence can prove, strongest first. */
export const tierWords = { sourced: 'sourced', co_sell: 'co-sell', influenced: 'influenced' } as const;
export type Tier = keyof typeof tierWords;
export const tiers = keysOf(tierWords);

/** How the value of a deal is credited to several partners. */
export const splitMethods = ['full', 'equal', 'tiers'] as const;

/** Activities of partners, with the tier of credit that each can prove. */
export const activityKindTable = {
  deal_registration: { tier: 'sourced', words: 'deal registration' },
  referral: { tier: 'sourced', words: 'referral' },
  introduction: { tier: 'sourced', words: 'introduction' },
  joint_meeting: { tier: 'co_sell', words: 'joint meeting' },
  exec_intro: { tier: 'co_sell', words: 'executive introduction' },
  proposal_support: { tier: 'co_sell', words: 'proposal support' },
  technical_validation: { tier: 'co_sell', words: 'technical validation' },
  co_sell_share: { tier: 'co_sell', words: 'co-sell share' },
  marketplace_offer: { tier: 'co_sell', words: 'marketplace offer' },
  content_touch: { tier: 'influenced', words: 'content touch' },
  event_attendance: { tier: 'influenced', words: 'event attendance' },
  integration_usage: { tier: 'influenced', words: 'integration usage' },
  marketplace_listing: { tier: 'influenced', words: 'marketplace listing' },
} as const satisfies Record<string, { tier: Tier; words: string }>;
export type ActivityKind = keyof typeof activityKindTable;
export const activityKinds = keysOf(activityKindTable);

/** The kinds that prove more than influence. */
export type CoSellKind = {
  [K in ActivityKind]: (typeof activityKindTable)[K]['tier'] extends 'influenced' ? never : K;
}[ActivityKind];

/** What two companies can have in common, strongest first: the first one that applies explains a match. */
export const matchKindTable = {
  confirmed: { confidence: 1, words: 'decision of a person' },
  registry_number: { confidence: 0.98, words: 'registry number' },
  domain: { confidence: 0.95, words: 'domain' },
  extra_domain: { confidence: 0.9, words: 'additional domain' },
  name: { confidence: 0.7, words: 'name' },
} as const;
export type MatchKind = keyof typeof matchKindTable;
export const matchKinds = keysOf(matchKindTable);

/** What a person can decide about an account and a partner account. */
export const matchDecisionWords = { same: 'the same company', different: 'different companies' } as const;
export type MatchDecision = keyof typeof matchDecisionWords;
export const matchDecisions = keysOf(matchDecisionWords);
export const matchDecisionStatusWords = {
  current: 'current',
  superseded: 'superseded',
  reverted: 'reverted',
} as const;
export const matchDecisionStatuses = keysOf(matchDecisionStatusWords);
/** Whether the key that opened a dispute can also accept or reject it. */
export const selfDecisions = ['never', 'always'] as const;
/** With fewer decisions, a share is not meaningful. */
export const leastDecisionsForShare = 50;
/** The most suggestions for an account and a partner. */
export const suggestionsOfPair = 3;

/** Each fact comes after those that it refers to. */
export const factKinds = [
  'partners',
  'accounts',
  'opportunities',
  'partner_accounts',
  'activities',
  'exchange_rates',
] as const;
export type FactKind = (typeof factKinds)[number];

/**
 * The days that the API accepts and returns; arithmetic is clamped to them. Outside of this range, JavaScript and PostgreSQL
 * write dates differently.
 */
export const dateRange = { first: '0001-01-01', last: '9999-12-31' } as const;

/** The longest external identifier. */
export const maxKeyLength = 255;

export const opportunityStatuses = ['open', 'won', 'lost'] as const;
export type OpportunityStatus = (typeof opportunityStatuses)[number];

/** Currencies whose minor unit is not a hundredth, by its decimal places (ISO 4217). */
const unusualPlaces: Record<number, string[]> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
  3: 'BHD IQD JOD KWD LYD OMR TND'.split(' '),
  4: ['CLF', 'UYW'],
};
export function currencyPlaces(currency: string | null): number {
  const [places = 2] =
    Object.entries(unusualPlaces).find(([, codes]) => codes.includes(currency ?? '')) ?? [];
  return Number(places);
}

export const relationshipWords = {
  customer: 'customer',
  open_opportunity: 'open opportunity',
  prospect: 'prospect',
} as const;
export type Relationship = keyof typeof relationshipWords;
export const relationships = keysOf(relationshipWords);

export const recordStatuses = ['active', 'reversed'] as const;
export type RecordStatus = (typeof recordStatuses)[number];

export const disputeStatuses = ['open', 'accepted', 'rejected', 'withdrawn'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];
/** The possible outcomes of an open dispute. */
export const resolutions = ['accepted', 'rejected', 'withdrawn'] as const satisfies DisputeStatus[];

/** The events of the feed; webhooks can subscribe to those that are marked. */
export const eventKindTable = {
  'signal.created': { of: 'signal', webhook: true, words: 'a signal fires' },
  'signal.updated': { of: 'signal', webhook: false, words: 'a signal changes' },
  'attribution.created': { of: 'attribution', webhook: true, words: 'a partner is credited' },
  'attribution.updated': { of: 'attribution', webhook: true, words: 'a credit changes' },
} as const;
export type EventKind = keyof typeof eventKindTable;
export const eventKinds = keysOf(eventKindTable);
export type WebhookEvent = {
  [K in EventKind]: (typeof eventKindTable)[K]['webhook'] extends true ? K : never;
}[EventKind];
export const webhookEvents = eventKinds.filter((kind): kind is WebhookEvent => eventKindTable[kind].webhook);

export const webhookStatuses = ['enabled', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
/** Which events of a period to send again. */
export const redeliverWords = {
  failed: 'deliveries that failed permanently',
  missed: 'deliveries that failed permanently, and events from a time when the webhook was disabled',
  all: 'every event, delivered or not',
} as const;
export type RedeliverOnly = keyof typeof redeliverWords;
export const redeliverChoices = keysOf(redeliverWords);

/** What the numbers of the settings can be. */
export const settingRanges = {
  days: { minimum: 1, maximum: 3650 },
  halfLife: { minimum: 0.1, maximum: 3650 },
  threshold: { minimum: 0.01, maximum: 100_000 },
  weight: { minimum: 0, maximum: 1000 },
} as const;

/** The longest texts that people write, in characters. */
export const textLimits = { search: 200, name: 200, email: 320, note: 2000, dispute: 5000 } as const;

/** How many seconds the old secret of a webhook stays valid after a rotation. */
export const secretOverlap = { default: 86_400, most: 30 * 86_400 } as const;

/** Seconds to wait after each failed attempt of a delivery before it is given up. */
export const retrySteps: readonly number[] = [5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 72_000];

/** For example "5 s, 30 s, 2 min, … and 20 h". */
export function retryScheduleInWords(): string {
  const words = retrySteps.map((seconds) =>
    seconds < 60 ? `${seconds} s` : seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`,
  );
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Each scope with everything that it grants. */
export const scopeGrants = {
  read: ['read'],
  write: ['read', 'write'],
  ingest: ['ingest'],
  admin: ['read', 'write', 'admin'],
} as const;
export type Scope = keyof typeof scopeGrants;
export const scopes = keysOf(scopeGrants);

export const planLimits = {
  standard: { requestsPerMinute: 60, requestsPerDay: 10_000, webhooks: 25 },
  enterprise: { requestsPerMinute: 300, requestsPerDay: 100_000, webhooks: 250 },
} as const;
export type Plan = keyof typeof planLimits;
export const plans = keysOf(planLimits);

/** Per address, for requests without a valid key. */
export const anonymousPerMinute = 60;

export const pageLimits = { default: 25, most: 100 } as const;
/** The most rows of a CSV export. */
export const exportRows = 100_000;
/**
 * PostgreSQL stops when it cannot write its WAL, which grows by 16 MB at a time. With less free disk space, the service with
 * the embedded database refuses writes, so that work in progress and the next checkpoint still have space.
 */
export const leastFreeBytes = 256 * 1_048_576;
export const bodyLimits = { bytes: 1_048_576, rowBytes: 16 * 1_048_576, rows: 10_000 } as const;

/** Every error code with its HTTP status. */
export const errorStatus = {
  invalid_request: 400,
  invalid_cursor: 400,
  unauthorized: 401,
  forbidden: 403,
  https_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  invalid_transition: 409,
  webhook_disabled: 409,
  dispute_already_open: 409,
  dispute_closed: 409,
  sourced_taken: 409,
  limit_reached: 409,
  idempotency_conflict: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;
export type ErrorCode = keyof typeof errorStatus;
export const errorCodes = keysOf(errorStatus);

/** What can be wrong with a field, in `details` of an error and in `errors` of an ingest response. */
export const detailCodes = [
  'required',
  'unknown',
  'invalid_type',
  'invalid_format',
  'invalid_value',
  'out_of_range',
  'too_short',
  'too_long',
  'duplicate',
  'malformed',
  'unknown_reference',
  'ambiguous',
  'mismatch',
  'invalid_cursor',
  'invalid_transition',
  'invalid',
] as const;
export type DetailCode = (typeof detailCodes)[number];

function keysOf<K extends string>(table: Record<K, unknown>): K[] {
  return Object.keys(table) as K[];
}
