import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { request as sendSecurely } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { createWorld } from './world.ts';

const tool = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const shim = new URL('conformance-shim.mjs', import.meta.url).href;

/**
 * What the tool tests on any server. Its other scenarios call tools, prompts and resources of a server made for it, such
 * as test_image_content, or features that this one does not offer: logging, completion, subscriptions, tasks.
 */
const scenarios = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'resources-list',
    'prompts-list',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'server-sse-multiple-streams',
    'input-required-result-unsupported-methods',
  ],
};

let service: TestService;
let proxy: Server;
let url: string;

/** The tool can neither send a key nor trust a CA certificate: a proxy does both for it. */
beforeAll(async () => {
  service = await startTestService();
  const { org } = await createWorld(service);
  proxy = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${org.key}` };
    const options = { method: request.method, headers, ca: service.ca, servername: 'localhost' };
    const upstream = sendSecurely(`${service.url}${request.url}`, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  url = `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
});
afterAll(async () => {
  proxy.close();
  await service.close();
});

const cases = Object.entries(scenarios).flatMap(([version, names]) =>
  names.map((name) => ({ version, name })),
);

describe('the official conformance tool', () => {
  test.each(cases)('passes $name of $version', async ({ version, name }) => {
    const dir = await mkdtemp(join(tmpdir(), 'ps-conformance-'));
    const options = ['--url', url, '--scenario', name, '--spec-version', version, '--output-dir', dir];
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, ['--import', shim, tool, 'server', ...options], (_error, stdout, stderr) =>
        resolve(`${stdout}\n${stderr}`),
      );
    });
    const files = await readdir(dir, { recursive: true });
    const file = files.find((path) => path.endsWith('checks.json'));
    const checks: Check[] = JSON.parse(await readFile(join(dir, file ?? output), 'utf8'));
    await rm(dir, { recursive: true });
    const failed = checks.filter(({ status }) => ['FAILURE', 'WARNING'].includes(status));
    expect(
      failed.filter(({ errorMessage }) => !isOfItsOwnServer.test(errorMessage ?? '')),
      output,
    ).toEqual([]);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(0);
  });
});

type Check = { id: string; status: string; errorMessage?: string };
/** Of a scenario for any server, a few checks still need a tool that only the server made for it has. */
const isOfItsOwnServer = /^Not testable: server does not list the diagnostic tool 'test_\w+'/;
