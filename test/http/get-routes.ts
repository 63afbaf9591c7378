import { fastify, type RouteOptions } from 'fastify';
import { defaultSettings } from '../../src/contract/settings.ts';
import { resources } from '../../src/http/app.ts';
import type { Context } from '../../src/http/context.ts';
import type { Router } from '../../src/http/router.ts';
import { document, type Parameter, resolve, schemaErrors } from '../api-document.ts';
import { daysAgo, loadFacts } from '../facts.ts';
import type { Answer, TestOrganization, TestService } from '../harness.ts';
import { lookForSuggestions } from '../matches/requests.ts';

/** A GET route that needs a key, from the OpenAPI document. */
export type GetRoute = {
  path: string;
  filters: Parameter[];
  hasPages: boolean;
  hasCsv: boolean;
  isCached: boolean;
};

/** As the route tables register them: `/v1/signals/:signal_id`. */
const registered: RouteOptions[] = [];
const app: Router = fastify();
app.addHook('onRoute', (route) => void registered.push(route));
for (const routes of resources) routes(app, {} as Context);

export const getRoutes: GetRoute[] = Object.entries(document.paths).flatMap(([path, { get }]) => {
  if (!get || get.security.length === 0 || !/^(\/admin)?\/v1\//.test(path)) return [];
  const query = (get.parameters ?? [])
    .map((parameter) => resolve<Parameter>(parameter))
    .filter((parameter) => parameter.in === 'query');
  const isPaging = ({ name }: Parameter) => name === 'limit' || name === 'cursor';
  const { content = {} } = resolve<{ content?: object }>(get.responses[200] ?? {});
  return {
    path,
    filters: query.filter((parameter) => !isPaging(parameter)),
    hasPages: query.some(isPaging),
    hasCsv: 'text/csv' in content,
    isCached: registered.some(
      ({ method, url, config }) =>
        method === 'GET' && url === path.replace(/\{(\w+)\}/g, ':$1') && config?.cached === true,
    ),
  };
});

/** By their names in paths and filters. */
export type Ids = Record<string, string>;

/** The path with these identifiers. */
export function pathOf({ path }: GetRoute, ids: Ids): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined)
      throw new Error(`GET ${path} needs a ${name}: let createFullOrganization in ${file} return one.`);
    return id;
  });
}

/** A value for a filter that matches data of `createFullOrganization`. */
export function filterValue({ path }: GetRoute, { name, schema }: Parameter, ids: Ids): string {
  const value = [filterValues[name] ?? ids[name] ?? []]
    .flat()
    .find((one) => schemaErrors(schema, one, 'request').length === 0);
  if (value === undefined)
    throw new Error(`GET ${path} has a filter ${name}: add a value for it to filterValues in ${file}.`);
  return String(value);
}

const file = 'test/http/get-routes.ts';

/** If two routes use a name differently, the one whose schema accepts the value gets it. */
const filterValues: Record<string, unknown> = {
  q: 'bi',
  type: ['co_sell', 'gsi'],
  state: 'new',
  end_reason: 'dismissed',
  owner: 'ada@brightwater.example',
  assignee: 'noor@brightwater.example',
  sort: 'priority',
  min_priority: 1,
  fired_after: daysAgo(7).slice(0, 10),
  fired_before: daysAgo(-7).slice(0, 10),
  tier: [2, 'sourced'],
  closed_after: daysAgo(30).slice(0, 10),
  closed_before: daysAgo(-2).slice(0, 10),
  status: 'won',
  min_score: 0.1,
  decision: 'different',
};

/** An organization with at least two items in every list, of which two match the filters where possible. */
export async function createFullOrganization(
  service: TestService,
): Promise<{ org: TestOrganization; ids: Ids }> {
  const org = await service.organization();
  const settings = { ...defaultSettings, reporting_currency: 'EUR' };
  await done(org.call('PUT', '/v1/settings', { body: settings, headers: { 'if-match': '*' } }));
  const owner = { name: 'Ada', email: 'ada@brightwater.example' };
  await loadFacts(org, {
    partners: [{ name: 'Birch Consulting' }, { name: 'Birch Systems' }],
    accounts: [{ name: 'Birch Foods', owner }, { name: 'Birchwood Mills' }, { name: 'Quarry Works' }],
    opportunities: [
      ...['o1', 'o2'].map((crm_id) => ({ crm_id, name: `Birch ${crm_id}`, currency: 'USD', owner })),
      ...['won1', 'won2'].map((crm_id) => ({
        crm_id,
        name: `Birch ${crm_id}`,
        currency: 'USD',
        status: 'won' as const,
        opened_at: daysAgo(5),
        owner,
      })),
    ],
    partner_accounts: [
      ...['a2', 'a3'].map((account) => ({ external_id: account, domain: `${account}.example` })),
      ...['Birch Foods Group', 'Birch Foods Europe', 'Northern Light', 'Elsewhere'].map((name) => ({
        external_id: name,
        name,
        domain: null,
      })),
    ],
    activities: [
      ...['o1', 'o2'].map((opportunity) => ({
        external_id: `met ${opportunity}`,
        opportunity_crm_id: opportunity,
      })),
      ...['p1', 'p2'].map((partner) => ({
        external_id: `referral by ${partner}`,
        partner_external_id: partner,
        kind: 'referral' as const,
        occurred_at: daysAgo(partner === 'p1' ? 8 : 7),
      })),
    ],
    exchange_rates: [{}],
  });
  const all = async (path: string): Promise<Answer['body'][]> => (await done(org.get(path))).body.data;
  const [partner] = await all('/v1/partners');
  const [account] = await all('/v1/accounts');
  const pair = { account_id: account.id, partner_id: partner.id };
  const decide = (listed: string) =>
    done(
      org.call('POST', '/v1/match_decisions', {
        body: { ...pair, partner_account_external_id: listed, decision: 'different' },
      }),
    );
  await decide('Northern Light');
  const decision = await decide('Elsewhere');
  await lookForSuggestions(service, org);
  const signals = await all('/v1/signals?type=co_sell');
  const assignee = { name: 'Noor', email: 'noor@brightwater.example' };
  const items = signals.map(({ id }) => ({ id, assignee }));
  await done(org.call('POST', '/v1/signals/batch', { body: { items } }));
  const register = () =>
    done(
      org.call('POST', '/v1/webhooks', {
        body: { url: 'https://localhost:4443/hooks', events: ['signal.created'] },
      }),
    );
  const [webhook, other] = [await register(), await register()].map(({ body }) => body.data.id);
  for (const id of [webhook, webhook, other]) await done(org.call('POST', `/v1/webhooks/${id}/test`));
  const [record] = await all(`/v1/attribution?partner_id=${partner.id}`);
  return {
    org,
    ids: {
      org_id: org.orgId,
      signal_id: signals[0].id,
      ...pair,
      opportunity_id: record.opportunity.id,
      record_id: record.id,
      decision_id: decision.body.data.id,
      webhook_id: webhook,
    },
  };
}

async function done(call: Promise<Answer>): Promise<Answer> {
  const answer = await call;
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}
