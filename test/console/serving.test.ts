import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}) => service.call('GET', path, { headers });
const assets = async () =>
  [...(await get('/console/')).text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => String(match[1]));

describe('the files of the console', () => {
  test.each([
    '/console',
    '/console/',
    '/console/signals?state=new',
    '/console/signals/sig_x',
    '/console/no/such',
  ])('%s is the application, never kept and with a policy that allows nothing inline', async (path) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(text).toContain('<div id="root">');
  });

  test('what the page asks for is there, with its type, to be kept for ever', async () => {
    const paths = await assets();
    expect(paths.map((path) => path.split('.').pop()).sort()).toEqual(['css', 'js', 'svg', 'woff2']);
    const types = {
      css: 'text/css; charset=utf-8',
      js: 'text/javascript; charset=utf-8',
      svg: 'image/svg+xml',
      woff2: 'font/woff2',
    };
    for (const path of paths) {
      const { status, headers } = await get(path);
      expect(status, path).toBe(200);
      expect(headers['content-type']).toBe(types[path.split('.').pop() as keyof typeof types]);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
  });

  test('a client that takes gzip gets it, and caches are told', async () => {
    const script = (await assets()).find((path) => path.endsWith('.js')) ?? '';
    const plain = await get(script);
    const zipped = await get(script, { 'Accept-Encoding': 'br, gzip' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(Number(zipped.headers['content-length'])).toBeLessThan(
      Number(plain.headers['content-length']) / 2,
    );
    for (const { headers } of [plain, zipped]) expect(headers.vary).toBe('Accept-Encoding');
  });

  test.each([
    '/console/assets/no-such.js',
    '/console/assets/',
    '/console/favicon.ico',
    '/console/../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/%2e%2e/%2e%2e/package.json',
    '/console/assets/..%2f..%2f..%2fpackage.json',
    '/console/assets/....//....//package.json',
    '/console/..%5c..%5cpackage.json',
    '/console//etc/passwd.txt',
    '/console/.console-built',
  ])('%s is 404 in the error envelope', async (path) => {
    const { status, body, headers } = await get(path);
    expect(status).toBe(404);
    expect(body.error.code).toBe('not_found');
    expect(headers['cache-control']).toBe('no-store');
  });

  test('another method is 405', async () => {
    const { status, headers } = await service.call('POST', '/console/', { body: {} });
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD');
  });

  test('does not count against any limit, and is not in the API document', async () => {
    const before = Number((await get('/console/')).headers['x-ratelimit-remaining']);
    await get('/console/signals');
    expect(Number((await get('/console/')).headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(before);
    expect(Object.keys((await get('/v1/openapi.json')).body.paths).join()).not.toContain('console');
  });
});
