import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export const executablePath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

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
