import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { daysAgo, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { expectNoBarrier, openConsole, signIn, skipBrowser } from './browser.ts';

describe.skipIf(skipBrowser)('what the console says when there is little to show', () => {
  let service: TestService;
  let page: Page;
  let misdeeds: string[];
  openConsole(startTestService, (opened) => {
    ({ service, page, misdeeds } = opened);
  });

  const at = (path: string) => `${service.url}/console${path}`;
  const main = () => page.getByRole('main');
  const loading = () => page.getByRole('status', { name: 'Loading' });
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  async function readKey({ orgId }: TestOrganization): Promise<string> {
    const body = { name: 'reader', scopes: ['read'] };
    return (await service.operator('POST', `/admin/v1/organizations/${orgId}/keys`, body)).body.data.key;
  }

  /** Each page, and what it tells an organization without data to do next. */
  const next: [path: string, what: string][] = [
    ['/', 'Import data to get your first signal.'],
    ['/signals', 'Import accounts, deals and partner lists to get signals.'],
    ['/partners', 'Import your partners to compare what each contributes.'],
    ['/attribution', 'Import your deals and what your partners did on them.'],
    ['/review', 'Import accounts and partner lists to find more.'],
    ['/policy', 'The first settings of your organization.'],
    ['/webhooks', 'Add the URL of your receiver'],
    ['/webhooks/new', 'HTTPS URL of your receiver'],
  ];

  test.each(next)('%s tells an organization without data what to do next', async (path, what) => {
    const org = await service.organization();
    await signIn(page, at(path), org.key);
    await main().getByText(what).first().waitFor();
    await expect.poll(() => loading().count()).toBe(0);
    expect(await main().innerText()).not.toMatch(/\/ingest|\/v1|several currencies|undefined|NaN|null/);
    if (path === '/') await expectNoBarrier(page);
  });

  test('partners without deals are not told of several currencies', async () => {
    const org = await service.organization();
    await loadFacts(org, { partners: [{}, {}], accounts: [{}], partner_accounts: [{}] });
    for (const [path, content] of [
      ['/', 'No partner has been credited'],
      ['/partners', 'Partner p1'],
      ['/attribution', 'No partner has been credited yet.'],
    ] as const) {
      await signIn(page, at(path), org.key);
      await main().getByText(content).first().waitFor();
      await expect.poll(() => loading().count()).toBe(0);
      expect(await main().innerText(), path).not.toContain('several currencies');
    }
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await section('Act on these first').getByText('Partner p1').first().waitFor();
    expect(await section('Import your data').count()).toBe(0);
  });

  test('a key that may not change something is told which scope it lacks and who can help', async () => {
    const org = await service.organization();
    await signIn(page, at('/'), await readKey(org));
    const lacking: [path: string, text: string][] = [
      ['/', 'To import data, you need a key with the scope ingest. Whoever runs the service can create one.'],
      ['/policy', 'To change the policy or preview a change, you need a key with the scope admin.'],
      ['/webhooks', 'Your key is read-only. To add or change webhooks, you need a key with the scope write.'],
      ['/webhooks/new', 'Your key is read-only. To add webhooks, you need a key with the scope write.'],
    ];
    for (const [path, text] of lacking) {
      await page.goto(at(path));
      await main().getByText(text).waitFor();
    }
    await page.route('**/v1/signals?**', (route) =>
      route.fulfill({
        status: 403,
        json: {
          error: {
            code: 'forbidden',
            message: 'This requires the scope "read"; your key has: ingest.',
            request_id: 'req_1',
          },
        },
      }),
    );
    await page.goto(at('/signals'));
    const alert = page.getByRole('alert');
    await alert.getByText('This requires the scope "read"').waitFor();
    await alert.getByText('Whoever runs the service can create a key with this scope.').waitFor();
    expect(misdeeds.splice(0).filter((line) => !line.includes('403'))).toEqual([]);
  });

  test('a placeholder has the shape of the page while it loads', async () => {
    const org = await service.organization();
    await signIn(page, at('/webhooks'), org.key);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isData = ({ pathname }: URL) => pathname.startsWith('/v1/') && pathname !== '/v1/me';
    await page.route(isData, async (route) => {
      await held;
      await route.continue();
    });
    for (const [path, shape] of [
      ['/', '.loading-chart'],
      ['/signals', '.card .loading-table'],
      ['/partners', '.card .loading-table'],
      ['/partners/prt_00000000000000000000000000', '.figures .loading-figure'],
      ['/policy', '.policy-fields'],
    ] as const) {
      await page.goto(at(path));
      await loading().first().waitFor();
      await page.locator(shape).first().waitFor();
    }
    release();
    await page.getByRole('button', { name: 'Save as version 2' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(misdeeds.splice(0).filter((line) => !/ERR_|404/.test(line))).toEqual([]);
  });

  test('changes of the policy that are not saved are not lost without a question', async () => {
    const org = await service.organization();
    await signIn(page, at('/policy'), org.key);
    const field = page.getByLabel('Sourcing window (days)');
    await field.fill('100');
    await page.getByText('Sourcing window: 180 days → 100 days').waitFor();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByText('Sourcing window: 180 days → 100 days').waitFor();
    await expectNoBarrier(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    expect(new URL(page.url()).pathname).toBe('/console/policy');
    expect(await field.inputValue()).toBe('100');

    const asked = page.waitForEvent('dialog');
    const reload = page.reload();
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await reload.catch(() => {});
    expect(await field.inputValue()).toBe('100');

    const signOut = page.getByRole('banner').getByRole('button', { name: 'Sign out', exact: true });
    await signOut.click();
    const signingOut = page.getByRole('dialog', { name: 'Sign out without saving?' });
    await signingOut.getByText('Sourcing window: 180 days → 100 days').waitFor();
    await signingOut.getByRole('button', { name: 'Keep editing' }).click();
    expect(await field.inputValue()).toBe('100');
    await signOut.click();
    await signingOut.getByRole('button', { name: 'Sign out without saving' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, at('/policy'), org.key);
    expect(await field.inputValue()).toBe('180');
    await field.fill('100');

    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await dialog.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.getByRole('link', { name: 'Policy', exact: true }).click();
    expect(await field.inputValue()).toBe('180');
    await field.fill('90');
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    await page.getByText('Saved as version 2.').waitFor();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  });

  test('the settings of the policy are grouped under questions', async () => {
    const org = await service.organization();
    await signIn(page, at('/policy'), org.key);
    const questions = page.getByRole('form', { name: 'Policy' }).getByRole('heading', { level: 2 });
    await questions.first().waitFor();
    const texts = await questions.allTextContents();
    expect(texts[0]).toBe('How long does a partner’s help count?');
    for (const text of texts) expect(text).toMatch(/\?$/);
    const group = page.getByRole('group', { name: 'How long does a partner’s help count?' });
    expect(await group.getByRole('spinbutton').count()).toBe(3);
  });

  describe('charts', () => {
    const day = (days: number) => daysAgo(days).slice(0, 10);
    async function organization(): Promise<TestOrganization> {
      const org = await service.organization();
      await loadFacts(org, {
        partners: [{}],
        accounts: [{}],
        opportunities: [5, 70].map((days, index) => ({
          status: 'won',
          value: 1_234.5 * (index + 1),
          currency: 'EUR',
          opened_at: daysAgo(days + 40),
          closed_date: day(days),
        })),
        activities: [5, 70].map((days, index) => ({
          occurred_at: daysAgo(days + 10),
          opportunity_crm_id: `o${index + 1}`,
        })),
      });
      return org;
    }
    const monthOf = (days: number) =>
      new Date(daysAgo(days)).toLocaleString('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });
    const chart = () => section('Credit by tier and month');
    const slider = () => chart().getByRole('slider');
    const tip = () => chart().locator('.tip');

    test('tell the exact values of each month by keyboard, mouse and touch, and have a table behind them', async () => {
      const org = await organization();
      await signIn(page, at('/'), org.key);
      await chart().getByText('Credited value in EUR, by closing month').waitFor();
      expect(await tip().count()).toBe(0);

      await slider().focus();
      const current = new Date().toLocaleString('en-US', {
        month: 'short',
        year: 'numeric',
        timeZone: 'UTC',
      });
      await tip().getByText(current).waitFor();
      for (let month = 0; month < 12; month++) {
        const text = (await slider().getAttribute('aria-valuetext')) ?? '';
        expect(text).toContain(await tip().locator('p').innerText());
        if (text.startsWith(monthOf(70))) break;
        await page.keyboard.press('ArrowLeft');
      }
      expect(await slider().getAttribute('aria-valuetext')).toBe(`${monthOf(70)}: €2,469 (co-sell €2,469)`);
      await tip().getByText('€2,469').first().waitFor();
      await expectNoBarrier(page);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.keyboard.press('Escape');
      expect(await tip().count()).toBe(0);
      await page.keyboard.press('Home');
      await tip().waitFor();
      await slider().blur();
      expect(await tip().count()).toBe(0);

      const box = await chart().locator('.bars-area').boundingBox();
      const { x = 0, y = 0, width = 0, height = 0 } = box ?? {};
      await page.mouse.move(x + width * (11.5 / 12), y + height / 2);
      await tip().getByText(current).waitFor();
      await page.mouse.move(x + width / 24, y + height / 2);
      await tip().getByText(current).waitFor({ state: 'detached' });
      await page.mouse.move(0, 0);
      expect(await tip().count()).toBe(0);

      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true });
      const touchPoints = [{ x: x + width * (11.5 / 12), y: y + height / 2 }];
      await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
      await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await tip().getByText(current).waitFor();
      await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: false });

      await chart().getByText('Show as table').click();
      const row = chart()
        .getByRole('row')
        .filter({ hasText: monthOf(70) });
      await row.getByText('€2,469').first().waitFor();
    });

    test('a sparkline stands above its first and last value', async () => {
      const org = await organization();
      await signIn(page, at('/partners'), org.key);
      const row = page.locator('tbody tr').first();
      await row.getByRole('img', { name: /^Credit by month: / }).waitFor();
      const ends = await row.locator('.spark-ends span').allTextContents();
      expect(ends).toHaveLength(2);
      for (const end of ends) expect(end).toMatch(/^€[\d.]+K?$/);
    });
  });
});
