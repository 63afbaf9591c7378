import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { ClientError } from '../../src/client/client-error.ts';
import type { ClientOptions } from '../../src/client/send.ts';

type Reply = { status: number; headers?: Record<string, string>; body?: unknown } | 'cut' | 'hang';

const ok = { status: 200, body: { data: { total: 7 }, meta: {} } };
const busy = (seconds?: number): Reply => ({
  status: 429,
  ...(seconds === undefined ? {} : { headers: { 'Retry-After': String(seconds) } }),
  body: { error: { code: 'rate_limited', message: 'Too many requests.', request_id: 'req_1' } },
});
const failing = (status: 500 | 503, code: string): Reply => ({
  status,
  body: { error: { code, message: 'Not now.', request_id: 'req_1' } },
});

type Received = { method: string; headers: IncomingHttpHeaders; body: string; at: number };
const servers: Server[] = [];

/** A client of a server that follows a script and repeats its last reply forever. */
async function scripted(script: Reply[], options: Partial<ClientOptions> = {}) {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ method: request.method ?? '', headers: request.headers, body, at: performance.now() });
    const reply = (script.length > 1 ? script.shift() : script[0]) as Reply;
    if (reply === 'cut') return request.socket.destroy();
    if (reply === 'hang') return;
    response.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { requests, client: createClient({ baseUrl, key: 'psk_x', ...options }) };
}

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const claim = { claimed_tier: 'sourced', justification: 'Theirs.' } as const;

function refusal(call: Promise<unknown>): Promise<ClientError> {
  return call.then(
    () => expect.fail('was not refused'),
    (error) => error,
  );
}

/** The pauses between the requests, in milliseconds. A timer may fire within the millisecond before its own. */
function pauses(requests: Received[]): number[] {
  return requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? 0) + 1);
}

describe.concurrent('what was refused for the limit', () => {
  const calls: [string, (client: Client) => Promise<unknown>][] = [
    ['GET', (client) => client.signals.summary()],
    ['POST', (client) => client.attribution.dispute('atr_1', claim)],
    ['PATCH', (client) => client.signals.change('sig_1', { note: 'Seen.' })],
  ];

  test.each(calls)('is sent again once Retry-After has passed: %s', async (method, call) => {
    const waits: [number, string][] = [];
    const onWait: ClientOptions['onWait'] = (waitMs, { code }) => void waits.push([waitMs, code]);
    const { client, requests } = await scripted([busy(2), busy(1), ok], { onWait });
    await call(client);
    expect(waits).toEqual([
      [2_000, 'rate_limited'],
      [1_000, 'rate_limited'],
    ]);
    expect(requests.map((request) => request.method)).toEqual([method, method, method]);
    const [first, second] = pauses(requests);
    expect(first).toBeGreaterThanOrEqual(2_000);
    expect(second).toBeGreaterThanOrEqual(1_000);
  });

  test('for longer than the client waits is told at once, with the time', async () => {
    const { client, requests } = await scripted([busy(86_000)]);
    expect(await refusal(client.signals.summary())).toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfterMs: 86_000_000,
    });
    expect(requests).toHaveLength(1);
  });
});

