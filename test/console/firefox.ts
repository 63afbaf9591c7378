import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import type { Screen, Window } from './walk.ts';

const executablePath = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);

/** True if Firefox is not installed, with a warning. Never true in CI, so that the tests fail there instead. */
export const skipFirefox = !executablePath && !process.env.CI;
if (skipFirefox)
  process.stderr.write('SKIPPED: console tests in Firefox, since firefox-esr is not installed\n');

/** Driven by Puppeteer, because Playwright needs a Firefox of its own. */
export async function openFirefox({ width, height, isTouch, theme }: Screen): Promise<Window> {
  if (!executablePath) throw new Error('firefox-esr is not installed');
  const coarse = 1;
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    acceptInsecureCerts: true,
    // The protocol cannot emulate these.
    extraPrefsFirefox: {
      'ui.prefersReducedMotion': 1,
      'ui.systemUsesDarkTheme': theme === 'dark' ? 1 : 0,
      ...(isTouch && { 'ui.primaryPointerCapabilities': coarse, 'ui.allPointerCapabilities': coarse }),
    },
  });
  const page = await browser.newPage();
  await page.setViewport({ width, height });
  return {
    // The methods that a walk uses are the same in both libraries, except those for buttons.
    page: page as unknown as Page,
    setTheme: async () => {},
    hasButtons: false,
    close: () => browser.close(),
  };
}
