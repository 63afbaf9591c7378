import fc from 'fast-check';
import { expect } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { suggestStep } from '../../src/domain/match-suggestions.ts';
import { rescoreStep } from '../../src/domain/priority.ts';
import { document, type Parameter, resolve } from '../api-document.ts';
import { loadFacts } from '../facts.ts';
import type { Answer, TestOrganization, TestService } from '../harness.ts';
import { connect, ways } from '../mcp/assistants.ts';
import { type Batch, type People, usualFacts, type World, world } from './extreme-worlds.ts';
import type { Result } from './requests.ts';

/** As many worlds as this, or as time allows. */
export async function tryWorlds(
  service: TestService,
  { worlds, seconds = Number.POSITIVE_INFINITY }: { worlds: number; seconds?: number },
): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  const property = fc.asyncProperty(world, async (one) => {
    if (performance.now() < end) await tryWorld(service, one);
  });
  await fc.assert(property, { numRuns: worlds });
}

const errorLevel = 50;

/** Loads a world into its own organization and reads all results. */
async function tryWorld(service: TestService, world: World): Promise<void> {
  service.logs.length = 0;
  const org = await service.organization();
  const orgId = org.orgId as OrganizationId;
  if (!world.isEmpty) await loadFacts(org, usualFacts);
  for (const step of world.steps) {
    if (step.do === 'ingest') await sendBatch(org, step);
    else if (step.do === 'people') await act(service, org, step);
    else ok(await service.operator('PUT', `/admin/v1/organizations/${orgId}/settings`, step.settings));
  }
  // Runs the background jobs.
  const now = new Date();
  await service.db.facts(orgId, (tx) => rescoreStep(tx, orgId, now));
  await service.db.write(orgId, (tx) => suggestStep(tx, orgId, now));
  const ids = await readEverything(org, world);
  await askEverything(service, org, ids, world);
  expect(service.logs.filter((line) => JSON.parse(line).level >= errorLevel)).toEqual([]);
}

/** Rows may be refused only for missing or unknown references, and for times in the future. */
const refusals = ['unknown_reference', 'mismatch', 'ambiguous', 'required', 'invalid_value', 'out_of_range'];

async function sendBatch(org: TestOrganization, batch: Batch): Promise<void> {
  const { kind, rows, merge, backfill, isStream } = batch;
  const path = `/ingest/v1/${kind}?merge=${merge}&backfill=${backfill}`;
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  const stream = { raw: lines, headers: { 'content-type': 'application/x-ndjson' } };
  const send = async () => {
    const result = ok(await org.call('POST', path, isStream ? stream : { body: rows })).body.data as Result;
    const { received, created, updated, unchanged, rejected, errors } = result;
    expect(received).toBe(rows.length);
    expect(created + updated + unchanged + rejected).toBe(received);
    expect(errors.filter(({ code }) => !refusals.includes(code))).toEqual([]);
    return result;
  };
  await send();
  // Sending a row again changes nothing.
  if (rows.length === 1) expect(await send()).toMatchObject({ created: 0, updated: 0 });
}

/** Some changes are not allowed. */
async function act(service: TestService, org: TestOrganization, people: People): Promise<void> {
  const { state, assignee, tier, resolution, decision, note } = people;
  const listed = async (path: string) => ok(await org.get(`${path}?limit=2`)).body.data;
  for (const { id } of await listed('/v1/signals'))
    for (const body of [{ state, note }, { assignee }])
      notBroken(await org.call('PATCH', `/v1/signals/${id}`, { body }));
  for (const { id } of await listed('/v1/attribution')) {
    const path = `/v1/attribution/${id}/disputes`;
    const opened = await org.call('POST', path, { body: { claimed_tier: tier, justification: note } });
    if (notBroken(opened).status !== 201) continue;
    const body = { status: resolution, note };
    notBroken(await org.call('PATCH', `${path}/${opened.body.data.id}`, { body }));
  }
  const orgId = org.orgId as OrganizationId;
  await service.db.write(orgId, (tx) => suggestStep(tx, orgId, new Date()));
  for (const { account, partner, partner_account } of await listed('/v1/match_suggestions')) {
    const pair = { account_id: account.id, partner_id: partner.id };
    const body = { ...pair, partner_account_external_id: partner_account.external_id, decision, note };
    const answer = await org.call('POST', '/v1/match_decisions', { body });
    expect(answer.status, answer.text).toBe(201);
  }
}

