import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { executablePath, startBrowser } from './chromium.ts';

export { startBrowser } from './chromium.ts';

/** True if no browser is installed, with a warning. Never true in CI, so that the tests fail there instead. */
export const skipBrowser = !executablePath && !process.env.CI;
if (skipBrowser) process.stderr.write('SKIPPED: console tests, since no chromium is installed\n');

/** One for all files of a worker; it ends with the worker. */
let shared: Promise<Browser> | undefined;
export function sharedBrowser(): Promise<Browser> {
  shared ??= startBrowser();
  return shared;
}

/** One profile for all tests, so that the scripts of the console are loaded and compiled once. */
let profile: Promise<BrowserContext> | undefined;
async function sharedProfile(): Promise<BrowserContext> {
  profile ??= sharedBrowser().then(newProfile);
  return profile;
}

type Window = { page: Page; misdeeds: string[] };
type Service = { url: string; close(): Promise<void> };

/** Starts a service for a file, and opens a window for each of its tests. Errors in the page fail the test. */
export function openConsole<T extends Service>(
  start: () => Promise<T>,
  onOpen: (opened: Window & { service: T }) => void,
): void {
  let service: T;
  let profile: BrowserContext;
  let window: Window;
  beforeAll(async () => {
    [service, profile] = await Promise.all([start(), sharedProfile()]);
  });
  afterAll(() => service?.close());
  beforeEach(async () => {
    window = watch(await profile.newPage(), service.url);
    await forget(window.page, service.url);
    onOpen({ ...window, service });
  });
  afterEach(async () => {
    for (const page of profile.pages()) await page.close();
    expect(window.misdeeds).toEqual([]);
  });
}

/** Removes what the previous test left in the browser. */
async function forget(page: Page, origin: string): Promise<void> {
  await page.context().clearCookies();
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
  await session.detach();
}

/** A window with another profile. */
export async function openWindow(url: string): Promise<Window> {
  return watch(await (await newProfile(await sharedBrowser())).newPage(), url);
}

async function newProfile(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(15_000);
  return context;
}

/** Records what a page must never do: log an error, or contact another host. */
function watch(page: Page, url: string): Window {
  const misdeeds: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') misdeeds.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => misdeeds.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) misdeeds.push(request.url());
  });
  return { page, misdeeds };
}

/** Signs in without the form, which has its own tests. */
export async function signIn(page: Page, address: string, key: string): Promise<void> {
  const session = new URL('/console/session', address).href;
  const headers = { authorization: `Bearer ${key.trim()}` };
  const answer = await page.context().request.post(session, { headers });
  expect(answer.status()).toBe(204);
  await page.goto(address);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** Desktop, phone and large screens. */
const widths = [1280, 360, 1600, 2560] as const;

/**
 * Checks that the page has no serious accessibility problem, in light and dark mode, and fits every screen width. The page
 * is not reloaded. The themes only differ in colors, and a large screen shows the same as a desktop.
 */
export async function expectNoBarrier(page: Page): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const tooWide = () => Math.max(0, document.documentElement.scrollWidth - window.innerWidth);
    expect(await page.evaluate(tooWide), `${page.url()} at ${width} px`).toBe(0);
    if (width > 1280) continue;
    for (const [colorScheme, rules] of [
      ['light', undefined],
      ['dark', ['color-contrast', 'link-in-text-block']],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
      const found = (await violations(page, rules)).map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`,
      );
      expect(found, `${page.url()} at ${width} px, ${colorScheme}`).toEqual([]);
    }
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical findings of axe, by all rules or these. */
export async function violations(page: Page, rules?: readonly string[]): Promise<Result[]> {
  // Evaluated, not inserted: the content security policy forbids inline scripts.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  return page.evaluate(async (rules) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(rules && { runOnly: [...rules] }),
    });
    return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  }, rules);
}
