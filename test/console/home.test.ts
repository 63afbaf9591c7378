import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { TestService } from '../harness.ts';
import { expectNoBarrier, openConsole, signIn, skipBrowser } from './browser.ts';
import { startDemo } from './demo.ts';

describe.skipIf(skipBrowser)('the working day of a partner manager, on the demo', () => {
  let service: TestService;
  let key: string;
  let page: Page;

  const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const loaded = () => eventually(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
  const open = (path: string) => signIn(page, `${service.url}/console${path}`, key);
  const get = async (path: string) => (await service.call('GET', path, { key })).body.data;

  openConsole(
    async () => {
      ({ service, key } = await startDemo());
      return service;
    },
    (window) => {
      ({ page } = window);
    },
  );

  test('which three deals to act on: Home lists them with who and why, and one click opens each', async () => {
    await open('/');
    expect(await page.title()).toBe('Home · Partner Signals');
    const first = (await service.call('GET', '/v1/signals?sort=priority&state=new&limit=3', { key })).body
      .data;
    const items = section('Act on these first').getByRole('listitem');
    await items.first().waitFor();
    for (const [index, signal] of first.entries()) {
      const text = await items.nth(index).innerText();
      for (const word of [
        signal.priority,
        signal.account.name,
        signal.partner.name,
        signal.recommended_action,
      ])
        expect(text).toContain(String(word));
    }
    await items.first().getByRole('heading').getByRole('link').click();
    await page.waitForURL(`**/signals/${first[0].id}?state=new`);
    await page.getByRole('heading', { name: 'Why it fired' }).waitFor();
  });

  test('which partners contribute most: Home has the leaders, and one click shows the scorecard', async () => {
    await open('/');
    const { partners } = await get('/v1/partners/scorecard');
    type Score = { partner: { name: string }; credited_value: number; win_rate: number | null };
    const byCredit = partners.toSorted((a: Score, b: Score) => b.credited_value - a.credited_value);
    const leaders = section('Partners by credit').getByRole('listitem');
    await leaders.first().waitFor();
    expect(await leaders.first().innerText()).toContain(byCredit[0].partner.name);
    expect(await leaders.first().innerText()).toMatch(/€[\d,]+/);
    await page.getByRole('link', { name: 'Scorecard' }).click();
    const names = () => page.locator('tbody tr td:first-child a').allTextContents();
    await eventually(names).toEqual(byCredit.map((score: Score) => score.partner.name));
    const sorted = page.getByRole('columnheader', { name: /^Credited/ });
    expect(await sorted.getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('link', { name: 'Win rate' }).click();
    await page.waitForURL(/sort=win_rate/);
    const best = Math.max(...partners.map((score: Score) => score.win_rate ?? 0));
    expect(await page.locator('tbody tr').first().innerText()).toContain(`${best}%`);
    await page.getByRole('link', { name: 'Partner', exact: true }).click();
    await eventually(names).toEqual(partners.map((score: Score) => score.partner.name));
  });

  test('who gets credit for the largest deal, and is it fair: Home names them, and one click shows the evidence', async () => {
    await open('/');
    const [largest] = (await get('/v1/partners/scorecard')).largest_deals;
    const credited = section('Largest credited deal').getByRole('list', { name: 'Credited partners' });
    await credited.waitFor();
    await section('Largest credited deal').getByRole('link', { name: largest.opportunity.name }).waitFor();
    expect(await credited.getByRole('listitem').count()).toBe(largest.partners);
    await credited.getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: largest.opportunity.name }).waitFor();
    expect(await section('Evidence').innerText()).toContain('Why it counted:');
  });

  test('the chart of credit has its numbers in a table, which are those of the summary', async () => {
    await open('/');
    const { converted } = await get('/v1/attribution/summary');
    const chart = section('Credit by tier and month');
    await chart.getByRole('img', { name: /^Credited value by month and tier\. Highest: €/ }).waitFor();
    await chart.getByText('Show as table').click();
    expect(await chart.getByRole('row').count()).toBe(13);
    type Amounts = { tier: string; month: string; credited_value: number };
    const [row] = converted.by_tier_and_month.filter(({ tier }: Amounts) => tier === 'sourced').slice(-1);
    const month = new Date(`${row.month}-01`).toLocaleString('en-US', {
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
    });
    const cells = chart.getByRole('row').filter({ hasText: month }).getByRole('cell');
    expect((await cells.first().innerText()).replaceAll(/[€,]/g, '')).toBe(String(row.credited_value));
  });

  test('says what changed since the last visit, which the browser remembers; a reload is no visit', async () => {
    await open('/');
    await page.getByText('On your next visit, this line shows what has changed.').waitFor();
    const [signal] = (await service.call('GET', '/v1/signals?state=new&limit=1', { key })).body.data;
    await service.call('PATCH', `/v1/signals/${signal.id}`, { key, body: { state: 'handled' } });
    await page.reload();
    await page.getByText('On your next visit, this line shows what has changed.').waitFor();
    await service.call('PATCH', `/v1/signals/${signal.id}`, { key, body: { state: 'in_progress' } });
    await page.reload();
    await eventually(() => handledAtLastVisit()).toBe(await handledNow());
    await service.call('PATCH', `/v1/signals/${signal.id}`, { key, body: { state: 'handled' } });
    await page.evaluate(() => {
      const name = Object.keys(localStorage).find((key) =>
        key.startsWith('partner-signals.visits.'),
      ) as string;
      const visits = JSON.parse(localStorage.getItem(name) as string);
      visits.latest.at = new Date(Date.now() - 3 * 86_400_000).toISOString();
      localStorage.setItem(name, JSON.stringify(visits));
    });
    await page.reload();
    await page.getByText('Since your last visit 3 days ago: 1 signal handled.').waitFor();
  });
  const handledNow = async () => {
    const { by_type } = await get('/v1/signals/summary');
    return Object.values<{ handled: number }>(by_type).reduce((sum, { handled }) => sum + handled, 0);
  };
  const handledAtLastVisit = () =>
    page.evaluate(() => {
      const name = Object.keys(localStorage).find((key) => key.startsWith('partner-signals.visits.'));
      return JSON.parse(localStorage.getItem(name ?? '') ?? 'null')?.latest.handled;
    });

  test('rules and matches: how signals were taken up, and what waits for review', async () => {
    await open('/');
    const { by_type } = await get('/v1/signals/performance');
    const rules = section('How the rules perform');
    await rules.getByRole('row').nth(3).waitFor();
    for (const [index, { fired, handled }] of by_type.entries()) {
      const cells = await rules
        .getByRole('row')
        .nth(index + 1)
        .getByRole('cell')
        .allTextContents();
      expect([cells[0], cells[2]]).toEqual([String(fired), String(handled)]);
    }
    await section('Matches to review').getByRole('link', { name: 'Review', exact: true }).waitFor();
  });

  test('tables are saved as CSV files, with the filters of the page', async () => {
    await open('/partners?type=gsi');
    await page.locator('tbody a').first().waitFor();
    const lines = async () => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download CSV' }).first().click();
      const file = await (await download).path();
      return (await readFile(file, 'utf8')).trim().split('\r\n');
    };
    const scores = await lines();
    expect(scores[0]).toMatch(/^partner\.id,partner\.name/);
    expect(scores).toHaveLength(1 + (await page.locator('tbody tr').count()));
    await page.goto(`${service.url}/console/attribution?tier=sourced`);
    await page.locator('tbody a').first().waitFor();
    const records = await lines();
    expect(records.length).toBeGreaterThan(2);
    expect(records.slice(1).every((line) => line.includes(',sourced,'))).toBe(true);
  });

  test('a partner page and a record are printed without what is of no use on paper', async () => {
    await open('/partners');
    await page.locator('tbody a').first().click();
    await section('Credit').getByRole('img').waitFor();
    await loaded();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    await section('Credit').getByRole('img').waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(255, 255, 255)',
    );
    await page.emulateMedia({ media: 'screen' });
    await section('Credit').locator('tbody a').first().click();
    await section('Evidence').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    await section('Evidence').getByRole('listitem').first().waitFor();
  });

  test.each(['Home', 'Partners', 'Attribution', 'Policy', 'a partner', 'a record'])(
    'no serious barrier and nothing wider than the screen, in light and dark, on large and small: %s',
    async (name) => {
      const [first] = await get('/v1/attribution?limit=1');
      const paths: Record<string, string> = {
        Home: '/',
        'a partner': `/partners/${first.partner.id}`,
        'a record': `/attribution/${first.id}`,
      };
      await open(paths[name] ?? `/${name.toLowerCase()}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await loaded();
      if (name === 'Home') await page.getByText('Show as table').click();
      await expectNoBarrier(page);
    },
  );
});
