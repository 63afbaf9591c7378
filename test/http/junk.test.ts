import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, operatorKey, startTestService, type TestService } from '../harness.ts';

let service: TestService;
/** For tests that need an address with unused anonymous requests. */
let unspent: TestService;
let orgId: string;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  unspent = await startTestService();
  ({ orgId, key } = await service.organization());
  // Junk can use up a day's requests, and this does not test the limit.
  await service.pool.query(`update organizations set plan = 'enterprise'`);
});
afterAll(async () => {
  await service.close();
  await unspent.close();
});

const routes: [method: string, path: string][] = [
  ['GET', '/v1/partners'],
  ['GET', '/v1/partners/{}'],
  ['GET', '/admin/v1/organizations'],
  ['POST', '/admin/v1/organizations'],
  ['GET', '/admin/v1/organizations/{}'],
  ['PATCH', '/admin/v1/organizations/{}'],
  ['GET', '/admin/v1/organizations/{}/keys'],
  ['POST', '/admin/v1/organizations/{}/keys'],
  ['DELETE', '/admin/v1/organizations/{}/keys/{}'],
  ['GET', '/admin/v1/organizations/{}/settings'],
  ['PUT', '/admin/v1/organizations/{}/settings'],
  ['GET', '/admin/v1/audit'],
  ['GET', '/healthz'],
  ['GET', '/v1/openapi.json'],
];

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '\0',
    '\ud800',
    '%00',
    '../..',
    "' or 1=1 --",
    '{}',
    '[]',
    'null',
    '-1',
    '1e400',
    'NaN',
    '\u202e',
    'x'.repeat(3000),
  ),
);
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .map((code) => String.fromCharCode(code))
    .filter((c) => c !== '\x7f'),
  maxLength: 60,
});
const segment = fc.oneof(
  text.map((value) => encodeURIComponent(value.toWellFormed())),
  fc.constantFrom('%', '%zz', '%ff', '..', 'org_', '%2e%2e%2f'),
  fc.constant('ORG'),
);

const requests = fc.record({
  route: fc.constantFrom(...routes),
  segments: fc.tuple(segment, segment),
  query: fc.array(fc.tuple(fc.oneof(text, fc.constantFrom('limit', 'cursor', 'tier', 'type')), text), {
    maxLength: 4,
  }),
  headers: fc.dictionary(
    fc.constantFrom(
      'accept',
      'idempotency-key',
      'x-actor',
      'if-match',
      'if-none-match',
      'x-forwarded-proto',
      'x-forwarded-for',
      'content-type',
      'accept-encoding',
      'range',
      'expect',
      'accept-version',
      'x-http-method-override',
    ),
    headerText,
    { maxKeys: 3 },
  ),
  body: fc.option(
    fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          name: fc.oneof(text, fc.jsonValue()),
          plan: fc.oneof(fc.constant('standard'), fc.jsonValue()),
          scopes: fc.jsonValue(),
          expires_at: text,
        },
        { requiredKeys: [] },
      ),
    ),
    { nil: undefined },
  ),
  raw: fc.option(fc.uint8Array({ maxLength: 200 }), { nil: undefined, freq: 4 }),
});

function expectCivil(answer: Answer, what: unknown): void {
  expect(answer.status, JSON.stringify(what)).toBeLessThan(500);
  if (answer.status >= 400) expect(answer.body?.error?.code, JSON.stringify(what)).toMatch(/^[a-z_]+$/);
  expect(answer.headers['x-ratelimit-limit'], JSON.stringify(what)).toMatch(/^\d+$/);
}

test('junk in any path, parameter, header and body is never a 5xx, and always has the envelope and the headers', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async ({ route: [method, pattern], segments, query, headers, body, raw }) => {
      const [first, second] = segments;
      const path = pattern.replace('{}', first === 'ORG' ? orgId : first).replace('{}', second);
      const search = query
        .map(
          ([name, value]) =>
            `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
        )
        .join('&');
      const answer = await service.call(method, `${path}${search ? `?${search}` : ''}`, {
        key: path.startsWith('/admin') ? operatorKey : key,
        headers,
        isJunk: true,
        ...(raw ? { raw: Buffer.from(raw) } : body === undefined ? {} : { body }),
      });
      expectCivil(answer, { method, path, search, headers, body });
    }),
    { numRuns: 600 },
  );
});

test.each([
  ['a first line that is none', 'BLAH\r\n\r\n'],
  ['a header line that is none', 'GET / HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n'],
  ['headers without end', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
  ['two lengths', 'POST /v1/partners HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
  [
    'a length and chunks',
    'POST /v1/partners HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\nx',
  ],
])('%s gets 400 with the envelope and the headers', async (_what, bytes) => {
  const answer = await sendBytes(bytes);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toMatch(/X-RateLimit-Limit: \d+/i);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).error).toMatchObject({
    code: 'invalid_request',
    request_id: expect.stringMatching(/^req_/),
  });
});

test.each(['gzip-is-not-json', 'application/json; charset=latin1'])(
  'an odd content type %j is no 5xx',
  async (type) => {
    const answer = await service.call('POST', '/admin/v1/organizations', {
      key: operatorKey,
      raw: '{}',
      headers: { 'content-type': type },
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  },
);

describe.each([
  ['without Host', '1.1', '', 'The Host header is missing.'],
  ['with two Hosts', '1.1', 'host: localhost\r\nhost: elsewhere.example\r\n', 'The Host header is repeated.'],
  ['with one Host twice', '1.1', 'Host: localhost\r\nHOST: localhost\r\n', 'The Host header is repeated.'],
  ['with two Hosts, of HTTP/1.0,', '1.0', 'host: a\r\nhost: b\r\n', 'The Host header is repeated.'],
])('a request %s', (_name, version, hosts, message) => {
  test.each(['/healthz', '/v1/partners', '/admin/v1/organizations', '/console/', '/nowhere'])(
    'to %s is 400 with all that every error has',
    async (path) => {
      const headers = `${hosts}authorization: Bearer ${operatorKey}\r\nconnection: close\r\n`;
      const answer = await sendBytes(`GET ${path} HTTP/${version}\r\n${headers}\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      for (const name of ['limit', 'remaining', 'reset'])
        expect(answer).toMatch(new RegExp(`^x-ratelimit-${name}: \\d+\r$`, 'im'));
      const { error } = JSON.parse(answer.slice(answer.indexOf('{')));
      expect(error).toMatchObject({ code: 'invalid_request', message });
      expect(answer.toLowerCase()).toContain(`x-request-id: ${error.request_id}`);
    },
  );
});

test('an absolute or asterisk target names no route', async () => {
  expect(await sendBytes('OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 404 /,
  );
  expect(
    await sendBytes(
      'GET http://elsewhere.example/v1/partners HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    ),
  ).toMatch(/^HTTP\/1\.1 404 /);
});

test('any Authorization header at all is 401 or 200, never worse', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        headerText,
        headerText.map((value) => `Bearer ${value}`),
      ),
      async (authorization) => {
        const answer = await service.call('GET', '/v1/partners', { headers: { authorization } });
        expect([401, 429]).toContain(answer.status);
      },
    ),
    { numRuns: 50 },
  );
});

function sendBytes(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      port: Number(new URL(unspent.url).port),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: unspent.ca,
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', (error: NodeJS.ErrnoException) => (text ? resolve(text) : reject(error)));
    socket.write(bytes);
  });
}
