import { afterAll, beforeAll, expect, test } from 'vitest';
import { PartnerSchema, PartnerSummary } from '../../src/contract/partner.ts';
import { AccountSummary, OpportunitySummary } from '../../src/contract/signal.ts';
import { nullableText } from '../../src/contract/values/field.ts';
import type { TestOrganization, TestService } from '../harness.ts';

/*
 * Adds a field, a column of their tables, to what other resources show of an account, a partner and a deal, before the
 * service is loaded. The document of this service then requires it wherever the three appear, and every response is checked
 * against that. The file has its own process, so that no other test sees these schemas.
 */
const added = { account: 'country', partner: 'domain', opportunity: 'status' };
const paths: Record<string, Record<string, unknown>> = {};

let service: TestService;
let org: TestOrganization;
const ids: Record<string, string> = {};

beforeAll(async () => {
  const add = (schema: { properties: object; required?: string[] }, field: string) => {
    Object.assign(schema.properties, { [field]: nullableText('Added for this test.', 'text') });
    schema.required = [...(schema.required ?? []), field];
  };
  add(AccountSummary, added.account);
  add(OpportunitySummary, added.opportunity);
  // The second is derived from the first when it is loaded.
  for (const schema of [PartnerSummary, PartnerSchema]) add(schema, added.partner);
  const { startTestService } = await import('../harness.ts');
  const { document } = await import('../api-document.ts');
  const { trustingFetch } = await import('../client/trusting-fetch.ts');
  service = await startTestService();
  const served = await trustingFetch(service.ca)(`${service.url}/v1/openapi.json`);
  Object.assign(document, await served.json());
  Object.assign(paths, document.paths);
  for (const [name, field] of Object.entries(added)) {
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}Summary`;
    expect(document.components.schemas?.[title]).toMatchObject({
      required: expect.arrayContaining([field]),
    });
  }
  org = await service.organization();
  await fill();
});
afterAll(() => service.close());

/** Data for every list. */
async function fill(): Promise<void> {
  const { loadFacts } = await import('../facts.ts');
  const { decide, lookForSuggestions } = await import('../matches/requests.ts');
  const nowhere = { domain: null, country: 'GB' };
  await loadFacts(org, {
    partners: [{ domain: 'p.example' }, { domain: 'p.example' }],
    accounts: [{ country: 'NO' }, { ...nowhere, name: 'Costbrook' }, { ...nowhere, name: 'Quillmarsh' }],
    opportunities: [{}, { status: 'won' }],
    partner_accounts: [
      {},
      { ...nowhere, external_id: 'l2', name: 'Costbrook Wholesale' },
      { ...nowhere, external_id: 'l3', name: 'Quillmarsh Group' },
    ],
    activities: [{}, { opportunity_crm_id: 'o2' }, { opportunity_crm_id: 'o2', partner_external_id: 'p2' }],
  });
  await lookForSuggestions(service, org);
  ids.decision_id = (await decide(org, 'a3', 'l3', 'same')).id;
  const first = async (path: string) => (await org.get(path)).body.data[0];
  const signal = await first('/v1/signals?type=overlap&q=Account');
  ids.signal_id = signal.id;
  for (const name of Object.keys(added)) ids[`${name}_id`] = signal[name].id;
  ids.record_id = (await first('/v1/attribution')).id;
  const hook = { url: 'https://receiver.example/hook', events: ['signal.created'] };
  ids.webhook_id = (await org.call('POST', '/v1/webhooks', { body: hook })).body.data.id;
}

const headerOf = async (url: string) =>
  (await org.call('GET', url, { headers: { accept: 'text/csv' } })).text.split('\r\n')[0];

test('a field that is added to a summary is in every answer and every export', async () => {
  let shown = 0;
  for (const [path, operations] of Object.entries(paths)) {
    if (!path.startsWith('/v1/') || !operations.get || path === '/v1/openapi.json') continue;
    const url = path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? name);
    const answer = await org.get(url);
    expect(answer.status, `${url} answered ${answer.text}`).toBe(200);
    const [item] = [answer.body.data].flat();
    const names = Object.keys(added).filter((name) => item?.[name]) as (keyof typeof added)[];
    shown += names.length;
    const isList = answer.body.has_more !== undefined;
    for (const name of isList ? names : [])
      expect(await headerOf(url), url).toContain(`${name}.${added[name]}`);
  }
  // The organization has data of every kind.
  expect(shown).toBeGreaterThanOrEqual(23);
  for (const report of ['attribution/summary', 'partners/scorecard', 'signals/performance'])
    expect(await headerOf(`/v1/${report}`)).toContain(`partner.${added.partner}`);
});

test('what is answered to a change and to an assistant has it, too', async () => {
  const post = async (path: string, body: unknown) => {
    const answer = await org.call('POST', path, { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  };
  const { outcomes } = await post('/v1/signals/batch', { items: [{ id: ids.signal_id, note: 'Seen' }] });
  expect(outcomes[0].signal.account.country).toBe('NO');
  const { attribution, signals } = (await org.get('/v1/settings')).body.data.settings;
  const split = { ...attribution.split, method: 'equal' };
  const policy = { attribution: { ...attribution, split }, pre_intent: signals.pre_intent };
  const { changes } = await post('/v1/attribution/simulate', { policy });
  expect(changes).toHaveLength(2);
  for (const change of changes)
    expect(change).toMatchObject({ partner: { domain: 'p.example' }, opportunity: { status: 'won' } });

  const { connect, ways } = await import('../mcp/assistants.ts');
  const assistant = await connect(ways[0], service, org.key);
  // With their schemas: the client then checks every response against that of its tool.
  await assistant.toolNames();
  for (const [name, args] of Object.entries({
    account_context: { account: 'a1' },
    find_partner_for_deal: { deal: 'o1' },
    explain_credit: { deal: 'o2' },
    explain_signal: { signal_id: ids.signal_id },
    list_signals: {},
    partner_summary: { partner: 'p1' },
    search: { query: 'Account' },
  })) {
    const answer = await assistant.call(name, args);
    expect(answer.isError, `${name}: ${answer.text}`).toBe(false);
  }
  await assistant.close();
});
