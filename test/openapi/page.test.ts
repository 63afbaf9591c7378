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

  /** With time to spare: the page's script is several megabytes, and the machine may be busy. */
  async function open() {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    page.setDefaultTimeout(120_000);
    return page;
  }

  test('shows every operation, asks no other host for anything, and sends a request with a key', async () => {
    const { key } = await service.organization();
    const page = await open();
    const asked = new Set<string>();
    const misdeeds: string[] = [];
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    // What the policy forbids never becomes a request; it is told here.
    page.on('console', (line) => line.type() === 'error' && misdeeds.push(line.text()));
    page.on('pageerror', (error) => misdeeds.push(error.message));

    await page.goto(`${service.url}/docs#tag/signals/GET/v1/signals`);
    for (const name of ['Signals', 'Partners', 'Attribution', 'Webhooks', 'Ingest', 'Operator', 'Service'])
      await page.getByRole('navigation').getByText(name, { exact: true }).first().waitFor();
    // The reference composes the example of a list from the example of its items.
    await page.getByText('"Harbour Mills"').first().waitFor();
    await page.getByRole('button', { name: /Test Request.*get \/v1\/signals\)/s }).click();
    const client = page.getByRole('dialog');
    await client.getByPlaceholder('Token').fill(key);
    const answered = page.waitForResponse(`${service.url}/v1/signals`);
    await client.getByRole('button', { name: /^Send get request/ }).click();
    const answer = await answered;
    expect(answer.status()).toBe(200);
    expect(await answer.json()).toMatchObject({ data: [], has_more: false });

    expect([...asked].filter((origin) => !/^(data|blob|null)/.test(origin))).toEqual([service.url]);
    expect(misdeeds).toEqual([]);
  });

  test('runs the script that it came with, and no other', async () => {
    const page = await open();
    const answer = await page.goto(`${service.url}/docs/`);
    expect(answer?.headers()['content-security-policy']).not.toMatch(/script-src[^;]*'unsafe-/);
    await page.getByRole('navigation').first().waitFor();
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'document.body.dataset.injected = "yes"';
      document.body.append(script);
    });
    expect(await page.locator('body[data-injected]').count()).toBe(0);
  });

  test('leads from the names under which others keep a document to the document', async () => {
    for (const name of ['openapi.json', 'openapi.yaml']) {
      const answer = await service.call('GET', `/docs/${name}`);
      expect(answer).toMatchObject({ status: 302, headers: { location: '/v1/openapi.json' } });
    }
  });
});
