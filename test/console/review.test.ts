import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { lookForSuggestions, matchesOf, suggestionsOf } from '../matches/requests.ts';
import { expectNoBarrier, openConsole, signIn, skipBrowser } from './browser.ts';

const nowhere = { domain: null, country: 'GB' };

describe.skipIf(skipBrowser)('review of matches in the console', () => {
  let service: TestService;
  let page: Page;
  let org: TestOrganization;

  openConsole(startTestService, (opened) => {
    ({ service, page } = opened);
  });
  beforeEach(async () => {
    org = await service.organization();
    await loadFacts(org, {
      partners: [{}],
      accounts: [
        { crm_id: 'a1', name: 'Costbrook', ...nowhere },
        { crm_id: 'a2', name: 'Altrane', ...nowhere },
        { crm_id: 'a3', name: 'Kelvinor', ...nowhere },
        { crm_id: 'a4', name: 'Shared', domain: 'shared.example' },
      ],
      partner_accounts: [
        { external_id: 'l1', name: 'Costbrook Wholesale', ...nowhere },
        { external_id: 'l2', name: 'Altrane Chemicals', ...nowhere, country: 'FR' },
        { external_id: 'l3', name: 'Kelvinor Optics', ...nowhere },
        { external_id: 'l4', name: 'Shared Ltd', domain: 'shared.example' },
      ],
    });
    await lookForSuggestions(service, org);
  });

  const open = (path: string, key = org.key) => signIn(page, `${service.url}/console${path}`, key);
  const pair = () => page.locator('section.comparison');
  const decisions = async () =>
    (await readAll<{ decision: string; status: string }>(org, '/v1/match_decisions')).map(
      ({ decision, status }) => `${decision} ${status}`,
    );

  test('the queue is worked through with the keyboard: same, different, skip, undo', async () => {
    const queue = await suggestionsOf(org);
    expect(queue).toHaveLength(3);
    await open('/review');
    const named = (place: number) =>
      page.getByRole('region', {
        name: `${queue[place]?.account.name} and ${queue[place]?.partner_account.name}`,
      });
    await named(0).waitFor();
    await page.getByText('3 pairs left.').waitFor();
    await page.keyboard.press('s');
    await page.getByText(/are the same company\./).waitFor();
    await named(1).waitFor();
    await page.getByText('2 pairs left.').waitFor();
    await page.keyboard.press('d');
    await page.getByText(/are different companies\./).waitFor();
    await named(2).waitFor();
    expect(await decisions()).toEqual(['different current', 'same current']);
    expect(await matchesOf(org)).toHaveLength(2);

    await page.keyboard.press('u');
    await named(1).waitFor();
    expect(await decisions()).toContain('different reverted');
    await page.keyboard.press('k');
    await named(2).waitFor();
    await page.keyboard.press('k');
    await page.getByText('You skipped 2 pairs. Nothing else is left to review.').waitFor();
    expect(await page.getByText(/pairs? left\./).count()).toBe(0);
    await page.getByRole('button', { name: 'Review skipped pairs' }).click();
    await named(1).waitFor();
    await page.getByText('2 pairs left.').waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.getByText('You skipped 2 pairs.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await named(2).waitFor();
  });

  test('shows what is known of both, and marks what differs', async () => {
    await open('/review');
    while (!(await pair().getByText('Altrane Chemicals').count())) {
      const before = await pair().getAttribute('aria-label');
      await page.keyboard.press('k');
      await expect.poll(() => pair().getAttribute('aria-label')).not.toBe(before);
    }
    await pair()
      .getByRole('row', { name: /^Country differs United Kingdom France$/ })
      .waitFor();
    expect(await pair().locator('mark').allTextContents()).toEqual(['Chemicals']);
    await pair().getByText('Not known').first().waitFor();
    await expectNoBarrier(page);
    await pair().getByRole('link', { name: 'Altrane' }).click();
    await page.getByRole('region', { name: 'Possible matches' }).getByText('Altrane Chemicals').waitFor();
    await expectNoBarrier(page);
    await page.getByRole('link', { name: 'Review these matches' }).click();
    await pair().getByText('Altrane Chemicals').waitFor();
    expect(new URL(page.url()).searchParams.has('account_id')).toBe(true);
  });

  test('an overlap can be called wrong, and that can be undone', async () => {
    const [partner] = await readAll<{ id: string }>(org, '/v1/partners');
    await open(`/partners/${partner?.id}`);
    const overlaps = page.getByRole('region', { name: 'Shared accounts' });
    await overlaps.getByRole('button', { name: 'Shared and Shared Ltd: not the same company?' }).click();
    const dialog = page.getByRole('dialog', { name: 'Not the same company?' });
    await expectNoBarrier(page);
    await dialog.getByLabel('Note').fill('Another group');
    await dialog.getByRole('button', { name: 'Mark as different' }).click();
    await overlaps.getByText('Marked as different.').waitFor();
    expect(await matchesOf(org)).toEqual([]);
    await overlaps.getByRole('button', { name: 'Undo' }).click();
    await overlaps.getByRole('button', { name: /not the same company/ }).waitFor();
    expect(await matchesOf(org)).toEqual(['a4 = l4 (domain)']);
  });

  test('a confirmed match says so, on the pages of the account and the partner', async () => {
    const [first] = await suggestionsOf(org);
    await org.call('POST', '/v1/match_decisions', {
      body: {
        account_id: first?.account.id,
        partner_id: first?.partner.id,
        partner_account_external_id: first?.partner_account.external_id,
        decision: 'same',
      },
    });
    await open(`/accounts/${first?.account.id}`);
    await page.getByText('Confirmed by a person').waitFor();
    await page.goto(`${service.url}/console/partners/${first?.partner.id}`);
    await page.getByText('Confirmed by a person').waitFor();
  });

  test('a read-only key sees the queue and why it cannot decide', async () => {
    const issued = await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, {
      name: 'reader',
      scopes: ['read'],
    });
    await open('/review', issued.body.data.key);
    await page.getByText('Your key is read-only. To decide on matches,').waitFor();
    await page.keyboard.press('s');
    expect(await page.getByRole('button', { name: /^Same company/ }).isDisabled()).toBe(true);
    expect(await decisions()).toEqual([]);
  });
});