/**
 * Requests every GET of the OpenAPI document: with its filters, as CSV, page by page, and the details of the first item of
 * each list. Returns the IDs of those, by the path of their list.
 */
async function readEverything(
  org: TestOrganization,
  { period, query, policy }: World,
): Promise<Map<string, string[]>> {
  const [after, before, text] = [period.after, period.before, query].map(encodeURIComponent);
  const filters = {
    ...{
      closed_after: `closed_after=${after}&closed_before=${before}`,
      fired_before: `fired_before=${before}`,
    },
    ...{ q: `q=${text}`, owner: `owner=${text}`, assignee: `assignee=${text}` },
  };
  const ids = new Map<string, string[]>();
  const paths = Object.entries(document.paths)
    .filter(([path, { get }]) => path.startsWith('/v1/') && get && path !== '/v1/openapi.json')
    .sort(([a], [b]) => a.split('{').length - b.split('{').length);
  for (const [path, { get }] of paths) {
    const names = (get?.parameters ?? []).map((one) => resolve<Parameter>(one).name);
    const [list = '', rest] = path.split(/\/\{\w+\}/);
    const urls = rest === undefined ? [path] : (ids.get(list) ?? []).map((id) => `${list}/${id}${rest}`);
    for (const url of urls) {
      for (const [name, filter] of Object.entries(filters))
        if (names.includes(name)) ok(await org.get(`${url}?${filter}`));
      ok(await org.call('GET', url, { headers: { accept: 'text/csv' } }));
      const isList = names.includes('cursor');
      let answer = ok(await org.get(isList ? `${url}?limit=2` : url));
      if (isList && rest === undefined)
        ids.set(
          path,
          answer.body.data.map(({ id }: { id: string }) => id),
        );
      for (let page = 0; answer.body.next_cursor && page < 3; page++)
        answer = ok(await org.get(`${url}?limit=2&cursor=${answer.body.next_cursor}`));
    }
  }
  for (const span of [{}, { closed_after: period.after, closed_before: period.before }])
    ok(await org.call('POST', '/v1/attribution/simulate', { body: { policy, ...span } }));
  return ids;
}

/** The MCP tools that only read. */
async function askEverything(
  service: TestService,
  org: TestOrganization,
  ids: Map<string, string[]>,
  { period, query }: World,
): Promise<void> {
  const assistant = await connect(ways[0], service, org.key);
  const ask = async (name: string, args: Record<string, unknown>) => {
    const { isError, text } = await assistant.call(name, args);
    // A record can outlive its deal, which the tool then does not find.
    if (isError) expect(text, name).toContain('not_found');
  };
  const of = (path: string) => ids.get(path) ?? [];
  const span = { closed_after: period.after, closed_before: period.before };
  for (const signal_id of of('/v1/signals')) await ask('explain_signal', { signal_id });
  for (const account of of('/v1/accounts')) await ask('account_context', { account });
  for (const partner of of('/v1/partners')) await ask('partner_summary', { partner, ...span });
  for (const opportunity of of('/v1/opportunities'))
    await ask('find_partner_for_deal', { deal: opportunity });
  for (const record_id of of('/v1/attribution')) await ask('explain_credit', { record_id });
  await ask('list_signals', { state: 'any' });
  await ask('search', { query });
  await ask('simulate_policy', span);
  await assistant.close();
}

function ok(answer: Answer): Answer {
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

function notBroken(answer: Answer): Answer {
  expect(answer.status, answer.text).toBeLessThan(500);
  return answer;
}
