import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationId } from '../../src/contract/ids.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { fillOneOrganization, id } from '../store/large-store.ts';
import { openConsole, signIn, skipBrowser } from './browser.ts';

const size = { partners: 2_000, accounts: 4_999, signals: 100_000, activities: 50_000 };

/** Measures requests, sizes and elements instead of time, which depends on the machine. */
describe.skipIf(skipBrowser)('the console with 100,000 signals and 2,000 partners', () => {
  let service: TestService;
  let page: Page;
  let org: TestOrganization;
  openConsole(
    async () => {
      service = await startTestService();
      return service;
    },
    (window) => {
      ({ page } = window);
      asked = [];
      page.on('response', async (response) => {
        const { pathname } = new URL(response.url());
        if (!pathname.startsWith('/v1/')) return;
        const text = await response.text().catch(() => '{}');
        const { data } = JSON.parse(text);
        asked.push({ path: pathname, rows: Array.isArray(data) ? data.length : 1, bytes: text.length });
      });
    },
  );
  beforeAll(async () => {
    org = await service.organization();
    await fillOneOrganization(service.databaseUrl, org.orgId as OrganizationId, size);
  });
  let asked: { path: string; rows: number; bytes: number }[] = [];

  const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
  const open = (path: string) => signIn(page, `${service.url}/console${path}`, org.key);
  const rows = () => page.getByRole('list', { name: /^Signals/ }).getByRole('listitem');
  const ids = () =>
    rows()
      .locator('[data-signal]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('data-signal')));
  const filter = (group: string, name: string) =>
    page.getByRole('group', { name: group }).getByRole('link', { name: new RegExp(`^${name}`) });

  /** Waits until everything is loaded. */
  async function expectLight({ requests, elements = 4_000 }: { requests: number; elements?: number }) {
    await eventually(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(asked.length, asked.map(({ path }) => path).join()).toBeLessThanOrEqual(requests);
    for (const { path, rows, bytes } of asked) {
      expect(rows, path).toBeLessThanOrEqual(100);
      expect(bytes, path).toBeLessThan(/scorecard|performance/.test(path) ? 1_000_000 : 150_000);
    }
    expect(await page.locator('*').count(), page.url()).toBeLessThanOrEqual(elements);
  }

  test.each([
    ['/', 'Act on these first', 9],
    ['/signals', 'Signals', 4],
    ['/partners', 'Partners', 2],
    ['/attribution', 'Attribution', 5],
    [`/partners/${id('prt', 0)}`, 'Partner 0', 6],
    [`/accounts/${id('acc', 0)}`, 'Account 0', 7],
    [`/deals/${id('opp', 0)}`, 'Opportunity 0', 7],
    ['/review', 'Review', 4],
  ])('%s asks for a bounded number of rows, and shows them', async (path, heading, requests) => {
    await open(path);
    await page.getByRole('heading', { name: heading, exact: true }).waitFor();
    await expectLight({ requests });
  });

  test('signals are searched, filtered, sorted and loaded page by page, and Back returns to the same place', async () => {
    await open('/signals');
    await rows().first().waitFor();
    await filter('Type', 'Overlap').click();
    await page.getByRole('link', { name: 'Newest' }).click();
    await page.getByRole('list', { name: 'Signals, newest first' }).waitFor();
    await eventually(() => rows().getByText('Overlap', { exact: true }).count()).toBe(25);
    for (const count of [50, 75]) {
      await page.getByRole('button', { name: 'Load more signals' }).click();
      await eventually(() => rows().count()).toBe(count);
    }
    const listed = await ids();
    expect(new Set(listed).size).toBe(75);
    await rows().nth(60).scrollIntoViewIfNeeded();
    const place = await page.evaluate(() => window.scrollY);
    const before = asked.length;
    await rows()
      .nth(60)
      .getByRole('link', { name: /^Partner/ })
      .click();
    await page.getByRole('heading', { level: 1, name: /^Partner/ }).waitFor();
    await page.goBack();
    await eventually(() => page.evaluate(() => window.scrollY)).toBe(place);
    expect(await ids()).toEqual(listed);
    // None of the three pages was loaded again.
    expect(asked.slice(before).filter(({ path }) => path === '/v1/signals').length).toBeLessThanOrEqual(1);

    await page.getByLabel('Search accounts').fill('account 432');
    await eventually(async () =>
      (await rows().locator('[data-signal]').allTextContents()).every((name) => /^Account 432/.test(name)),
    ).toBe(true);
    await expectLight({ requests: 20 });
  });
});
