import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  activityKinds,
  matchKinds,
  partnerTypes,
  relationships,
  signalStates,
  signalTypes,
  tiers,
} from '../../src/vocabulary.ts';
import { operatorKey, type TestService } from '../harness.ts';
import { expectNoBarrier, openConsole, signIn as signInAt, skipBrowser } from './browser.ts';
import { startDemo } from './demo.ts';

describe.skipIf(skipBrowser)('the console in a browser', () => {
  let service: TestService;
  let key: string;
  let page: Page;
  let misdeeds: string[];

  openConsole(
    async () => {
      ({ service, key } = await startDemo());
      return service;
    },
    (window) => {
      ({ page, misdeeds } = window);
    },
  );

  const signIn = (path = '/signals', with_ = key) => signInAt(page, `${service.url}/console${path}`, with_);
  const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const rows = () => page.getByRole('list', { name: /^Signals/ }).getByRole('listitem');
  const panel = () => page.getByRole('region', { name: 'Signal', exact: true });
  const filter = (group: string, name: string) =>
    page.getByRole('group', { name: group }).getByRole('link', { name: new RegExp(`^${name}`) });
  const address = () => page.url().replace(`${service.url}/console`, '');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-signal') ?? null);
  const signalIds = () =>
    rows()
      .locator('[data-signal]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('data-signal')));

  test('says when a key is wrong, and lets nobody in', async () => {
    await page.goto(`${service.url}/console/`);
    for (const wrong of [`psk_${'x'.repeat(38)}`, 'schlüssel', '']) {
      await page.getByLabel('API key').fill(wrong);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(wrong === '' ? 'Enter an API key.' : 'This key is not valid.').waitFor();
      expect(await page.getByRole('navigation').count()).toBe(0);
    }
    await page.getByLabel('API key').fill(operatorKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This is an operator key. Sign in with an API key of your organization.').waitFor();
    // The browser itself logs the refused requests.
    expect(misdeeds.splice(0)).toEqual([expect.stringContaining('401'), expect.stringContaining('401')]);
  });

  test('filters by state, type and partner, each with its count, and the URL keeps them', async () => {
    await signIn();
    const summary = await service.call('GET', '/v1/signals/summary', { key });
    const { new: count } = summary.body.data.by_type.co_sell;
    await filter('State', 'New').click();
    await filter('Type', 'Co-sell').click();
    await page.getByRole('link', { name: `Co-sell ${count}`, exact: true }).waitFor();
    await eventually(() => rows().filter({ hasText: 'Co-sell' }).count()).toBe(25);
    expect(await rows().count()).toBe(25);
    expect(await rows().getByText('New', { exact: true }).count()).toBe(25);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ type: 'co_sell', state: 'new' });

    const partners = () => rows().locator('a[href*="/partners/"]').allTextContents();
    const [partner = ''] = await partners();
    await page.getByLabel('Partner', { exact: true }).first().click();
    await page.getByRole('option', { name: partner }).click();
    await page.waitForURL(/partner_id=prt_/);
    await eventually(async () => [...new Set(await partners())]).toEqual([partner]);
    const filtered = await signalIds();
    await page.reload();
    await rows().first().waitFor();
    expect(await signalIds()).toEqual(filtered);
  });

  test('loads more by the cursor, each signal once', async () => {
    await signIn();
    await rows().first().waitFor();
    await page.getByRole('button', { name: 'Load more signals' }).click();
    await eventually(() => rows().count()).toBe(50);
    expect(new Set(await signalIds()).size).toBe(50);
  });

  test.each([1280, 390])(
    'Back returns to the same place in a list with all its loaded pages, at %i px',
    async (width) => {
      await page.setViewportSize({ width, height: 800 });
      await signIn();
      await page.getByRole('button', { name: 'Load more signals' }).click();
      await eventually(() => rows().count()).toBe(50);
      await rows().nth(40).scrollIntoViewIfNeeded();
      const place = await page.evaluate(() => window.scrollY);
      expect(place).toBeGreaterThan(1000);
      await rows().nth(40).locator('[data-signal]').click();
      await panel().getByRole('heading', { level: 2 }).waitFor();
      await panel().getByRole('link').nth(1).click();
      await page.getByText('Co-sell density').waitFor();
      expect(await page.evaluate(() => window.scrollY)).toBe(0);
      await page.goBack();
      await panel().getByRole('heading', { level: 2 }).waitFor();
      await page.goBack();
      await eventually(() => page.evaluate(() => window.scrollY)).toBe(place);
      expect(await rows().count()).toBe(50);
      expect(await page.evaluate(() => window.scrollY)).toBe(place);
    },
  );

  test('opening and closing a signal far down the list keeps its row in view', async () => {
    await signIn();
    await rows().nth(20).locator('[data-signal]').click();
    await panel().getByRole('heading', { level: 2 }).waitFor();
    const top = async () => (await rows().nth(20).boundingBox())?.y ?? -1;
    expect(await top()).toBeGreaterThan(0);
    expect(await top()).toBeLessThan(720);
    await panel().getByRole('button', { name: 'Close signal' }).click();
    await eventually(() => panel().count()).toBe(0);
    expect(await top()).toBeGreaterThan(0);
    expect(await top()).toBeLessThan(720);
  });

  test('no page shows a value of the API in place of words', async () => {
    await signIn();
    const values = [signalTypes, signalStates, partnerTypes, tiers, activityKinds, matchKinds, relationships]
      .flat()
      .filter((value) => value.includes('_'));
    const raw = new RegExp(`\\b(${values.join('|')}|domain:\\S+|name:\\S+|registry:\\S+)\\b`, 'g');
    for (const path of ['/', '/policy', '/signals', '/partners', '/attribution']) {
      await page.goto(`${service.url}/console${path}`);
      if (path === '/' || path === '/policy') {
        await heading(path === '/' ? 'Act on these first' : 'Versions').waitFor();
        await eventually(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
        expect((await page.locator('body').innerText()).match(raw), path).toBeNull();
        continue;
      }
      const first = page.locator('[data-signal], tbody a').first();
      await first.waitFor();
      expect((await page.locator('body').innerText()).match(raw), path).toBeNull();
      await first.click();
      await heading(
        path === '/signals' ? 'History' : path === '/partners' ? 'Shared accounts' : 'Evidence',
      ).waitFor();
      await eventually(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
      expect((await page.locator('body').innerText()).match(raw), `first of ${path}`).toBeNull();
    }
  });

  test('opens a signal with its reasons and activities; a change with a note is in its history', async () => {
    await signIn('/signals?state=new');
    await rows().first().locator('[data-signal]').click();
    await page.waitForURL(/\/signals\/sig_[a-z0-9]+\?state=new$/);
    for (const name of ['Deal', 'Why it fired', 'Partner activity on this account', 'History'])
      await heading(name).waitFor();

    await panel().getByLabel('Note').fill('Called them; they will bring a reference.\nMore on Friday.');
    await panel().getByRole('button', { name: 'Start' }).click();
    await panel().getByRole('list', { name: 'History' }).getByText('they will bring a reference.').waitFor();
    await panel().getByRole('button', { name: 'Release' }).waitFor();
    expect(await rows().first().getByText('In progress').count()).toBe(1);
    expect(await panel().getByLabel('Note').inputValue()).toBe('');

    const id = /sig_[a-z0-9]+/.exec(address())?.[0];
    const { body } = await service.call('GET', `/v1/signals/${id}`, { key });
    expect(body.data.state).toBe('in_progress');
    expect(body.data.history.at(-1)).toMatchObject({
      from: 'new',
      to: 'in_progress',
      note: 'Called them; they will bring a reference.\nMore on Friday.',
    });
  });

  test('a change that somebody else was faster with is not made: it says so, shows theirs and keeps the note', async () => {
    await signIn('/signals?state=new');
    await rows().nth(1).locator('[data-signal]').click();
    await panel().getByLabel('Note').fill('Mine');
    const id = /sig_[a-z0-9]+/.exec(address())?.[0];
    await service.call('PATCH', `/v1/signals/${id}`, { key, body: { state: 'handled', note: 'Theirs' } });
    await panel().getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click();
    await panel().getByRole('alert').getByText('Someone else changed this signal').waitFor();
    await panel().getByRole('list', { name: 'History' }).getByText('Theirs').waitFor();
    expect(await panel().getByLabel('Note').inputValue()).toBe('Mine');
    expect(misdeeds.splice(0)).toEqual([expect.stringContaining('412')]);
    await panel().getByRole('button', { name: 'Reopen' }).click();
    await panel().getByRole('list', { name: 'History' }).getByText('Mine').waitFor();
  });

  test('shows partners by type and tier, and one in full', async () => {
    await signIn();
    await page.getByRole('link', { name: 'Partners' }).click();
    await filter('Type', 'Hyperscaler').click();
    await page.waitForURL(/partners\?type=hyperscaler$/);
    await eventually(() => page.getByRole('cell', { name: /Technology partner/ }).count()).toBe(0);
    await page.locator('tbody a').first().click();
    const id = /prt_[a-z0-9]+/.exec(address())?.[0];
    const { data } = (await service.call('GET', `/v1/partners/${id}`, { key })).body;
    await heading(data.name).waitFor();
    await page.getByText(`${data.co_sell_density_score} of 100`).waitFor();
    await page.getByText(`worked with you on ${data.co_sell_density.co_sold_opportunities} of`).waitFor();
    const overlaps = page.getByRole('region', { name: 'Shared accounts' });
    await overlaps
      .getByRole('cell', { name: /^\d+%$/ })
      .first()
      .waitFor();
    await overlaps
      .getByRole('cell', { name: /^Same (domain|additional domain) \([a-z-]+\.example\)$/ })
      .first()
      .waitFor();
    await page.getByRole('region', { name: 'Recent activity' }).getByRole('listitem').first().waitFor();
    await page.getByRole('link', { name: 'all signals with this partner' }).click();
    await eventually(() => rows().filter({ hasText: data.name }).count()).toBeGreaterThan(0);
  });

  test('works by keyboard alone: move, open, close, and back to the same row', async () => {
    await page.goto(`${service.url}/console/`);
    await page.getByLabel('API key').focus();
    await page.keyboard.insertText(key);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').first().waitFor();
    await page.goto(`${service.url}/console/signals`);
    await rows().first().waitFor();
    const ids = await signalIds();

    await page.keyboard.press('j');
    expect(await focused()).toBe(ids[0]);
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    expect(await focused()).toBe(ids[1]);
    await page.keyboard.press('Enter');
    await panel().getByRole('heading', { level: 2 }).waitFor();
    await eventually(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
    await panel().getByLabel('Note').focus();
    await page.keyboard.type('jk');
    expect(await panel().getByLabel('Note').inputValue()).toBe('jk');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await eventually(() => focused()).toBe(ids[1]);
    expect(address()).toBe('/signals');
  });

  test('an organization without data is told so, and a revoked key ends the session', async () => {
    const post = async (path: string, body: unknown) =>
      (await service.call('POST', path, { key: operatorKey, body })).body.data;
    const organization = await post('/admin/v1/organizations', { name: 'Empty', plan: 'standard' });
    const keys = `/admin/v1/organizations/${organization.id}/keys`;
    const made = await post(keys, { name: 'reader', scopes: ['read'] });
    await signIn('/signals', made.key);
    await page.getByText('There are no signals yet.').waitFor();
    await page.goto(`${service.url}/console/signals/sig_00000000000000000000000000`);
    await page
      .getByRole('alert')
      .getByText('There is no signal with the ID sig_00000000000000000000000000.')
      .waitFor();
    await page.goto(`${service.url}/console/nowhere`);
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await page.getByRole('heading', { name: 'Import your data' }).waitFor();
    await page.getByRole('link', { name: 'Signals', exact: true }).click();
    await page.getByText('There are no signals yet.').waitFor();
    await service.call('DELETE', `${keys}/${made.id}`, { key: operatorKey });
    // A revocation may take a second.
    await eventually(async () => (await service.call('GET', '/v1/partners', { key: made.key })).status).toBe(
      401,
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Your key is no longer valid.').waitFor();
    expect(misdeeds.splice(0).filter((line) => !/40[14]/.test(line))).toEqual([]);
  });

  test('follows the appearance of the system until it is switched, and remembers the switch', async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    await signIn();
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    await eventually(background).not.toBe(light);
    const dark = page.getByRole('button', { name: 'Dark mode', pressed: true });
    await dark.click();
    await eventually(background).toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Dark mode', pressed: false }).waitFor();
    expect(await background()).toBe(light);
  });

  test('no serious barrier when signing in, in the list of signals, an open one and an empty list', async () => {
    await page.goto(`${service.url}/console/`);
    await page.getByLabel('API key').waitFor();
    await expectNoBarrier(page);
    await signIn();
    await rows().first().waitFor();
    await expectNoBarrier(page);
    await rows().first().locator('[data-signal]').click();
    await heading('History').waitFor();
    await expectNoBarrier(page);
    await page.goto(`${service.url}/console/signals?assignee=none`);
    await page.getByText('No signals match these filters.').waitFor();
    await expectNoBarrier(page);
  });
});
