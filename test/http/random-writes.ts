import { defaultSettings } from '../../src/contract/settings.ts';
import { between, pickOne, type Random } from '../../src/demo/random.ts';
import {
  activityKinds,
  dismissReasons,
  type FactKind,
  matchDecisions,
  opportunityStatuses,
  redeliverChoices,
  relationships,
  resolutions,
  restoredState,
  type SignalState,
  signalTransitions,
  splitMethods,
  tiers,
  webhookEvents,
  webhookStatuses,
} from '../../src/vocabulary.ts';
import { daysAgo } from '../facts.ts';
import type { Answer, TestOrganization, TestService } from '../harness.ts';

/** An organization, and what a write needs to choose an existing target. */
type Target = {
  org: TestOrganization;
  /** The process that gets the write. */
  service: TestService;
  random: Random;
  /** The last response of a list. */
  seen(path: string): Item[];
};

type Item = Answer['body'];
type Write = (target: Target) => Promise<Answer>;

/** Every operation of the API that writes, by its ID in the document, and the MCP tools that write. */
export const writes: Record<string, Write> = {
  ingestPartners: (target) => ingest(target, 'partners'),
  ingestAccounts: (target) => ingest(target, 'accounts'),
  ingestOpportunities: (target) => ingest(target, 'opportunities'),
  ingestPartnerAccounts: (target) => ingest(target, 'partner_accounts'),
  ingestActivities: (target) => ingest(target, 'activities'),
  ingestExchangeRates: (target) => ingest(target, 'exchange_rates'),
  changeSignal: (target) => {
    const { id, ...change } = signalChange(target);
    return call(target, 'PATCH', `/v1/signals/${id}`, change);
  },
  changeSignals: (target) => {
    const items = [signalChange(target), signalChange(target), signalChange(target)];
    return call(target, 'POST', '/v1/signals/batch', { items });
  },
  openDispute: (target) => {
    const { record_id, ...claim } = dispute(target);
    return call(target, 'POST', `/v1/attribution/${record_id}/disputes`, claim);
  },
  resolveDispute,
  decideMatch: (target) => call(target, 'POST', '/v1/match_decisions', decision(target)),
  decideMatches: (target) =>
    call(target, 'POST', '/v1/match_decisions/batch', { items: [decision(target), decision(target)] }),
  revertMatchDecision: (target) =>
    call(target, 'DELETE', `/v1/match_decisions/${idIn(target, '/v1/match_decisions')}`),
  replaceOwnSettings: (target) => call(target, 'PUT', '/v1/settings', settings(target), { 'if-match': '*' }),
  replaceSettings: (target) => operator(target, 'PUT', '/settings', settings(target)),
  createOrganization: ({ service }) =>
    service.operator('POST', '/admin/v1/organizations', { name: 'Another', plan: 'standard' }),
  changeOrganization: (target) => operator(target, 'PATCH', '', { name: someCompany(target.random) }),
  createApiKey: (target) => operator(target, 'POST', '/keys', { name: 'another', scopes: ['read'] }),
  revokeApiKey: async (target) => {
    const made = await operator(target, 'POST', '/keys', { name: 'short-lived', scopes: ['read'] });
    return operator(target, 'DELETE', `/keys/${made.body.data.id}`);
  },
  registerWebhook: (target) => call(target, 'POST', '/v1/webhooks', webhook(target)),
  changeWebhook: (target) =>
    ofWebhook(target, 'PATCH', '', { ...webhook(target), status: pickOne(target.random, webhookStatuses) }),
  deleteWebhook: (target) => ofWebhook(target, 'DELETE', ''),
  rotateWebhookSecret: (target) => ofWebhook(target, 'POST', '/rotate_secret', {}),
  testWebhook: (target) => ofWebhook(target, 'POST', '/test', {}),
  redeliverEvents: (target) => {
    const only = pickOne(target.random, redeliverChoices);
    return ofWebhook(target, 'POST', '/redeliver', { since: daysAgo(1), until: daysAgo(-1), only });
  },
  redeliverDelivery: async (target) => {
    const { body } = await ofWebhook(target, 'GET', '/deliveries');
    return call(target, 'POST', `/v1/deliveries/${body.data?.at(-1)?.id}/redeliver`, {});
  },
  simulateAttribution: (target) => {
    const { attribution, signals } = settings(target);
    const policy = { attribution, pre_intent: signals.pre_intent };
    return call(target, 'POST', '/v1/attribution/simulate', { policy });
  },
  update_signal: (target) => {
    const signal_id = idIn(target, '/v1/signals');
    return tool(target, 'update_signal', { signal_id, note: `Note ${between(target.random, 1, 99)}` });
  },
  open_dispute: (target) => tool(target, 'open_dispute', dispute(target)),
};

