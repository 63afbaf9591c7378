/*
 * `npm run pictures`: a picture of each page of the console, in light and dark, in docs/pictures. Starts the service with
 * the demo in a folder of its own. Only the pictures that a guide shows are in the repository; .gitignore names them.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { APIRequestContext, Page } from 'playwright-core';
import { startBrowser } from './chromium.ts';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'ps-pictures-'));
const service = spawn(process.execPath, [main], {
  env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, DEMO: 'true' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = new Promise((resolve) => service.once('close', resolve));
try {
  const url = await listening();
  const key = (await readFile(join(dataDir, 'demo.key'), 'utf8')).trim();
  await mkdir(folder, { recursive: true });
  const browser = await startBrowser();
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        ignoreHTTPSErrors: true,
        colorScheme,
        viewport: { width: 1280, height: 800 },
      });
      const { request } = context;
      const page = await context.newPage();
      await page.goto(`${url}/console/`);
      await page.getByLabel('API key').waitFor();
      await save(page, `sign-in-${colorScheme}`);
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      for (const [name, path] of Object.entries(await paths(request, url, key))) {
        await page.goto(`${url}/console${path}`);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.waitForLoadState('networkidle');
        await save(page, `${name}-${colorScheme}`);
      }
      await context.close();
    }
  } finally {
    await browser.close();
  }
} finally {
  service.kill('SIGTERM');
  await ended;
  await rm(dataDir, { recursive: true, force: true });
}

async function listening(): Promise<string> {
  let output = '';
  for await (const chunk of service.stdout) {
    output += chunk;
    const url = /"url":"([^"]+)","msg":"listening"/.exec(output)?.[1];
    if (url) {
      service.stdout.resume();
      return url;
    }
  }
  throw new Error(output);
}

async function save(page: Page, name: string): Promise<void> {
  const chromium = await page.context().newCDPSession(page);
  // A third of the size of a PNG file.
  const { data } = await chromium.send('Page.captureScreenshot', { format: 'webp', quality: 90 });
  await writeFile(`${folder}${name}.webp`, Buffer.from(data, 'base64'));
  process.stdout.write(`docs/pictures/${name}.webp\n`);
}

async function get(request: APIRequestContext, url: string, key: string) {
  const answer = await request.get(url, { headers: { Authorization: `Bearer ${key}` } });
  if (!answer.ok()) throw new Error(`${url} answered ${answer.status()}`);
  return (await answer.json()).data;
}

/** Each page; those of one record with the one that Home puts first. */
async function paths(request: APIRequestContext, url: string, key: string): Promise<Record<string, string>> {
  const [signal] = await get(request, `${url}/v1/signals?sort=priority&state=new&limit=1`, key);
  const { largest_deals, partners } = await get(request, `${url}/v1/partners/scorecard`, key);
  const opportunity = largest_deals[0].opportunity.id;
  const [record] = await get(request, `${url}/v1/attribution?opportunity_id=${opportunity}`, key);
  const best = partners.toSorted(
    (a: { credited_value: number }, b: { credited_value: number }) => b.credited_value - a.credited_value,
  )[0];
  return {
    home: '/',
    signals: '/signals',
    signal: `/signals/${signal.id}`,
    partners: '/partners',
    partner: `/partners/${best.partner.id}`,
    attribution: '/attribution',
    record: `/attribution/${record.id}`,
    account: `/accounts/${signal.account.id}`,
    deal: `/deals/${opportunity}`,
    review: '/review',
    policy: '/policy',
    webhooks: '/webhooks',
  };
}
