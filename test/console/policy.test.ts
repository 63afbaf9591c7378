import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { daysAgo, loadFacts } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { expectNoBarrier, openConsole, signIn, skipBrowser } from './browser.ts';

describe.skipIf(skipBrowser)('policy and scorecard in the console', () => {
  let service: TestService;
  let page: Page;
  let misdeeds: string[];

  openConsole(startTestService, (opened) => {
    ({ service, page, misdeeds } = opened);
  });

  const open = (key: string, path: string) => signIn(page, `${service.url}/console${path}`, key);
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const versions = () => page.getByRole('list', { name: 'Versions, newest first' });
  const day = (days: number) => daysAgo(days).slice(0, 10);

  /** Two partners on a deal that was won before the organization began: what proves it was loaded later. */
  async function organization(currencies = ['EUR', 'EUR']): Promise<TestOrganization> {
    const org = await service.organization();
    await loadFacts(org, {
      partners: [{}, {}],
      accounts: [{}],
      opportunities: currencies.map((currency, index) => ({
        status: 'won',
        value: 100,
        currency,
        opened_at: daysAgo(40),
        closed_date: day(5 + index),
      })),
      activities: ['p1', 'p2'].map((partner_external_id) => ({
        partner_external_id,
        occurred_at: daysAgo(20),
        opportunity_crm_id: 'o1',
      })),
    });
    return org;
  }

  test('a change is previewed beside today’s credit, saved as a version, and its author is named', async () => {
    const org = await organization();
    await open(org.key, '/policy');
    await versions().getByText('Version 1').waitFor();
    const save = page.getByRole('button', { name: 'Save as version 2' });
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Partners share the value equally').check();
    await page.getByLabel('Sourcing window (days)').fill('100');
    await page.getByText('Sourcing window: 180 days → 100 days').waitFor();
    await page.getByRole('button', { name: 'Preview credit' }).click();
    await section('Preview').getByText('2 records of 2 won deals would change.').waitFor();
    const [row] = await section('Preview').locator('tbody tr').allInnerTexts();
    expect(row).toMatch(/Co-sell\s+2\s+2\s+€200\s+€100/);
    expect((await org.get('/v1/settings')).body.data.version).toBe(1);
    await expectNoBarrier(page);
    await save.click();
    await page.getByRole('status').getByText('Saved as version 2.').waitFor();
    await versions().getByText('Version 2').waitFor();
    const [latest] = await versions().getByRole('listitem').allInnerTexts();
    expect(latest).toContain('Current');
    expect(latest).toContain('Sourcing window: 180 days → 100 days');
    const { data } = (await org.get('/v1/settings')).body;
    expect(data.settings.attribution).toMatchObject({
      sourced: { lookback_days: 100, lock_days: 14 },
      split: { method: 'equal' },
    });
    expect(latest).toContain(data.created_by);
  });

  test('what is wrong is said at its field, and what someone else saved meanwhile is not overwritten', async () => {
    const org = await organization();
    await open(org.key, '/policy');
    await page.getByLabel('Reporting currency').fill('eur');
    const { settings } = (await org.get('/v1/settings')).body.data;
    const body = { ...settings, trust_source_recorded_at: true };
    await org.call('PUT', '/v1/settings', { body, headers: { 'if-match': '*' } });
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    await page.getByRole('alert').getByText('Someone else saved a new version first').waitFor();
    expect(misdeeds.splice(0)).toEqual([expect.stringContaining('412')]);
    expect((await org.get('/v1/settings')).body.data.settings.reporting_currency).toBeNull();
    await page.reload();
    await page.getByLabel('Influence window (days)').fill('0');
    await page.getByRole('button', { name: 'Save as version 3' }).click();
    const isValid = () =>
      page.getByLabel('Influence window (days)').evaluate((input: HTMLInputElement) => input.validity.valid);
    expect(await isValid()).toBe(false);
    expect((await org.get('/v1/settings')).body.data.version).toBe(2);
  });

  test('a read-only key sees the policy and why it cannot change it', async () => {
    const { orgId } = await organization();
    const body = { name: 'reader', scopes: ['read'] };
    const { key } = (await service.operator('POST', `/admin/v1/organizations/${orgId}/keys`, body)).body.data;
    await open(key, '/policy');
    await page
      .getByText('To change the policy or preview a change, you need a key with the scope admin.')
      .waitFor();
    expect(await page.getByLabel('Sourcing window (days)').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: /Save|Preview/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await section('Partners by credit').getByText('Partner p1').waitFor();
  });

  test('several currencies without a reporting currency are not added up: Home says so and leads to the policy', async () => {
    const org = await organization(['EUR', 'USD']);
    await loadFacts(org, { activities: [{ occurred_at: daysAgo(20), opportunity_crm_id: 'o2' }] });
    await open(org.key, '/');
    await section('Partners by credit').getByRole('link', { name: 'Set a reporting currency' }).click();
    await page.getByLabel('Reporting currency').fill('EUR');
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    await versions().getByText('Reporting currency: none → EUR').waitFor();
    await page.getByRole('link', { name: 'Attribution', exact: true }).click();
    const totals = section('Totals');
    await totals.getByText('1 deal could not be converted to EUR').waitFor();
    await totals.getByText('Original currencies and exchange rates').click();
    await totals.getByText('$100').first().waitFor();
  });

  test('quarters are one click, and both days of a period are in it', async () => {
    const org = await organization();
    await open(org.key, '/attribution');
    const rows = () => page.locator('.records tbody tr').count();
    await expect.poll(rows).toBe(2);
    await page.getByLabel('From', { exact: true }).fill(day(5));
    await page.getByLabel('To', { exact: true }).fill(day(5));
    await page.waitForURL(/from=.*to=/);
    await expect.poll(rows).toBe(2);
    await page.getByLabel('From', { exact: true }).fill(day(4));
    await page.getByText('No records match these filters.').waitFor();
    const closed = new Date(day(5));
    const quarter = `Q${Math.floor(closed.getUTCMonth() / 3) + 1} ${closed.getUTCFullYear()}`;
    await page.getByRole('group', { name: 'Closed in' }).getByRole('link', { name: quarter }).click();
    await expect.poll(rows).toBe(2);
  });

  test('evidence that was loaded after the closing says why it counts', async () => {
    const org = await organization();
    await open(org.key, '/attribution');
    await page.locator('tbody a').first().click();
    await section('Evidence')
      .getByText('still counts. The deal was closed before your organization')
      .waitFor();
    expect(await section('Evidence').getByRole('listitem').first().innerText()).toContain(
      '(loaded as history)',
    );
  });

  test('2,000 partners are one page: sorted at once, shown a hundred at a time', async () => {
    const org = await service.organization();
    await loadFacts(org, { partners: Array.from({ length: 2_000 }, () => ({})) });
    await open(org.key, '/partners?sort=name');
    const rows = page.locator('tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(100);
    await page.getByRole('button', { name: 'Show more of 2,000 partners' }).click();
    expect(await rows.count()).toBe(200);
  });
});
