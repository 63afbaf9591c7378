import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { openConsole, signIn, skipBrowser } from './browser.ts';

/** Reverses everything after it on the line, unless it is isolated. */
const override = '\u202e';

describe.skipIf(skipBrowser)('names in the console', () => {
  let service: TestService;
  let page: Page;
  openConsole(
    async () => {
      service = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' });
      return service;
    },
    (window) => {
      ({ page } = window);
    },
  );

  test('that cannot be broken make no page wider than the screen, and those that override the direction of text turn nothing around but themselves', async () => {
    const org = await organization((length) => `${override}${'Wm'.repeat(length / 2 - 1)}`);
    await walk(org, async (path, width) => {
      expect(await tooWide(page), `${path} at ${width}`).toEqual([]);
      expect(await turnedAround(page), `${path} at ${width}`).toEqual([]);
    });
  });

  /** A deal that is open and one that is won, with everything about them named by `name`. */
  async function organization(name: (length: number) => string): Promise<TestOrganization> {
    const org = await service.organization();
    const account_crm_id = name(254);
    const opportunity = { account_crm_id, name: name(500), stage: name(100) };
    await loadFacts(org, {
      partners: [{ name: name(500) }],
      accounts: [{ crm_id: account_crm_id, name: name(500), domain: 'a1.example' }],
      partner_accounts: [{ name: name(500) }],
      opportunities: [
        { ...opportunity, crm_id: 'open' },
        { ...opportunity, crm_id: 'won', status: 'won' },
      ],
      activities: ['open', 'won'].map((opportunity_crm_id) => ({
        account_crm_id,
        opportunity_crm_id,
        summary: name(2000),
        actor: name(200),
      })),
    });
    const actor = { 'x-actor': Buffer.from(name(200)).toString('latin1') };
    const [signal] = await readAll<{ id: string }>(org, '/v1/signals');
    await org.call('PATCH', `/v1/signals/${signal?.id}`, {
      body: { state: 'in_progress', note: name(2000) },
      headers: actor,
    });
    const [record] = await readAll<{ id: string }>(org, '/v1/attribution');
    await org.call('POST', `/v1/attribution/${record?.id}/disputes`, {
      body: { claimed_tier: 'sourced', justification: name(5000) },
      headers: actor,
    });
    const url = `https://127.0.0.1/${encodeURI(name(1000))}`;
    await org.call('POST', '/v1/webhooks', { body: { url, events: ['signal.created'] } });
    return org;
  }

  /** Every page that shows a name, on a phone and on a desktop. */
  async function walk(
    org: TestOrganization,
    look: (path: string, width: number) => Promise<void>,
  ): Promise<void> {
    await signIn(page, `${service.url}/console/`, org.key);
    const pages: [path: string, api: string, hasList: boolean][] = [
      ['/signals', '/signals', true],
      ['/partners', '/partners', true],
      ['/attribution', '/attribution', true],
      ['/webhooks', '/webhooks', true],
      ['/accounts', '/accounts', false],
      ['/deals', '/opportunities', false],
    ];
    for (const [list, api, hasList] of pages) {
      const items = await readAll<{ id: string }>(org, `/v1${api}`);
      expect(items.length, list).toBeGreaterThan(0);
      const home = list === '/signals' ? ['/'] : [];
      for (const path of [...home, ...(hasList ? [list] : []), ...items.map(({ id }) => `${list}/${id}`)]) {
        await page.goto(`${service.url}/console${path}`);
        await page.getByText(/WmWm/).filter({ visible: true }).first().waitFor({ timeout: 60_000 });
        await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          await look(path, width);
        }
      }
    }
  }
});

/** Elements beyond the right edge of the screen, even if the page cannot scroll there; tables may scroll. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('body *')]
      .filter((element) => !element.parentElement?.closest('.scroll'))
      .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1)
      .map((element) => `${element.tagName} ${element.className}: ${element.getBoundingClientRect().right}`),
  );
}

/** Texts in which a later letter is to the left of an earlier one on the same line. */
function turnedAround(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      const text = node.textContent ?? '';
      if (text.includes('\u202e')) continue;
      const range = document.createRange();
      const places = [...text].map((_, index) => {
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        return range.getBoundingClientRect();
      });
      const isTurned = places.some((place, index) => {
        const before = places[index - 1];
        return before && place.width > 0 && place.top === before.top && place.left < before.left;
      });
      if (isTurned) found.push(text);
    }
    return found;
  });
}
