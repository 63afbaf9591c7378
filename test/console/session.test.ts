import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../harness.ts';
import { openConsole, openWindow, signIn, skipBrowser } from './browser.ts';

describe.skipIf(skipBrowser)('the session of the console', () => {
  let service: TestService;
  let page: Page;
  let misdeeds: string[];
  openConsole(startTestService, (opened) => {
    ({ service, page, misdeeds } = opened);
  });

  const nav = (page: Page) => page.getByRole('navigation', { name: 'Main' });
  const form = (page: Page) => page.getByLabel('API key');
  const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out' }).click();
  const at = (path: string) => `${service.url}/console${path}`;
  async function newTab(path: string): Promise<Page> {
    const tab = await page.context().newPage();
    await tab.goto(at(path));
    return tab;
  }

  test('is shared by all tabs and ends in all of them at once, and no page can read the key', async () => {
    const { key } = await service.organization();
    const waiting = await newTab('/signals');
    await form(waiting).waitFor();
    await waiting.evaluate(() => {
      const heard: unknown[] = [];
      Object.assign(window, { heard });
      new BroadcastChannel('partner-signals.session').onmessage = ({ data }) => heard.push(data);
    });
    await page.goto(at('/partners?tier=2'));
    await form(page).fill(` ${key}\n`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Partners' }).waitFor();
    expect(page.url()).toBe(at('/partners?tier=2'));
    // A tab that shows the sign-in form, and one that is opened later.
    await nav(waiting).waitFor();
    const later = await newTab('/partners');
    await nav(later).waitFor();
    await later.reload();
    await nav(later).waitFor();
    for (const tab of [page, waiting, later])
      expect(
        await tab.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie])),
      ).not.toContain(key.slice(0, 8));

    await signOut(later);
    for (const tab of [page, waiting, later]) await form(tab).waitFor();
    expect(await waiting.evaluate(() => (window as unknown as { heard: unknown }).heard)).toEqual([
      { signedIn: true },
      { signedOut: null },
    ]);
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await form(page).waitFor();
  });

  test('lasts until the browser is closed, not only while a tab is open', async () => {
    const { key } = await service.organization();
    await signIn(page, at('/signals'), key);
    const context = page.context();
    expect(await context.cookies()).toMatchObject([
      { expires: -1, httpOnly: true, secure: true, sameSite: 'Strict' },
    ]);
    await page.close();
    const next = await context.newPage();
    await next.goto(at('/signals'));
    await nav(next).waitFor();
  });

  test('does not reach another profile of the browser', async () => {
    const { key } = await service.organization();
    await signIn(page, at('/signals'), key);
    const other = await openWindow(service.url);
    await other.page.goto(at('/signals'));
    await form(other.page).waitFor();
    await other.page.context().close();
  });

  test('that cannot be ended, because the service is away, is said to go on', async () => {
    const { key } = await service.organization();
    await signIn(page, at('/signals'), key);
    await page.route('**/console/session', (route) => route.abort());
    await signOut(page);
    await page.getByText('this browser is still signed in').waitFor();
    await page.unroute('**/console/session');
    await page.reload();
    await signOut(page);
    await form(page).waitFor();
    expect(misdeeds.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
  });

  test('that another program ended asks for a key again', async () => {
    const { key } = await service.organization();
    await signIn(page, at('/signals'), key);
    await page.getByText('There are no signals yet.').waitFor();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Your session has ended. Sign in again.').waitFor();
    expect(misdeeds.splice(0).every((line) => line.includes('401'))).toBe(true);
  });
});