describe.concurrent('after a failure in between', () => {
  const failures: [string, Reply][] = [
    ['a connection that is cut', 'cut'],
    ['503', failing(503, 'unavailable')],
    ['500', failing(500, 'internal_error')],
    ["a gateway's own page", { status: 502, body: '<h1>Bad gateway</h1>' }],
  ];

  test.each(failures)('reading is repeated: %s', async (_name, failure) => {
    const { client, requests } = await scripted([failure, failure, ok]);
    expect((await client.signals.summary()).data.total).toBe(7);
    expect(requests).toHaveLength(3);
  });

  test.each(failures)('a POST is repeated under the same idempotency key: %s', async (_name, failure) => {
    const { client, requests } = await scripted([failure, ok]);
    await client.attribution.dispute('atr_1', claim);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(requests[1]?.body).toBe(JSON.stringify(claim));
    await client.attribution.dispute('atr_1', claim);
    expect(requests[2]?.headers['idempotency-key']).not.toBe(keys[0]);
  });

  test.each(failures)('a PATCH is not: %s', async (_name, failure) => {
    const { client, requests } = await scripted([failure, ok]);
    expect(await refusal(client.signals.change('sig_1', { note: 'Once.' }))).toBeInstanceOf(ClientError);
    expect(requests).toHaveLength(1);
  });

  test('a thing that the attempt before has deleted counts as deleted, one that was never there does not', async () => {
    const gone = { status: 404, body: { error: { code: 'not_found', message: 'No such webhook.' } } };
    const { client } = await scripted(['cut', gone]);
    await client.webhooks.delete('whk_1');
    expect(await refusal(client.webhooks.delete('whk_1'))).toMatchObject({ code: 'not_found' });
  });

  test('it gives up in the end, with waits that grow', async () => {
    const { client, requests } = await scripted(['cut']);
    expect(await refusal(client.signals.summary())).toMatchObject({ code: 'unreachable', status: 0 });
    expect(requests).toHaveLength(5);
    for (const [index, least] of [125, 250, 500, 1_000].entries()) {
      expect(pauses(requests)[index]).toBeGreaterThanOrEqual(least);
    }
  });
});

test('what is the fault of the caller is not repeated', async () => {
  const taken = { status: 409, body: { error: { code: 'dispute_already_open', message: 'One is open.' } } };
  const { client, requests } = await scripted([taken]);
  expect(await refusal(client.attribution.dispute('atr_1', claim))).toMatchObject({
    code: 'dispute_already_open',
  });
  expect(requests).toHaveLength(1);
});

test("an answer that is not the service's own is told apart", async () => {
  for (const status of [200, 404]) {
    const { client } = await scripted([{ status, body: '<h1>Welcome</h1>' }]);
    expect(await refusal(client.signals.summary())).toMatchObject({ code: 'invalid_response', status });
  }
});

test('a key is not sent in the clear, but to this machine', () => {
  for (const baseUrl of [
    'http://signals.example',
    'HTTP://localhost.example',
    'http://127.0.0.1.example:80/',
  ]) {
    expect(() => createClient({ baseUrl, key: 'psk_x' })).toThrow(/https:/);
  }
});

test('a key is not carried to where a redirect leads', async () => {
  const away = { status: 302, headers: { Location: '/elsewhere' }, body: '' };
  const { client, requests } = await scripted([away], { maxRetries: 0 });
  expect(await refusal(client.signals.summary())).toMatchObject({ code: 'unreachable' });
  expect(requests).toHaveLength(1);
});

describe('a call can be ended', () => {
  test('before it is sent', async () => {
    const { client, requests } = await scripted(['hang']);
    const ended = client.signals.summary({ signal: AbortSignal.abort() });
    expect(await refusal(ended)).toMatchObject({ name: 'AbortError' });
    expect(requests).toHaveLength(0);
  });

  test.each<[string, Reply]>([
    ['for an answer', 'hang'],
    ['to be sent again', busy(60)],
  ])('while it waits %s', async (_name, reply) => {
    const { client, requests } = await scripted([reply]);
    const control = new AbortController();
    const ended = refusal(client.signals.list({}, { signal: control.signal }).page());
    await expect.poll(() => requests.length).toBe(1);
    control.abort(new Error('changed my mind'));
    expect((await ended).message).toBe('changed my mind');
  });

  test('by its time-out', async () => {
    const { client, requests } = await scripted(['hang'], { timeoutMs: 50, maxRetries: 1 });
    expect(await refusal(client.signals.summary())).toMatchObject({ code: 'timeout', status: 0 });
    expect(requests).toHaveLength(2);
  });
});