/** An ID from a list; if it is empty, one that does not exist. */
function idIn({ random, seen }: Target, path: string): string {
  return pickOne(random, seen(path))?.id ?? 'none';
}

function call(
  { org, service }: Target,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return service.call(method, path, { key: org.key, body, headers });
}

function operator({ org, service }: Target, method: string, path: string, body?: unknown): Promise<Answer> {
  return service.operator(method, `/admin/v1/organizations/${org.orgId}${path}`, body);
}

function ofWebhook(target: Target, method: string, path: string, body?: unknown): Promise<Answer> {
  return call(target, method, `/v1/webhooks/${idIn(target, '/v1/webhooks')}${path}`, body);
}

/** A refusal of a tool is a valid MCP result; here it becomes a 409. */
async function tool(target: Target, name: string, args: object): Promise<Answer> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const answer = await call(target, 'POST', '/mcp', body, { accept: 'application/json, text/event-stream' });
  return /"isError":true|"error":/.test(answer.text) ? { ...answer, status: 409 } : answer;
}

/** Opens a dispute first if none is open. */
async function resolveDispute(target: Target): Promise<Answer> {
  const { random, org, service, seen } = target;
  const disputed = seen('/v1/attribution').find(({ dispute_status }) => dispute_status === 'open');
  const { record_id, ...claim } = dispute(target);
  const path = `/v1/attribution/${disputed?.id ?? record_id}`;
  if (!disputed) await call(target, 'POST', `${path}/disputes`, claim);
  const last = (await call(target, 'GET', path)).body.data?.dispute_history.at(-1);
  // The key that opened a dispute may not decide it.
  const { key } = await org.second();
  const body = { status: pickOne(random, resolutions) };
  return service.call('PATCH', `${path}/disputes/${last?.id}`, { key, body });
}

/** Another possible state, including dismissal and restore; or another assignee, or only a note. */
function signalChange({ random, seen }: Target): Item {
  const { id = 'none', state = 'new' } = pickOne(random, seen('/v1/signals')) ?? {};
  const targets = signalTransitions[state as SignalState].map(({ to }) => to);
  const to = pickOne(random, targets.length > 0 ? targets : [restoredState]);
  const dismissal = to === 'expired' ? { dismiss_reason: pickOne(random, dismissReasons) } : {};
  return {
    id,
    note: `Note ${between(random, 1, 99)}`,
    ...(random() < 0.7 ? { state: to, ...dismissal } : {}),
    ...(random() < 0.5 ? { assignee: somebody(random) } : {}),
  };
}

function dispute({ random, seen }: Target) {
  const { id = 'none', tier = 'sourced' } = pickOne(random, seen('/v1/attribution')) ?? {};
  const claimed_tier = pickOne(
    random,
    tiers.filter((other) => other !== tier),
  );
  return { record_id: id, claimed_tier, justification: `Reason ${between(random, 1, 99)}` };
}

function decision(target: Target) {
  const { random } = target;
  return {
    account_id: idIn(target, '/v1/accounts'),
    partner_id: idIn(target, '/v1/partners'),
    partner_account_external_id: pickOne(random, listedKeys),
    decision: pickOne(random, matchDecisions),
  };
}

function settings({ random }: Target) {
  const { signals, attribution } = defaultSettings;
  return {
    ...defaultSettings,
    signals: { ...signals, quiet_days: between(random, 1, 30) },
    attribution: { ...attribution, split: { ...attribution.split, method: pickOne(random, splitMethods) } },
    density: { window_days: between(random, 1, 200) },
    reporting_currency: pickOne(random, ['EUR', 'USD', null]),
    priority: { weights: { ...defaultSettings.priority.weights, value: between(random, 0, 100) } },
  };
}

function webhook({ random }: Target) {
  return {
    url: `https://localhost:4443/${between(random, 1, 99)}`,
    events: [pickOne(random, webhookEvents)],
  };
}

