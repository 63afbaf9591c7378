import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { openWindow, signIn, skipBrowser, startBrowser } from './browser.ts';

describe.skipIf(skipBrowser)('the session of the console', () => {
  let service: TestService;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestService(), startBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const nav = (page: Page) => page.getByRole('navigation', { name: 'Main' });
  const form = (page: Page) => page.getByLabel('API key');

  test('is shared by all tabs and ends in all of them at once', async () => {
    const { key } = await service.organization();
    const { page: first, misdeeds } = await openWindow(browser, service.url);
    const url = `${service.url}/console/signals`;
    const waiting = await first.context().newPage();
    await waiting.goto(url);
    await form(waiting).waitFor();
    await signIn(first, url, key);
    // A tab that asks for a key, and one that is opened later.
    await nav(waiting).waitFor();
    const later = await first.context().newPage();
    await later.goto(`${service.url}/console/partners`);
    await nav(later).waitFor();
    expect(await later.evaluate(() => JSON.stringify(localStorage) + document.cookie)).not.toContain(key);

    await later.getByRole('button', { name: 'Sign out' }).click();
    for (const page of [first, waiting, later]) {
      await form(page).waitFor();
      expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(key);
    }
    await first.reload();
    await form(first).waitFor();
    expect(misdeeds).toEqual([]);
    await first.context().close();
  });

  test('ends with its last tab', async () => {
    const { key } = await service.organization();
    const { page } = await openWindow(browser, service.url);
    const context = page.context();
    await signIn(page, `${service.url}/console/signals`, key);
    await page.close();
    const next = await context.newPage();
    await next.goto(`${service.url}/console/signals`);
    await form(next).waitFor();
    await context.close();
  });

  test('does not reach another profile of the browser', async () => {
    const { key } = await service.organization();
    const [one, other] = [await openWindow(browser, service.url), await openWindow(browser, service.url)];
    await signIn(one.page, `${service.url}/console/signals`, key);
    await other.page.goto(`${service.url}/console/signals`);
    await form(other.page).waitFor();
    for (const { page } of [one, other]) await page.context().close();
  });
});
