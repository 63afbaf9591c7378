import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, type OrganizationId } from '../../src/contract/ids.ts';
import { lockOrganizationFacts } from '../../src/store/keys/organizations.ts';
import { awayFromMinuteEnd } from '../facts.ts';
import { startTestService, type TestService } from '../harness.ts';
import { type Assistant, type Content, connect, ways } from './assistants.ts';
import { createWorld, type World } from './world.ts';

const [modern, legacy] = ways;
const call = (method: string, params = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const accept = { accept: 'application/json, text/event-stream' };

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startTestService();
  world = await createWorld(service);
});
afterAll(() => service.close());

/** Calls that succeed for a key with the required scope. */
const calls = (): Record<string, { needs: 'read' | 'write' | 'admin'; args: Record<string, unknown> }> => ({
  find_partner_for_deal: { needs: 'read', args: { deal: 'Harbour Mills renewal' } },
  list_signals: { needs: 'read', args: {} },
  explain_signal: { needs: 'read', args: { signal_id: world.signal.id } },
  account_context: { needs: 'read', args: { account: 'Harbour Mills' } },
  partner_summary: { needs: 'read', args: { partner: 'Zephyr Cloud' } },
  explain_credit: { needs: 'read', args: { record_id: world.record.id } },
  search: { needs: 'read', args: { query: 'Zephyr' } },
  simulate_policy: { needs: 'admin', args: {} },
  update_signal: { needs: 'write', args: { signal_id: world.signal.id, state: 'in_progress' } },
  open_dispute: {
    needs: 'write',
    args: { record_id: world.record.id, claimed_tier: 'sourced', justification: 'Registered.' },
  },
});

const granted = { read: ['read'], write: ['read', 'write'], admin: ['read', 'write', 'admin'] };

describe.each(['read', 'write', 'admin'] as const)('a key with the scope %s', (scope) => {
  test.each([modern, legacy])('can use exactly the tools that are listed for it ($protocol)', async (way) => {
    const assistant = await connect(way, service, await world.keyWith([scope]));
    const usable: string[] = [];
    for (const [name, { needs, args }] of Object.entries(calls())) {
      const { isError, text } = await assistant.call(name, args);
      // The dispute may already be open when another key calls.
      if (!isError || text.includes('dispute_already_open')) usable.push(name);
      else
        expect(JSON.parse(text).error).toMatchObject({
          code: 'forbidden',
          message: `${name} requires the scope "${needs}"; your key has: ${scope}.`,
        });
      expect(usable.includes(name), name).toBe(granted[scope].includes(needs));
    }
    expect(await assistant.toolNames()).toEqual(usable);
    // As GET /v1/settings/versions, which every key may read.
    const { resourceTemplates } = await assistant.client.listResourceTemplates();
    expect(resourceTemplates.some(({ name }) => name === 'settings_version')).toBe(true);
    await assistant.client.readResource({ uri: 'partner-signals://policies/1' });
    await assistant.close();
  });
});

test('a key without the scope read, a wrong one and none are refused as everywhere', async () => {
  const ingest = await world.keyWith(['ingest']);
  const body = call('tools/list');
  const answers = [];
  for (const key of [ingest, 'psk_wrong', undefined])
    answers.push(await service.call('POST', '/mcp', { key, body, headers: accept }));
  expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
    [403, 'forbidden'],
    [401, 'unauthorized'],
    [401, 'unauthorized'],
  ]);
});

test('what another organization has does not exist', async () => {
  const other = await service.organization();
  const assistant = await connect(modern, service, other.key);
  const { opportunity, partner, account } = world.signal;
  const asks: [string, Record<string, unknown>][] = [
    ['find_partner_for_deal', { deal: opportunity.id }],
    ['find_partner_for_deal', { deal: opportunity.name }],
    ['list_signals', { partner: partner.id }],
    ['list_signals', { account: account.id }],
    ['explain_signal', { signal_id: world.signal.id }],
    ['account_context', { account: account.id }],
    ['account_context', { account: account.name }],
    ['partner_summary', { partner: partner.id }],
    ['partner_summary', { partner: partner.name }],
    ['explain_credit', { deal: world.record.opportunity.id }],
    ['explain_credit', { record_id: world.record.id }],
    ['update_signal', { signal_id: world.signal.id, state: 'handled' }],
    ['open_dispute', { record_id: world.record.id, claimed_tier: 'influenced', justification: 'x' }],
  ];
  for (const [name, args] of asks) {
    const { isError, text } = await assistant.call(name, args);
    expect([name, isError, JSON.parse(text).error.code]).toEqual([name, true, 'not_found']);
    // An unknown identifier gets the same error.
    const unknown = Object.fromEntries(
      Object.entries(args).map(([field, value]) => [
        field,
        /^(sig|prt|acc|opp|atr)_/.test(String(value)) ? newId(String(value).slice(0, 3) as 'sig') : value,
      ]),
    );
    const ids = /\b(sig|prt|acc|opp|atr)_\w{26}/g;
    expect((await assistant.call(name, unknown)).text.replace(ids, '')).toBe(text.replace(ids, ''));
  }
  const { data } = await assistant.call('search', { query: 'Harbour' });
  expect(data).toMatchObject({ partners: [], accounts: [], deals: [] });
  expect((await assistant.call('simulate_policy')).data).toMatchObject({ deals: 0, changes: [] });
  for (const uri of [`signals/${world.signal.id}`, `attribution/${world.record.id}`])
    await expect(assistant.client.readResource({ uri: `partner-signals://${uri}` })).rejects.toThrow();
  await assistant.close();
});

