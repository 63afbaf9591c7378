import fc from 'fast-check';
import {
  activityKinds,
  type FactKind,
  factKinds,
  matchDecisions,
  opportunityStatuses,
  partnerTiers,
  partnerTypes,
  priorityParts,
  relationships,
  resolutions,
  signalStates,
  splitMethods,
  tiers,
} from '../../src/vocabulary.ts';
import { daysAgo, type Facts } from '../facts.ts';
import {
  amount,
  country,
  currency,
  date,
  dayOrTimestamp,
  domain,
  email,
  nullable,
  owner,
  pastTimestamp,
  rate,
  registryNumber,
  text,
  timestamp,
} from './extreme-values.ts';

/*
 * Worlds of extreme but valid values: a row can be refused only because of its references. There are few keys, so that rows
 * affect each other; with some ordinary values, they also match, fire and earn credit.
 */
type Row = Record<string, unknown>;
export type Batch = {
  do: 'ingest';
  kind: FactKind;
  rows: Row[];
  merge: boolean;
  backfill: boolean;
  isStream: boolean;
};
type Step = Batch | { do: 'settings'; settings: unknown } | People;
/** What people do in the console. */
export type People = {
  do: 'people';
  state: string;
  assignee: unknown;
  tier: string;
  resolution: string;
  decision: string;
  note: string;
};
export type World = {
  /** Without the ordinary facts, so that references are unknown at first. */
  isEmpty: boolean;
  steps: Step[];
  /** For routes with a period. */
  period: { after: string; before: string };
  /** For routes with a search. */
  query: string;
  /** For simulations. */
  policy: unknown;
};

/** Three of each kind, the last as long as a key can be. */
const keysOf = (kind: string) => [`${kind}1`, `${kind} "2"\\, {null}`, `${kind}${'💥'.repeat(254)}`];
/** Sometimes an unknown one. */
const key = (kind: string) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...keysOf(kind)) }, { weight: 1, arbitrary: text(255) });

type Fields = Record<string, fc.Arbitrary<unknown>>;

const fields: Record<FactKind, { key: Fields; rest: Fields; optional: string[]; rare?: Fields }> = {
  partners: {
    key: { external_id: key('p') },
    rest: {
      name: text(500),
      type: fc.constantFrom(...partnerTypes),
      tier: fc.constantFrom(...partnerTiers),
      domain: nullable(domain),
    },
    optional: ['domain'],
  },
  accounts: {
    key: { crm_id: key('a') },
    rest: {
      name: fc.oneof(text(500), fc.constantFrom('Harbour Mills', 'Harbour Mills AS', 'Quarry')),
      domain: nullable(domain),
      extra_domains: nullable(fc.array(domain, { maxLength: 4 })),
      country: nullable(country),
      registry_number: nullable(registryNumber),
      owner: nullable(owner),
    },
    optional: ['domain', 'extra_domains', 'country', 'registry_number', 'owner'],
    rare: { merged_into: key('a') },
  },
  opportunities: {
    key: { crm_id: key('o') },
    rest: {
      account_crm_id: key('a'),
      name: text(500),
      value: amount,
      currency: nullable(currency),
      stage: text(100),
      status: fc.constantFrom(...opportunityStatuses, 'won'),
      opened_at: dayOrTimestamp,
      closed_date: nullable(date),
      owner: nullable(owner),
    },
    optional: ['currency', 'owner'],
  },
  partner_accounts: {
    key: { partner_external_id: key('p'), external_id: key('l') },
    rest: {
      name: fc.oneof(text(500), fc.constantFrom('Harbour Mills', 'Harbour Mills Ltd')),
      domain: nullable(domain),
      country: nullable(country),
      registry_number: nullable(registryNumber),
      relationship: fc.constantFrom(...relationships),
    },
    optional: ['domain', 'country', 'registry_number'],
  },
  activities: {
    key: { external_id: key('v') },
    rest: {
      partner_external_id: key('p'),
      account_crm_id: nullable(key('a')),
      domain: nullable(domain),
      kind: fc.constantFrom(...activityKinds),
      occurred_at: pastTimestamp,
      recorded_at: nullable(timestamp),
      summary: text(2_000),
      actor: nullable(text(200)),
      source: nullable(text(200)),
    },
    optional: ['domain', 'recorded_at', 'actor', 'source'],
    // Most deals are on other accounts.
    rare: { opportunity_crm_id: nullable(key('o')) },
  },
  exchange_rates: {
    key: { date, base: currency, quote: currency },
    rest: { rate },
    optional: [],
  },
};