const partnerKeys = ['p1', 'p2', 'p3'];
const accountKeys = ['a1', 'a2', 'a3', 'a4'];
const opportunityKeys = ['o1', 'o2', 'won1', 'won2', 'o3'];
const listedKeys = ['a2', 'a3', 'Birch Foods Group', 'Birch Foods Europe', 'Elsewhere', 'l1'];
const companies = ['Birch Foods', 'Birch Foods Group', 'Birchwood Mills', 'Quarry Works', 'Quarry Works Ltd'];

const someCompany = (random: Random) => pickOne(random, companies);
const somebody = (random: Random) => {
  const name = pickOne(random, ['Ada', 'Noor', 'Tomas']);
  return pickOne(random, [null, { name, email: `${name.toLowerCase()}@brightwater.example` }]);
};
const domain = (random: Random) => pickOne(random, [null, ...accountKeys.map((key) => `${key}.example`)]);

const keyFields: Record<FactKind, string[]> = {
  partners: ['external_id'],
  accounts: ['crm_id'],
  opportunities: ['crm_id'],
  partner_accounts: ['partner_external_id', 'external_id'],
  activities: ['external_id'],
  exchange_rates: ['date', 'base', 'quote'],
};

const rows: Record<FactKind, (random: Random) => Record<string, unknown>> = {
  partners: (random) => ({
    external_id: pickOne(random, partnerKeys),
    name: someCompany(random),
    type: pickOne(random, ['gsi', 'hyperscaler']),
    tier: between(random, 1, 3),
  }),
  accounts: (random) => ({
    crm_id: pickOne(random, accountKeys),
    name: someCompany(random),
    domain: domain(random),
    owner: somebody(random),
  }),
  opportunities: (random) => ({
    crm_id: pickOne(random, opportunityKeys),
    account_crm_id: pickOne(random, accountKeys),
    name: `Deal ${between(random, 1, 9)}`,
    value: between(random, 1, 9) * 1_000,
    currency: pickOne(random, ['EUR', 'USD', null]),
    stage: pickOne(random, ['proposal', 'contract']),
    status: pickOne(random, opportunityStatuses),
    opened_at: daysAgo(between(random, 5, 20)),
    closed_date: daysAgo(between(random, 0, 4)).slice(0, 10),
    owner: somebody(random),
  }),
  partner_accounts: (random) => ({
    partner_external_id: pickOne(random, partnerKeys),
    external_id: pickOne(random, listedKeys),
    name: someCompany(random),
    domain: domain(random),
    relationship: pickOne(random, relationships),
  }),
  activities: (random) => ({
    external_id: pickOne(random, ['met o1', 'met o2', 'referral by p1', 'm1', 'm2']),
    partner_external_id: pickOne(random, partnerKeys),
    account_crm_id: pickOne(random, accountKeys),
    kind: pickOne(random, activityKinds),
    occurred_at: daysAgo(between(random, 0, 30)),
    summary: `Summary ${between(random, 1, 99)}`,
  }),
  exchange_rates: (random) => ({
    date: daysAgo(between(random, 0, 1)).slice(0, 10),
    base: 'EUR',
    quote: 'USD',
    rate: between(random, 1, 99) / 50,
  }),
};

/** Whole rows, partial rows, withdrawals, a backfill, a stream, or merged accounts. */
async function ingest(target: Target, kind: FactKind): Promise<Answer> {
  const { random, org, service } = target;
  const form = pickOne(random, ['whole', 'merge', 'withdrawal', 'backfill', 'stream', 'merged']);
  const body = Array.from({ length: between(random, 1, 3) }, () => {
    const row = rows[kind](random);
    const fieldsWhere = (isSent: (field: string) => boolean) =>
      Object.fromEntries(
        Object.entries(row).filter(([field]) => keyFields[kind].includes(field) || isSent(field)),
      );
    if (form === 'merge') return fieldsWhere(() => random() < 0.4);
    if (form === 'withdrawal') return { ...fieldsWhere(() => false), deleted: true };
    if (form === 'merged' && kind === 'accounts')
      return { ...row, merged_into: pickOne(random, accountKeys) };
    return row;
  });
  const path = `/ingest/v1/${kind}${form === 'merge' || form === 'backfill' ? `?${form}=true` : ''}`;
  if (form !== 'stream') return call(target, 'POST', path, body);
  return service.call('POST', path, {
    key: org.key,
    raw: body.map((row) => `${JSON.stringify(row)}\n`).join(''),
    headers: { 'content-type': 'application/x-ndjson' },
  });
}
