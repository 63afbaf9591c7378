import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skipBrowser, startBrowser } from '../console/browser.ts';
import { startTestService, type TestService } from '../harness.ts';

describe.skipIf(skipBrowser)('the API reference', () => {
  let service: TestService;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestService(), startBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('shows every operation, asks no other host for anything, and sends a request with a key', async () => {
    const { key } = await service.organization();
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    const asked = new Set<string>();
    const blocked: string[] = [];
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    // What the policy forbids never becomes a request; it is told here.
    page.on(
      'console',
      (line) => line.text().includes('Content Security Policy') && blocked.push(line.text()),
    );

    await page.goto(`${service.url}/docs#tag/signals/GET/v1/signals`);
    for (const name of ['Signals', 'Partners', 'Attribution', 'Webhooks', 'Ingest', 'Operator', 'Service'])
      await page.getByRole('navigation').getByText(name, { exact: true }).first().waitFor();
    await page.getByRole('button', { name: /Test Request.*get \/v1\/signals\)/s }).click();
    const client = page.getByRole('dialog');
    await client.getByPlaceholder('Token').fill(key);
    const answered = page.waitForResponse(`${service.url}/v1/signals`);
    await client.getByRole('button', { name: /^Send get request/ }).click();
    const answer = await answered;
    expect(answer.status()).toBe(200);
    expect(await answer.json()).toMatchObject({ data: [], has_more: false });

    expect([...asked].filter((origin) => !/^(data|blob|null)/.test(origin))).toEqual([service.url]);
    expect(blocked).toEqual([]);
  });
});
