import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { loadFacts, readAll } from '../facts.ts';
import { startTestService, type TestOrganization, type TestService } from '../harness.ts';
import { expectNoBarrier, openConsole, signIn, skipBrowser } from './browser.ts';

type Record = { id: string; account: { id: string }; opportunity: { id: string }; partner: { name: string } };

describe.skipIf(skipBrowser)('accounts and deals in the console', () => {
  let service: TestService;
  let page: Page;
  let misdeeds: string[];

  openConsole(startTestService, (opened) => {
    ({ service, page, misdeeds } = opened);
  });

  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const row = (of: string, text: string) => section(of).getByRole('row').filter({ hasText: text });

  /** An open deal and a won one that two partners share, one of them in dispute. */
  async function organization(): Promise<{ org: TestOrganization; records: Record[] }> {
    const org = await service.organization();
    const { settings } = (await org.get('/v1/settings')).body.data;
    settings.attribution.split.method = 'equal';
    const saved = await org.call('PUT', '/v1/settings', { body: settings, headers: { 'if-match': '*' } });
    expect(saved.status, saved.text).toBe(200);
    const opportunity = { account_crm_id: 'a1', value: 1000.01, currency: 'EUR' };
    await loadFacts(org, {
      partners: [
        { external_id: 'p1', name: 'First Partner' },
        { external_id: 'p2', name: 'Second Partner' },
      ],
      accounts: [
        { crm_id: 'a1', name: 'Harbour Mills', owner: { name: 'Ada Lind', email: 'ada@us.example' } },
      ],
      partner_accounts: [{ partner_external_id: 'p2', name: 'Harbour Mills Ltd', domain: 'a1.example' }],
      opportunities: [
        { ...opportunity, crm_id: 'open', name: 'Renewal', stage: 'Proposal' },
        { ...opportunity, crm_id: 'won', name: 'First order', status: 'won' },
      ],
      activities: [
        { partner_external_id: 'p1', opportunity_crm_id: 'open', summary: 'Sized the plant' },
        { partner_external_id: 'p1', opportunity_crm_id: 'won', summary: 'Wrote the proposal' },
        { partner_external_id: 'p2', opportunity_crm_id: 'won', summary: 'Brought the buyer' },
      ].map((activity) => ({ kind: 'joint_meeting' as const, account_crm_id: 'a1', ...activity })),
    });
    const records = await readAll<Record>(org, '/v1/attribution');
    const second = records.find(({ partner }) => partner.name === 'Second Partner');
    await org.call('POST', `/v1/attribution/${second?.id}/disputes`, {
      body: { claimed_tier: 'sourced', justification: 'We found them.' },
    });
    return { org, records };
  }

  test('an account shows its deals, partners, signals, credit and all activity', async () => {
    const { org } = await organization();
    await signIn(page, `${service.url}/console/signals`, org.key);
    const signal = page
      .getByRole('list', { name: /^Signals/ })
      .getByRole('listitem')
      .first();
    await signal.getByRole('link', { name: 'Renewal', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Renewal' }).waitFor();
    await page.goBack();
    await signal.getByRole('link', { name: 'Harbour Mills', exact: true }).click();
    const heading = (level: number) => page.getByRole('heading', { level, name: 'Harbour Mills' });
    await heading(2).getByRole('link').click();
    await heading(1).waitFor();
    await page.getByText('Ada Lind').waitFor();
    await row('Deals', 'Renewal').getByText('€1,000.01').waitFor();
    await row('Deals', 'First order').getByText('Won').waitFor();
    await row('Partners', 'Second Partner').getByText('Same domain (a1.example), 95% sure').waitFor();
    await row('Partners', 'First Partner').getByText('Not shared').waitFor();
    await row('Signals', 'First Partner').getByText('Co-sell').first().waitFor();
    await row('Credit', 'Second Partner').getByText('Dispute: Open').waitFor();
    for (const text of ['Sized the plant', 'Wrote the proposal', 'Brought the buyer'])
      await section('Partner activity').getByText(text).waitFor();
    await expectNoBarrier(page);

    await row('Deals', 'First order').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'First order' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Harbour Mills' }).waitFor();
  });

  test('a deal shows who is credited with what part of it, and its own activity', async () => {
    const { org, records } = await organization();
    await signIn(page, `${service.url}/console/deals/${records[0]?.opportunity.id}`, org.key);
    await page.getByRole('heading', { level: 1, name: 'First order' }).waitFor();
    await row('Credit', 'First Partner').getByText('€500.01').waitFor();
    await row('Credit', 'First Partner').getByText('50% of €1,000.01').waitFor();
    await row('Credit', 'Second Partner')
      .getByText(/^€50050% of/)
      .waitFor();
    await section('Credit').getByText('The shares add up to €1,000.01.').waitFor();
    const activity = (text: string) =>
      section('Partner activity').getByRole('listitem').filter({ hasText: text });
    await activity('Brought the buyer').getByText('this deal').waitFor();
    expect(await activity('Sized the plant').getByText('this deal').count()).toBe(0);
    await expectNoBarrier(page);
    await row('Credit', 'Second Partner').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Disputes' }).waitFor();
  });

  test('an unknown account or deal is told so, and the service that comes back is asked again', async () => {
    const { org, records } = await organization();
    await signIn(page, `${service.url}/console/accounts/nope`, org.key);
    await page.getByRole('alert').getByText('There is no account with the ID nope.').waitFor();
    await page.goto(`${service.url}/console/deals/nope`);
    await page.getByRole('alert').getByText('There is no opportunity with the ID nope.').waitFor();
    await page.route('**/v1/accounts/**', (route) => route.abort());
    await page.goto(`${service.url}/console/accounts/${records[0]?.account.id}`);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute('**/v1/accounts/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Harbour Mills' }).waitFor();
    expect(misdeeds.splice(0).filter((line) => !/404|ERR_FAILED/.test(line))).toEqual([]);
  });
});