test('each request counts, and over the limit nothing is answered', async () => {
  await awayFromMinuteEnd();
  const { org } = await createWorld(service, 'standard');
  const body = call('tools/list');
  const first = await org.call('POST', '/mcp', { body, headers: accept });
  const second = await org.call('POST', '/mcp', { body, headers: accept });
  const left = ({ headers }: typeof first) => Number(headers['x-ratelimit-remaining']);
  expect(left(first) - left(second)).toBe(1);
  const assistant = await connect(legacy, service, org.key);
  const answers = await Promise.allSettled(Array.from({ length: 60 }, () => assistant.call('list_signals')));
  const refused = answers.filter((answer) => answer.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  expect(String(refused[0]?.reason)).toContain('Too many requests');
  const relayed = await connect(ways[3], service, org.key).catch((error: Error) => error);
  expect(String(relayed)).toContain('Too many requests. Try again in');
  await assistant.close();
});

test('several messages in one request are refused: each would have to count', async () => {
  const { status, body } = await world.org.call('POST', '/mcp', {
    body: [call('ping'), call('ping')],
    headers: accept,
  });
  const message = 'Send one message per request: batches are not supported.';
  expect([status, body]).toEqual([400, { jsonrpc: '2.0', id: null, error: { code: -32600, message } }]);
});

test('a message that cannot be read gets an error of JSON-RPC', async () => {
  const malformed = await world.org.call('POST', '/mcp', { raw: '{"jsonrpc": ', headers: accept });
  expect([malformed.status, malformed.body]).toEqual([
    400,
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.stringContaining('not valid JSON') } },
  ]);
  const unstorable = call('tools/call', { name: 'search', arguments: { query: 'a\0' } });
  const invalid = await world.org.call('POST', '/mcp', { body: unstorable, headers: accept });
  expect([invalid.status, invalid.body.id, invalid.body.error.code]).toEqual([400, unstorable.id, -32600]);
});

test('a page of another website is refused, one of the service itself is not', async () => {
  const own = new URL(service.url);
  for (const [origin, status] of [
    ['https://evil.example', 403],
    ['null', 403],
    [`https://${own.hostname}:1`, 403],
    [own.origin, 200],
  ] as const) {
    const headers = { ...accept, origin };
    const answer = await world.org.call('POST', '/mcp', { body: call('tools/list'), headers });
    expect([origin, answer.status]).toEqual([origin, status]);
  }
  // DNS rebinding: a name of the page's own that resolves to this machine.
  expect(await statusFor({ host: 'evil.example' })).toBe(200);
  expect(await statusFor({ host: 'evil.example', origin: 'https://evil.example' })).toBe(403);
});

test('whatever is sent, it is refused and no more', async () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const nested = JSON.parse('['.repeat(40) + ']'.repeat(40));
  const newer = { ...accept, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' };
  const bodies = [
    ...[null, 5, 'text', true, {}, { jsonrpc: '1.0', id: 1, method: 'ping' }, { method: 7 }],
    ...[
      { jsonrpc: '2.0', id: {}, method: 'ping' },
      { jsonrpc: '2.0', id: 1, method: 'x'.repeat(9000) },
    ],
    ...[call('tools/call'), call('tools/call', { name: 7 }), call('tools/call', { name: '__proto__' })],
    ...[
      call('tools/call', { name: 'search', arguments: [] }),
      call('tools/call', { name: 'search', arguments: nested }),
    ],
    ...[call('tools/call', { _meta: meta }), call('tools/call', { _meta: { ...meta, x: nested } })],
    ...[call('subscriptions/listen', { _meta: meta }), call('prompts/get', { name: 'constructor' })],
    ...[
      call('resources/read', { uri: 'partner-signals://constructor/x' }),
      call('resources/read', { uri: 7 }),
    ],
    ...[call('initialize', { protocolVersion: 7 }), { jsonrpc: '2.0', id: 1, result: {} }],
  ];
  for (const body of bodies)
    for (const headers of [accept, newer, {}]) {
      const answer = await world.org.call('POST', '/mcp', { body, headers, isJunk: true }).catch(String);
      const status = typeof answer === 'string' ? Number(/answered (\d+)/.exec(answer)?.[1]) : answer.status;
      expect(status, JSON.stringify(body)).toBeLessThan(500);
      expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(200);
    }
  for (const host of ['a b', 'x/y', '[', '%', 'evil.example:99999'])
    expect([host, await statusFor({ host })]).toEqual([host, 400]);
});

