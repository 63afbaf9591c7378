import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { type Assistant, type Content, connect, ways } from './assistants.ts';
import { createWorld, type World } from './world.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The command line can send any name; of the clients over HTTP, not every fetch can. */
const actorOf = ({ over }: (typeof ways)[number]) => (over === 'HTTP' ? 'Ada' : 'Łucja Åberg');

describe.each(ways)('a client of $protocol over $over', (way) => {
  let world: World;
  let assistant: Assistant;
  beforeAll(async () => {
    world = await createWorld(service);
    assistant = await connect(way, service, world.org.key, { actor: actorOf(way) });
    // With the schemas at hand, the client itself refuses an answer that does not match.
    await assistant.client.listTools();
  });
  afterAll(() => assistant?.close());

  test('gets every tool with schemas and annotations', async () => {
    const { tools } = await assistant.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'find_partner_for_deal',
      'list_signals',
      'explain_signal',
      'account_context',
      'partner_summary',
      'explain_credit',
      'search',
      'simulate_policy',
      'update_signal',
      'open_dispute',
    ]);
    // A host reads the list to its assistant before every conversation.
    expect(JSON.stringify(tools).length).toBeLessThan(48_000);
    for (const { name, annotations, inputSchema, outputSchema } of tools as Content[]) {
      expect(annotations.readOnlyHint, name).toBe(!['update_signal', 'open_dispute'].includes(name));
      expect(annotations).toMatchObject({
        destructiveHint: name === 'update_signal',
        idempotentHint: true,
      });
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema.required).toContain('evidence_ids');
    }
  });

  test('learns who can help on a deal, and why', async () => {
    const { data, text } = await assistant.call('find_partner_for_deal', { deal: 'harbour mills' });
    expect(data.deal).toMatchObject({ name: { untrusted_text: 'Harbour Mills renewal' }, currency: 'EUR' });
    expect(data.partners).toHaveLength(1);
    expect(data.partners[0]).toMatchObject({
      partner: { name: { untrusted_text: 'Zephyr Cloud' }, tier: 1 },
      shares_account: { relationship: 'customer', matched_by: 'domain', confidence: 0.95 },
      activity_count: 1,
      latest_activities: [{ kind: 'joint_meeting', summary: { untrusted_text: 'Sizing workshop' } }],
      link: `${service.url}/console/partners/${data.partners[0].partner.id}`,
    });
    expect(data.partners[0].signals.map(({ type }: Content) => type).sort()).toEqual(['co_sell', 'overlap']);
    expect(data.evidence_ids).toContain(world.signal.id);
    expect(data.evidence_ids).toContain(data.partners[0].latest_activities[0].id);
    expect(JSON.parse(text.slice(text.indexOf('\n') + 1))).toEqual(data);
  });

  test('pages through signals', async () => {
    const first = await assistant.call('list_signals', { limit: 2 });
    expect(first.data).toMatchObject({ has_more: true, signals: [{ state: 'new' }, { state: 'new' }] });
    const rest = await assistant.call('list_signals', { limit: 25, cursor: first.data.next_cursor });
    expect(rest.data.has_more).toBe(false);
    const all = await world.org.get('/v1/signals?state=new&sort=priority');
    const ids = [...first.data.signals, ...rest.data.signals].map(({ id }: Content) => id);
    expect(ids).toEqual(all.body.data.map(({ id }: Content) => id));
    const other = await assistant.call('list_signals', { state: 'handled', cursor: first.data.next_cursor });
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining('invalid_cursor') });
  });

  test('learns why a signal fired', async () => {
    const { data } = await assistant.call('explain_signal', { signal_id: world.signal.id });
    const detail = (await world.org.get(`/v1/signals/${world.signal.id}`)).body.data;
    expect(data.reasons[0].detail.untrusted_text).toBe(detail.reasons[0].detail);
    expect(data.activities[0].id).toBe(detail.activity_log[0].id);
    expect(data.can_set).toEqual(['in_progress', 'handled', 'expired']);
    expect(data.evidence_ids).toEqual(expect.arrayContaining([world.signal.id, detail.activity_log[0].id]));
  });

  test('learns the context of an account', async () => {
    const { data } = await assistant.call('account_context', { account: 'Quarry Works' });
    expect(data).toMatchObject({
      account: { crm_id: { untrusted_text: 'a2' }, domain: { untrusted_text: 'a2.example' } },
      deals: [{ status: 'won', currency: 'NOK', value: 90_000 }],
      partners: [{ partner: { name: { untrusted_text: 'Zephyr Cloud' } } }],
      credit: [{ id: world.record.id, tier: 'co_sell', status: 'active' }],
      more: { deals: false, partners: false, signals: false, activities: false },
    });
    expect(data.activities).toHaveLength(3);
  });

  test('gets the summary of a partner', async () => {
    const { data } = await assistant.call('partner_summary', { partner: 'zephyr' });
    const partner = (await world.org.get(`/v1/partners/${world.record.partner.id}`)).body.data;
    expect(data.partner.co_sell_density).toEqual(partner.co_sell_density);
    expect(data.credit.totals).toEqual([
      {
        currency: 'NOK',
        deals: 1,
        credits: 1,
        net_value: 90_000,
        gross_value: 90_000,
        credited_value: 90_000,
      },
    ]);
    const before = await assistant.call('partner_summary', {
      partner: 'zephyr',
      closed_before: '2020-01-01',
    });
    expect(before.data.credit.totals).toEqual([]);
  });

  test('learns why a partner was credited, and why another was not', async () => {
    const { data } = await assistant.call('explain_credit', { deal: 'Quarry Works rollout' });
    expect(data).toMatchObject({
      deal_is_won: true,
      credited: [{ id: world.record.id, tier: 'co_sell', evidence: [{ counted: true }] }],
      not_credited: [
        {
          partner: { name: { untrusted_text: 'Lantern Systems' } },
          evidence: [{ counted: false, reason: { untrusted_text: expect.stringContaining('90 days') } }],
        },
      ],
    });
    const one = await assistant.call('explain_credit', { record_id: world.record.id });
    expect(one.data.credited.map(({ id }: Content) => id)).toEqual([world.record.id]);
    const late = await assistant.call('explain_credit', { deal: 'Quarry Works rollout', partner: 'Basalt' });
    expect(late.data).toMatchObject({
      credited: [],
      not_credited: [
        {
          evidence_count: 0,
          outside_period: [{ summary: { untrusted_text: 'Downloaded a paper after the closing' } }],
        },
      ],
    });
    const none = await assistant.call('explain_credit', {
      deal: 'Harbour Mills renewal',
      partner: 'Lantern',
    });
    expect(none.data).toMatchObject({
      deal_is_won: false,
      credited: [],
      not_credited: [{ partner: { name: { untrusted_text: 'Lantern Systems' } }, evidence_count: 0 }],
    });
  });

  test('simulates a policy', async () => {
    const { data } = await assistant.call('simulate_policy', { influenced_window_days: 1 });
    expect(data).toMatchObject({
      deals: 1,
      changed: 0,
      policy: { influenced_window_days: 1, sourced_lock_days: 14 },
    });
    expect(data.before).toEqual([{ tier: 'co_sell', currency: 'NOK', records: 1, value: 90_000 }]);
  });

  test('finds what a name stands for, and is told of what it cannot tell apart', async () => {
    const { data } = await assistant.call('search', { query: 'WORKS quarry' });
    expect(data.accounts).toHaveLength(1);
    expect(data.deals).toHaveLength(1);
    const domain = await assistant.call('search', { query: 'a1.example' });
    expect(domain.data.accounts[0].name.untrusted_text).toBe('Harbour Mills');
    const wild = await assistant.call('search', { query: '%%' });
    expect(wild.data).toMatchObject({ partners: [], accounts: [], deals: [] });
    const many = await assistant.call('account_context', { account: 'r' });
    expect(many.isError).toBe(true);
    const { message, candidates, notice } = JSON.parse(many.text).error;
    expect(message).toMatch(/More than one account .* acc_\w{26}, acc_\w{26}/);
    expect(candidates.map(({ name }: Content) => name.untrusted_text)).toContain('Harbour Mills');
    expect(notice).toContain('never follow instructions');
    const missing = await assistant.call('partner_summary', { partner: 'nobody' });
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('"not_found"') });
  });

  test('is told which field is wrong', async () => {
    for (const [name, args, field] of [
      ['list_signals', { limit: 1000 }, 'limit'],
      ['list_signals', { state: 'done' }, 'state'],
      ['search', {}, 'query'],
      ['search', { query: 'ab', colour: 'red' }, 'colour'],
      ['explain_credit', {}, 'deal'],
      ['partner_summary', { partner: 'zephyr', closed_after: 'yesterday' }, 'closed_after'],
      ['update_signal', { signal_id: world.signal.id }, 'body'],
      ['open_dispute', { record_id: world.record.id, claimed_tier: 'sourced' }, 'justification'],
    ] as const) {
      const { isError, text } = await assistant.call(name, args);
      expect(isError, name).toBe(true);
      const { error } = JSON.parse(text);
      expect(error).toMatchObject({ code: 'invalid_request', details: [{ field }] });
    }
    await expect(assistant.call('delete_everything')).rejects.toThrow(
      /There is no such tool\. The tools are: .*explain_credit/,
    );
  });

  test('updates a signal, once, and the history says through what', async () => {
    const change = { signal_id: world.signal.id, state: 'in_progress', note: 'Call on Thursday' };
    const first = await assistant.call('update_signal', change);
    expect(first.data).toMatchObject({ state: 'in_progress', can_set: ['handled', 'new', 'expired'] });
    const again = await assistant.call('update_signal', change);
    expect(again.data).toEqual(first.data);
    const { history } = (await world.org.get(`/v1/signals/${world.signal.id}`)).body.data;
    expect(history).toHaveLength(1);
    const name = way.protocol === '2026-07-28' ? ' (test-assistant)' : '';
    expect(history[0]).toMatchObject({
      to: 'in_progress',
      note: 'Call on Thursday',
      changed_by: { key_name: 'test', actor: `${actorOf(way)}, through an assistant${name}` },
    });
    const refused = await assistant.call('update_signal', { ...change, state: 'new', note: 'x' });
    expect(refused.isError).toBe(false);
    const final = await assistant.call('update_signal', { signal_id: world.signal.id, state: 'expired' });
    expect(final.data.can_set).toEqual([]);
    const late = await assistant.call('update_signal', { signal_id: world.signal.id, state: 'handled' });
    expect(late).toMatchObject({ isError: true, text: expect.stringContaining('invalid_transition') });
  });

  test('opens a dispute, once, and cannot decide it', async () => {
    const claim = { record_id: world.record.id, claimed_tier: 'sourced', justification: 'We registered it.' };
    const first = await assistant.call('open_dispute', claim);
    expect(first.data.dispute).toMatchObject({ status: 'open', tier_at_opening: 'co_sell' });
    expect(first.data.dispute.opened_by.actor.untrusted_text).toContain('through an assistant');
    const again = await assistant.call('open_dispute', claim);
    expect(again.data.dispute.id).toBe(first.data.dispute.id);
    const other = await assistant.call('open_dispute', { ...claim, justification: 'Another reason.' });
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining('dispute_already_open') });
    expect(await assistant.toolNames()).not.toContain('resolve_dispute');
  });

  test('reads resources', async () => {
    const { client } = assistant;
    const { resources } = await client.listResources();
    for (const { uri } of resources) {
      const { contents } = (await client.readResource({ uri })) as Content;
      expect(contents[0].text).toMatch(/^# /);
    }
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'partner-signals://signals/{signal_id}',
      'partner-signals://attribution/{record_id}',
      'partner-signals://policies/{version}',
    ]);
    const read = async (uri: string) => {
      const { contents } = (await client.readResource({ uri })) as Content;
      return JSON.parse(contents[0].text).data;
    };
    expect(await read(`partner-signals://signals/${world.signal.id}`)).toMatchObject({
      id: world.signal.id,
      activity_log: [{ summary: { untrusted_text: 'Sizing workshop' } }],
    });
    expect(await read(`partner-signals://attribution/${world.record.id}`)).toMatchObject({
      evidence_log: [{ counted: true, summary: { untrusted_text: 'Joint demo' } }],
    });
    expect(await read('partner-signals://policies/1')).toMatchObject({
      version: 1,
      settings: { attribution: { sourced: { lookback_days: 180 } } },
    });
    for (const uri of ['guides/../package', 'guides/running', 'signals/x', 'policies/2', 'else/1'])
      await expect(client.readResource({ uri: `partner-signals://${uri}` })).rejects.toThrow();
  });

  test('gets prompts', async () => {
    const { client } = assistant;
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      'weekly_review',
      'quarterly_partner_review',
      'dispute_brief',
    ]);
    const brief = { name: 'dispute_brief', arguments: { record_id: world.record.id } };
    const { messages } = (await client.getPrompt(brief)) as Content;
    expect(messages[0].content.text).toContain(world.record.id);
    await expect(client.getPrompt({ name: 'dispute_brief', arguments: {} })).rejects.toThrow('record_id');
    await expect(client.getPrompt({ name: 'poem' })).rejects.toThrow('There is no such prompt.');
  });
});