function rowOf(kind: FactKind, merge: boolean): fc.Arbitrary<Row> {
  const { key, rest, optional, rare } = fields[kind];
  const keys = Object.keys(key);
  const needed = merge ? keys : [...keys, ...Object.keys(rest).filter((name) => !optional.includes(name))];
  const usual: Fields = { ...key, ...rest };
  const all: Fields = { ...usual, ...rare, source_updated_at: nullable(timestamp) };
  // A withdrawal may carry the rest of the record.
  const withdrawal: Fields = { ...all, deleted: fc.constant(true) };
  return fc.oneof(
    { weight: 12, arbitrary: fc.record(usual, { requiredKeys: needed }) },
    { weight: 4, arbitrary: fc.record(all, { requiredKeys: needed }) },
    { weight: 1, arbitrary: fc.record(withdrawal, { requiredKeys: [...keys, 'deleted'] }) },
  );
}

function batchOf(kind: FactKind, merge: boolean): fc.Arbitrary<Batch> {
  const row = rowOf(kind, merge);
  return fc.record({
    do: fc.constant('ingest' as const),
    kind: fc.constant(kind),
    rows: fc.oneof(
      { weight: 1, arbitrary: fc.tuple(row) },
      { weight: 4, arbitrary: fc.array(row, { minLength: 2, maxLength: 8, size: 'max' }) },
      { weight: 1, arbitrary: fc.array(row, { minLength: 20, maxLength: 60, size: 'max' }) },
    ),
    merge: fc.constant(merge),
    backfill: fc.boolean(),
    isStream: fc.boolean(),
  });
}

const days = fc.constantFrom(1, 14, 90, 3650);
const weight = fc.constantFrom(0, 5e-324, 0.1, 1, 3, 1000);
const weights = fc.record({ sourced: weight, co_sell: weight, influenced: weight });
const settings = fc.record({
  signals: fc.record({
    overlap: fc.record({ life_days: days, return_days: days }),
    co_sell: fc.record({ window_days: days, life_days: days }),
    pre_intent: fc.record({
      half_life_days: fc.constantFrom(0.1, 14, 3650),
      threshold: fc.constantFrom(0.01, 4, 100_000),
      weights,
      life_days: days,
    }),
    quiet_days: days,
  }),
  attribution: fc.record({
    sourced: fc.record({ lookback_days: days, lock_days: days }),
    influenced: fc.record({ window_days: days }),
    split: fc.record({ method: fc.constantFrom(...splitMethods), weights }),
  }),
  disputes: fc.constant({ self_decision: 'always' as const }),
  density: fc.record({ window_days: days }),
  reporting_currency: fc.option(currency),
  priority: fc.record({
    weights: fc.record(Object.fromEntries(priorityParts.map((part) => [part, weight]))),
  }),
  trust_source_recorded_at: fc.boolean(),
});

const people = fc.record({
  do: fc.constant('people' as const),
  state: fc.constantFrom(...signalStates),
  assignee: fc.option(fc.record({ name: text(200), email })),
  tier: fc.constantFrom(...tiers),
  resolution: fc.constantFrom(...resolutions),
  decision: fc.constantFrom(...matchDecisions),
  note: text(2_000),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  ...factKinds.flatMap((kind) =>
    [false, true].map((merge) => ({
      // Of deals and activities comes the most.
      weight: kind === 'opportunities' || kind === 'activities' ? 3 : 1,
      arbitrary: batchOf(kind, merge) as fc.Arbitrary<Step>,
    })),
  ),
  fc.record({ do: fc.constant('settings' as const), settings }),
  { weight: 2, arbitrary: people },
);

export const world: fc.Arbitrary<World> = fc.record({
  isEmpty: fc.integer({ min: 0, max: 4 }).map((n) => n === 4),
  steps: fc.array(step, { minLength: 1, maxLength: 20, size: 'max' }),
  period: fc.record({ after: dayOrTimestamp, before: dayOrTimestamp }),
  query: text(100).filter((some) => [...some].length > 1),
  policy: settings.map(({ attribution, signals }) => ({ attribution, pre_intent: signals.pre_intent })),
});

/** Usual facts on one account, of which signals and credit come. */
export const usualFacts: Facts = {
  partners: keysOf('p').map((external_id) => ({ external_id })),
  accounts: keysOf('a').map((crm_id, i) => ({
    ...{ crm_id, name: 'Harbour Mills', domain: `a${i + 1}.example`, country: 'NO' },
  })),
  opportunities: keysOf('o').map((crm_id, i) => ({
    ...{ crm_id, status: i === 0 ? 'open' : 'won', currency: 'EUR' },
  })),
  partner_accounts: keysOf('p').map((partner_external_id) => ({ partner_external_id })),
  activities: keysOf('p').flatMap((partner_external_id, i) =>
    (['referral', 'joint_meeting', 'content_touch'] as const).map((kind, j) => ({
      ...{ external_id: `v${i}${j}`, partner_external_id, kind, occurred_at: daysAgo(12 - 5 * j) },
    })),
  ),
  exchange_rates: [{}],
};