/** With headers that no client sends on its own. */
async function statusFor(headers: Record<string, string>): Promise<number | undefined> {
  const { key } = world.org;
  const sent = request(`${service.url}/mcp`, {
    method: 'POST',
    ca: service.ca,
    servername: 'localhost',
    headers: { ...accept, authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  });
  sent.end(JSON.stringify(call('tools/list')));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test('only POST is served: there is nothing to listen to', async () => {
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await world.org.call(method, '/mcp', { headers: accept });
    expect([method, status, headers.allow]).toEqual([method, 405, 'POST']);
  }
});

describe('a change that the client can ask a person about', () => {
  const asked: string[] = [];
  const connected = (answer: 'accept' | 'decline'): Promise<Assistant> =>
    connect(modern, service, world.org.key, {
      confirm: (message) => {
        asked.push(message);
        return answer;
      },
    });

  test('is shown first, and made when they accept', async () => {
    const { org, signal } = await createWorld(service);
    const assistant = await connect(modern, service, org.key, {
      confirm: (message) => {
        asked.push(message);
        return 'accept';
      },
    });
    const args = { signal_id: signal.id, state: 'handled', note: 'Met\nthem' };
    const { data } = await assistant.call('update_signal', args);
    expect(data.state).toBe('handled');
    expect(asked.splice(0)).toEqual([
      'Change the co-sell signal of “Zephyr Cloud” on “Harbour Mills”?\nState: new → handled.\nNote: “Met them”.',
    ]);
    await assistant.close();
  });

  test('is not made when they decline', async () => {
    const assistant = await connected('decline');
    const before = (await world.org.get(`/v1/signals/${world.signal.id}`)).body.data;
    for (const [name, args] of [
      ['update_signal', { signal_id: world.signal.id, note: 'Never' }],
      ['open_dispute', { record_id: world.record.id, claimed_tier: 'influenced', justification: 'No.' }],
    ] as const) {
      const { isError, text } = await assistant.call(name, args);
      expect([isError, text]).toEqual([true, 'Nothing was changed: the person declined.']);
    }
    expect(asked.splice(0)[1]).toBe(
      'Dispute the credit of “Zephyr Cloud” for “Quarry Works rollout”?\nTier: co-sell → influenced, if the dispute is accepted.\nJustification: “No.”.',
    );
    expect((await world.org.get(`/v1/signals/${world.signal.id}`)).body.data).toEqual(before);
    await assistant.close();
  });

  test('is shown again where it has changed since', async () => {
    const { org, signal } = await createWorld(service);
    const messages: string[] = [];
    const assistant = await connect(modern, service, org.key, {
      confirm: (message) => {
        messages.push(message);
        return 'accept';
      },
    });
    // The first read is answered while a colleague starts to work on it.
    const client = assistant.client as Content;
    client.setRequestHandler('elicitation/create', async ({ params }: Content) => {
      messages.push(params.message);
      if (messages.length === 1)
        await org.call('PATCH', `/v1/signals/${signal.id}`, { body: { state: 'in_progress' } });
      return { action: 'accept', content: {} };
    });
    const { data } = await assistant.call('update_signal', { signal_id: signal.id, state: 'handled' });
    expect(data.state).toBe('handled');
    expect(messages.map((message) => message.split('\n')[1])).toEqual([
      'State: new → handled.',
      'State: in progress → handled.',
    ]);
    await assistant.close();
  });
});

describe.each([modern, ways[2], ways[3]])('a call that is cancelled ($protocol over $over)', (way) => {
  test('changes nothing', async () => {
    const { org, record } = await createWorld(service);
    const assistant = await connect(way, service, org.key);
    // A transaction with the facts lock: the dispute has to wait for it.
    const holder = await service.pool.connect();
    await holder.query('begin');
    await lockOrganizationFacts(holder as never, org.orgId as OrganizationId);
    const controller = new AbortController();
    const pending = assistant.call(
      'open_dispute',
      { record_id: record.id, claimed_tier: 'sourced', justification: 'Registered.' },
      { signal: controller.signal },
    );
    pending.catch(() => {});
    await untilWaiting();
    controller.abort();
    await expect(pending).rejects.toThrow();
    // A later request on the same connection is answered, so the service knows that the caller is gone.
    await assistant.call('list_signals');
    await holder.query('rollback');
    holder.release();
    // The organization's queue continues after the cancelled call.
    expect((await assistant.call('simulate_policy')).isError).toBe(false);
    expect((await org.get(`/v1/attribution/${record.id}`)).body.data.dispute_history).toEqual([]);
    await assistant.close();
  });

  async function untilWaiting(): Promise<void> {
    for (;;) {
      const { rows } = await service.pool.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      if (rows.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});
