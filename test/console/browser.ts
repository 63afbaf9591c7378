import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { executablePath } from './chromium.ts';

export { startBrowser } from './chromium.ts';

/** True where no browser is installed, which is said aloud; in CI it is never true, so that the tests fail there instead. */
export const skipBrowser = !executablePath && !process.env.CI;
if (skipBrowser) process.stderr.write('SKIPPED: console tests, since no chromium is installed\n');

/** A window of its own, with what a page must never do: write an error to the console, or talk to anybody else. */
export async function openWindow(browser: Browser, url: string): Promise<{ page: Page; misdeeds: string[] }> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const misdeeds: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') misdeeds.push(message.text());
  });
  page.on('pageerror', (error) => misdeeds.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) misdeeds.push(request.url());
  });
  return { page, misdeeds };
}

export async function signIn(page: Page, address: string, key: string): Promise<void> {
  await page.goto(address);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

export const screens = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 360 },
] as const;

export async function setScreen(page: Page, { colorScheme, width }: (typeof screens)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 800 });
}

/** The same on every screen, without reloading the page. */
export async function expectNoBarrierAnywhere(page: Page): Promise<void> {
  for (const screen of screens) {
    await setScreen(page, screen);
    await page.locator(`html[data-mantine-color-scheme="${screen.colorScheme}"]`).waitFor();
    await expectNoBarrier(page);
  }
}

/** That nothing serious bars anybody from the page as it stands, and that it is no wider than the screen. */
export async function expectNoBarrier(page: Page): Promise<void> {
  expect(await violations(page), page.url()).toEqual([]);
  const tooWide = () => Math.max(0, document.documentElement.scrollWidth - window.innerWidth);
  expect(await page.evaluate(tooWide), page.url()).toBe(0);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe calls serious or critical on the page as it stands, each with where. */
async function violations(page: Page): Promise<string[]> {
  // Evaluated, not inserted: the page's own policy forbids inline scripts.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
  });
}
