import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { TestService } from '../harness.ts';
import { openConsole, signIn, skipBrowser } from './browser.ts';
import { startDemo } from './demo.ts';

describe.skipIf(skipBrowser)('the layout of the console', () => {
  let service: TestService;
  let key: string;
  let page: Page;
  openConsole(
    async () => {
      ({ service, key } = await startDemo());
      return service;
    },
    (window) => {
      ({ page } = window);
    },
  );

  const phone = { width: 390, height: 844 };
  const open = async (path: string, size: { width: number; height: number }) => {
    await page.setViewportSize(size);
    await signIn(page, `${service.url}/console${path}`, key);
  };
  const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
  const nav = () => page.getByRole('navigation', { name: 'Main' });
  const rows = () => page.getByRole('list', { name: /^Signals/ }).getByRole('listitem');
  const box = async (of: ReturnType<typeof nav>) => {
    const found = await of.boundingBox();
    if (!found) throw new Error('not on the screen');
    return { ...found, right: found.x + found.width, bottom: found.y + found.height };
  };
  const get = async (path: string) => (await service.call('GET', path, { key })).body.data;

  test('a telephone has five pages in a bar at the bottom, and the others behind More', async () => {
    await open('/', phone);
    expect((await nav().innerText()).split('\n').filter(Boolean)).toEqual([
      'Home',
      'Signals',
      'Partners',
      'Attribution',
      'More',
    ]);
    expect((await box(nav())).bottom).toBe(844);
    for (const item of await nav().locator(':is(a, button):visible').all()) {
      const { width, height } = await box(item);
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
    }
    await nav().getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Dark mode' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
  });

  test('Home begins with what to do on a telephone, and has partners beside it on a laptop', async () => {
    await open('/', phone);
    const first = page.locator('.top-signal').first();
    await first.waitFor();
    expect((await box(first)).bottom).toBeLessThanOrEqual((await box(nav())).y);
    await page.setViewportSize({ width: 1280, height: 800 });
    const section = (name: string) => page.getByRole('region', { name });
    const toDo = await box(section('Act on these first'));
    const partners = await box(section('Partners by credit'));
    expect([partners.y, partners.x > toDo.right]).toEqual([toDo.y, true]);
  });

  test('the header fits a tablet and half of a screen, and Sign out is in reach', async () => {
    await open('/partners', { width: 768, height: 1024 });
    for (const width of [768, 820, 900, 1024, 1100, 1119, 1120, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const banner = page.getByRole('banner');
      for (const item of await banner.locator('a:visible, button:visible, p:visible').all())
        expect((await box(item)).right, `${await item.innerText()} at ${width} px`).toBeLessThanOrEqual(
          width,
        );
      expect((await box(banner)).height, `${width} px`).toBeLessThanOrEqual(64);
      expect((await box(banner.getByText('Partner Signals'))).height).toBeLessThan(30);
      const more = nav().getByRole('button', { name: 'More' });
      if (await more.isVisible()) await more.click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
  });

  test('a telephone shows the first signal without scrolling, and the filters behind a button that counts them', async () => {
    await open('/signals', phone);
    await rows().first().waitFor();
    expect((await box(rows().first())).bottom).toBeLessThan((await box(nav())).y);
    const handled = page.getByRole('group', { name: 'State' }).getByRole('link', { name: /^Handled/ });
    expect(await handled.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await handled.click();
    await page.waitForURL(/state=handled/);
    await page
      .getByRole('group', { name: 'Type' })
      .getByRole('link', { name: /^Co-sell/ })
      .click();
    const button = page.getByRole('button', { name: 'Filters 2 active' });
    await button.click();
    await eventually(() => handled.isVisible()).toBe(false);
    expect(await button.getAttribute('aria-expanded')).toBe('false');
    await page.reload();
    await button.waitFor();
  });

  test('compact rows show thirteen signals on a small laptop, work by keyboard and are remembered', async () => {
    await open('/signals', { width: 1280, height: 800 });
    await rows().first().waitFor();
    const above = async () => {
      const bottoms = await Promise.all((await rows().all()).map(async (row) => (await box(row)).bottom));
      return bottoms.filter((bottom) => bottom <= 800).length;
    };
    expect(await above()).toBeLessThan(6);
    await page.getByRole('button', { name: 'Compact' }).click();
    await eventually(above).toBeGreaterThanOrEqual(13);
    await page.reload();
    await eventually(above).toBeGreaterThanOrEqual(13);
    expect(await page.getByRole('button', { name: 'Compact' }).getAttribute('aria-pressed')).toBe('true');

    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    expect(await rows().nth(1).getByRole('checkbox').isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Signal', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('v');
    await page.getByRole('button', { name: 'Comfortable', pressed: true }).waitFor();
    await eventually(above).toBeLessThan(6);
  });

  test('breadcrumbs lead to the pages above and end in the page itself', async () => {
    const [record] = await get('/v1/attribution?limit=1');
    const { opportunity, account, partner } = record;
    await open(`/attribution/${record.id}`, { width: 1280, height: 800 });
    for (const [path, names] of [
      [`/attribution/${record.id}`, ['Attribution', opportunity.name]],
      [`/deals/${opportunity.id}`, ['Home', account.name, opportunity.name]],
      [`/accounts/${account.id}`, ['Home', account.name]],
      [`/partners/${partner.id}`, ['Partners', partner.name]],
      ['/webhooks/new', ['Webhooks', 'Add webhook']],
    ] as const) {
      await page.goto(`${service.url}/console${path}`);
      const items = page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('listitem');
      await eventually(() => items.allTextContents()).toEqual(names);
      expect(await items.last().getAttribute('aria-current')).toBe('page');
      expect(await items.getByRole('link').count()).toBe(names.length - 1);
    }
  });

  test('every page is as wide as the others', async () => {
    await open('/', { width: 1600, height: 900 });
    const widths = new Set<number>();
    for (const path of [
      '/',
      '/signals',
      '/partners',
      '/attribution',
      '/review',
      '/policy',
      '/webhooks',
      '/webhooks/new',
    ]) {
      await page.goto(`${service.url}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      widths.add((await box(page.locator('#main > div, #main > section').first())).width);
    }
    expect([...widths]).toHaveLength(1);
  });

  test('a dialog dims all of the page, which does not scroll or move behind it', async () => {
    await open('/signals', { width: 1280, height: 800 });
    await rows().first().waitFor();
    const place = await box(rows().first());
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflow)).toBe('hidden');
    expect(await box(rows().first())).toEqual(place);
    await page.mouse.wheel(0, 500);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
  });

  test('on a telephone, each number in a table has the name of its column beside it', async () => {
    const { partners } = await get('/v1/partners/scorecard');
    const [{ account }] = await get('/v1/signals?limit=1');
    await open('/partners', phone);
    for (const path of [
      '/partners',
      `/partners/${partners[0].partner.id}`,
      '/attribution',
      `/accounts/${account.id}`,
    ]) {
      await page.goto(`${service.url}/console${path}`);
      await page.locator('tbody td.number:visible').first().waitFor();
      const bare = await page.locator('tbody td.number').evaluateAll((cells) =>
        cells
          .filter((cell) => getComputedStyle(cell, '::before').content === 'none' && cell.checkVisibility())
          .filter((cell) => !cell.closest('details'))
          .map((cell) => cell.textContent),
      );
      expect(bare, path).toEqual([]);
    }
  });
});
