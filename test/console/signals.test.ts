import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { loadFacts, organizationWithOverlaps } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { send } from '../ingest/requests.ts';
import { expectNoBarrier, openConsole, signIn, skipBrowser } from './browser.ts';

describe.skipIf(skipBrowser)('signals in the console', () => {
  let service: TestService;
  let page: Page;
  let misdeeds: string[];

  openConsole(startTestService, (opened) => {
    ({ service, page, misdeeds } = opened);
  });

  const row = () => page.getByRole('list', { name: /^Signals/ }).getByRole('listitem');
  const panel = () => page.getByRole('region', { name: 'Signal', exact: true });

  /** One co-sell signal on one deal. */
  async function organization(opportunity: object): Promise<TestOrganization> {
    const org = await service.organization();
    await loadFacts(org, {
      partners: [{}],
      accounts: [{}],
      opportunities: [opportunity],
      activities: [{ opportunity_crm_id: 'o1' }],
    });
    return org;
  }

  test.each([
    [{ stage: 'Proposal/Price Quote', value: 48_000, currency: 'EUR' }, '€48,000'],
    [{ stage: 'IN_REVIEW', value: 48_000.5, currency: 'USD' }, '$48,000.50'],
    [{ stage: 'négociation', value: 48_000 }, '48,000 (no currency)'],
  ])('a deal has its currency, and its stage as the CRM spells it: %j', async (opportunity, amount) => {
    const { key } = await organization(opportunity);
    await signIn(page, `${service.url}/console/signals`, key);
    await row().getByText(amount, { exact: true }).waitFor();
    await row().getByText(opportunity.stage, { exact: true }).waitFor();
    await row().locator('[data-signal]').click();
    await panel().getByText(amount, { exact: true }).waitFor();
    await panel().getByText(opportunity.stage, { exact: true }).waitFor();
  });

  test('an activity that does not count because it names another deal says so', async () => {
    const org = await service.organization();
    await loadFacts(org, {
      partners: [{}],
      accounts: [{}],
      opportunities: [{}, { name: 'The other one' }],
      activities: [{ opportunity_crm_id: 'o1' }, { opportunity_crm_id: 'o2' }],
    });
    await signIn(page, `${service.url}/console/signals`, org.key);
    await row().locator('[data-signal]').first().click();
    await panel().getByText('not counted, because it names another deal').waitFor();
    await panel().getByRole('link', { name: 'another deal' }).click();
    await page.waitForURL(/\/deals\/opp_/);
  });

  test('no part of a row covers another, on a telephone or on a desk', async () => {
    const { key } = await organization({
      owner: { name: 'Sales Strategic Accounts', email: 's@sales.example' },
    });
    await signIn(page, `${service.url}/console/signals`, key);
    await row().getByText('Owner: Sales Strategic Accounts').waitFor();
    for (const width of [360, 390, 820, 1280, 1600]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await row().evaluate(coveredParts), `${width} pixels`).toEqual([]);
    }
  });

  test('expired signals are filtered by why they ended', async () => {
    const { org, signals } = await organizationWithOverlaps(service, 2);
    const [dismissed, unsupported] = signals.map(({ account }) => account.name);
    await org.call('PATCH', `/v1/signals/${signals[0]?.id}`, {
      body: { state: 'expired', dismiss_reason: 'too_late' },
    });
    await send(org, 'accounts', [{ crm_id: signals[1]?.account.crm_id, deleted: true }]);
    const filter = (group: string) => page.getByRole('group', { name: group });
    await signIn(page, `${service.url}/console/signals`, org.key);
    await filter('State').waitFor();
    expect(await filter('Reason').count()).toBe(0);
    await filter('State').getByRole('link', { name: 'Expired' }).click();
    await expect.poll(() => row().count()).toBe(2);
    await filter('Reason').getByRole('link', { name: 'Dismissed' }).click();
    await expect.poll(() => row().allInnerTexts()).toEqual([expect.stringContaining(dismissed as string)]);
    await filter('Reason').getByRole('link', { name: 'The data no longer supports it' }).click();
    await expect.poll(() => row().allInnerTexts()).toEqual([expect.stringContaining(unsupported as string)]);
    await page.reload();
    await expect.poll(() => row().allInnerTexts()).toEqual([expect.stringContaining(unsupported as string)]);
    await expectNoBarrier(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await filter('State').getByRole('link', { name: 'All' }).click();
    await expect.poll(() => row().count()).toBe(2);
    expect(new URL(page.url()).search).toBe('?state=all');
  });

  test('a read-only key sees that it cannot change a signal, without trying', async () => {
    const org = await organization({});
    const issued = await service.operator('POST', `/admin/v1/organizations/${org.orgId}/keys`, {
      name: 'reader',
      scopes: ['read'],
    });
    await signIn(page, `${service.url}/console/signals`, issued.body.data.key);
    await page.getByRole('banner').getByText('Read-only').waitFor();
    await row().locator('[data-signal]').click();
    await panel().getByText('Your key is read-only.').waitFor();
    for (const name of ['Start', 'Mark handled', 'Dismiss', 'Add note'])
      expect(await panel().getByRole('button', { name }).isDisabled(), name).toBe(true);
    expect(await panel().getByLabel('Note').isDisabled()).toBe(true);
  });

  test('a key that can only send data is told so when it signs in', async () => {
    const { key } = await service.organization({ scopes: ['ingest'] });
    await page.goto(`${service.url}/console/`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key can only send data.').waitFor();
    misdeeds.splice(0);
  });
});

/** The texts of a row that overlap. */
function coveredParts(row: Element): string[] {
  const parts = [
    ...row.querySelectorAll('.row-who, .row-opportunity, .row-action, .row-fired, .row-marks > *'),
  ].map((element) => {
    const text = document.createRange();
    text.selectNodeContents(element);
    const { left, right, top, bottom } = text.getBoundingClientRect();
    // Long texts show only their first lines.
    const end = Math.min(bottom, element.getBoundingClientRect().bottom);
    return { name: element.textContent ?? '', place: { left, right, top, bottom: end } };
  });
  return parts.flatMap((one, index) =>
    parts
      .slice(index + 1)
      .filter(
        ({ place }) =>
          place.left < one.place.right - 1 &&
          one.place.left < place.right - 1 &&
          place.top < one.place.bottom - 1 &&
          one.place.top < place.bottom - 1,
      )
      .map((other) => `${one.name} | ${other.name}`),
  );
}
