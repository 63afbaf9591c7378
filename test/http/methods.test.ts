import { METHODS } from 'node:http';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { document } from '../api-document.ts';
import { type Answer, operatorKey, startTestService, type TestService } from '../harness.ts';

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  ({ key } = await service.organization());
});
afterAll(() => service.close());

const paths = Object.entries(document.paths).map(([pattern, operations]) => {
  const methods = Object.keys(operations).map((method) => method.toUpperCase());
  return {
    path: pattern.replace(/\{\w+\}/g, 'some_id'),
    allow: [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', '),
  };
});
/** Its target is a host and no path. */
const known = METHODS.filter((method) => method !== 'CONNECT');

function expectRefused(answer: Answer, allow: string, what: string): void {
  expect(answer, what).toMatchObject({ status: 405, headers: { allow } });
  expect(answer.headers['x-ratelimit-limit'], what).toMatch(/^\d+$/);
}

describe('a method that a path does not take is 405, with exactly those that it takes', () => {
  test.each(paths)('$path: $allow', async ({ path, allow }) => {
    // A new organization per path: all paths together exceed the requests of a minute.
    const { key } = await service.organization();
    const options = { key: path.startsWith('/admin') ? operatorKey : key, isJunk: true };
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']) {
      if (allow.split(', ').includes(method)) continue;
      expectRefused(await service.call(method, path, options), allow, `${method} ${path}`);
    }
  });

  test('whatever its body is', async () => {
    for (const method of ['POST', 'QUERY', 'REPORT', 'DELETE', 'TRACE']) {
      const body = { raw: 'no JSON', headers: { 'content-type': 'text/plain' } };
      expectRefused(await service.call(method, '/v1/partners', { key, ...body }), 'GET, HEAD', method);
    }
  });

  test('whatever the method', async () => {
    const { key } = await service.organization();
    for (const method of known.filter((method) => method !== 'POST'))
      expectRefused(await service.call(method, '/v1/attribution/simulate', { key }), 'POST', method);
  });

  test.each(['BREW', 'get', 'PROPFINDER', "!#$%&'*+-.^_`|~09"])(
    'even one that nobody knows: %s',
    async (method) => {
      const found = await sendLine(`${method} /v1/signals/summary?limit=x HTTP/1.1`);
      expect(found).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
      expect(found).toMatch(/^Allow: GET, HEAD\r$/m);
      expect(found).toMatch(/^X-RateLimit-Limit: \d+\r$/m);
      expect(found).toContain('"code":"method_not_allowed"');
    },
  );
});

test('on a path that is none it is 404, known or not', async () => {
  for (const method of known)
    expect(await service.call(method, '/v1/nothing', { key }), method).toMatchObject({ status: 404 });
  for (const path of ['/v1/nothing', '/%zz', '/v1/signals/a/b'])
    expect(await sendLine(`BREW ${path} HTTP/1.1`)).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
});

test('a first line that HTTP does not allow stays 400', async () => {
  for (const line of [
    'B(EW /v1/signals HTTP/1.1',
    'BREW /v1/signals',
    'BREW  /v1/signals HTTP/1.1',
    'BREW x HTTP/1.1',
  ])
    expect(await sendLine(line), line).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
});

/** As bytes, because Node cannot send an unknown method. */
async function sendLine(line: string): Promise<string> {
  const port = Number(new URL(service.url).port);
  const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: service.ca });
  socket.write(`${line}\r\nHost: localhost\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}
