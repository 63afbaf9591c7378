import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** True where no browser is installed, which is said aloud; in CI it is never true, so that the tests fail there instead. */
export const skipBrowser = !executablePath && !process.env.CI;
if (skipBrowser) process.stderr.write('SKIPPED: console tests, since no chromium is installed\n');

export async function startBrowser(): Promise<Browser> {
  if (!executablePath) throw new Error('no chromium is installed');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe calls serious or critical on the page as it stands, each with where. */
export async function violations(page: Page): Promise<string[]> {
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
